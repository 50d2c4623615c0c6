/** The app is told how an attended command ended. */
import { setTimeout as delay } from 'node:timers/promises';
import { againMs } from './again.ts';
import type { EndAnswer, RunPlace, TaskDesk } from './order.ts';
import type { Outcome } from './run.ts';
import { catchSignals } from './signals.ts';

/** How long the app is tried to be told of the end. */
const TELL_MS = 600_000;
const TELL_MINUTES = TELL_MS / 60_000;

/** Repeated until it is taken; a signal, or a time, ends that. Whatever comes of it, the command's exit code is passed on. */
export async function tellEnd(
  desk: TaskDesk,
  at: RunPlace,
  { outcome, tell }: { outcome: Outcome; tell(line: string): void },
): Promise<void> {
  const { ended, endedAt, survivors, killed } = outcome;
  const signal = ended.signal?.replace(/^SIG/, '') ?? null;
  const patience = untilSignalled(TELL_MS);
  try {
    for (let failures = 0; ; failures += 1) {
      const end = { exitCode: ended.exitCode, signal, survivors, killed, agoMs: performance.now() - endedAt };
      const answer = await desk
        .end(at, end)
        .catch(({ message }: Error): NoAnswer => ({ result: 'silent', why: message }));
      if (answer.result === 'taken') {
        if (failures > 0) tell('the app was told how the command ended');
        return;
      }
      if (isFinal(answer)) return tell(`the app did not take how the command ended: ${answer.why}`);
      if (failures === 0) tell(notTold(answer));
      await delay(againMs(failures), undefined, { signal: patience.over }).catch(() => {});
      if (patience.over.aborted) return tell('the app was not told how the command ended');
    }
  } finally {
    patience.end();
  }
}

interface NoAnswer {
  result: 'silent';
  why: string;
}

type NotTaken = Exclude<EndAnswer, { result: 'taken' }> | NoAnswer;

function isFinal(answer: NotTaken): boolean {
  return answer.result === 'refused' && answer.isFinal;
}

function notTold({ result, why }: NotTaken): string {
  const what = result === 'silent' ? 'gives no answer' : 'does not take that';
  return `the command has ended, and the app ${what}: it is told for up to ${TELL_MINUTES} min, Ctrl-C ends that (${why})`;
}

function untilSignalled(ms: number): { over: AbortSignal; end(): void } {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), ms);
  const signals = catchSignals(() => over.abort());
  return {
    over: over.signal,
    end() {
      clearTimeout(timer);
      signals.giveBack();
    },
  };
}
