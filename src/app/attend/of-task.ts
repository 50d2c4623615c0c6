/**
 * A command as the work of a task. It asks the app what to do for as long as it runs, and tells it how it ended. No answer stops nothing:
 * the command goes on, and so does the asking.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { attendantOfSelf } from '../../runners/process/attended/sight.ts';
import type { AttendWorld, Claimed, TaskDesk, TaskOrder } from './order.ts';
import { AttendError } from './refusal.ts';
import { exitCodeOf, type Outcome, runWatched, withoutSecrets } from './run.ts';

interface Place {
  runId: string;
  session: string;
}

/** How often it is asked at most, where no answer waits for news. */
const LEAST_MS = 1_000;
/** No answer is asked for again after this, the last one again and again. */
const AGAIN_MS = [500, 1_000, 2_000, 5_000] as const;
/** What is being stopped shows that it lives. */
const STOPPING_MS = 20_000;
/** How long the app is tried to be told of the end. */
const TELL_MS = 600_000;
const TELL_MINUTES = TELL_MS / 60_000;

/** As a shell tells it. */
const NOT_STARTED = { not_found: 127, not_executable: 126 } as const;

export async function attendTask({ desk, argv, graceSeconds }: TaskOrder, world: AttendWorld): Promise<number> {
  const session = randomUUID();
  const claimed = await desk.claim(session, attendantOfSelf());
  const at = { runId: claimed.runId, session };
  const graceMs = (graceSeconds ?? claimed.graceSeconds) * 1_000;
  const asking = new AbortController();
  const watch = { tell: world.tell, ended: asking.signal };
  try {
    const command = { argv, graceMs, env: envOf(claimed, world), mark: session };
    const outcome = await runWatched({ command, until: () => untilOrdered(desk, at, watch), tell: world.tell });
    await tellEnd(desk, at, { outcome, tell: world.tell });
    return exitCodeOf(outcome);
  } catch (error) {
    const exitCode = error instanceof AttendError ? NOT_STARTED[error.code as keyof typeof NOT_STARTED] : undefined;
    if (exitCode !== undefined) await tellEnd(desk, at, { outcome: neverBegun(exitCode), tell: world.tell });
    throw error;
  } finally {
    asking.abort();
  }
}

/** What it is told of itself is this run's: it may be a part of another one. */
function envOf({ env }: Claimed, { inherited }: AttendWorld): Readonly<Record<string, string | undefined>> {
  const own = Object.entries(withoutSecrets(inherited)).filter(([name]) => !OF_A_RUN.test(name));
  return { ...Object.fromEntries(own), ...env };
}

const OF_A_RUN =
  /^STANDDOWN_(RUN_ID|RUN_NUMBER|PURPOSE|TASK_ID|TASK_KEY|BATCH_ID|BATCH|REPOSITORY|ISSUE|REQUEUE_REASON)$/;

function neverBegun(exitCode: number): Outcome {
  return { ended: { exitCode, signal: null }, endedAt: performance.now(), survivors: [], isStopped: false };
}

interface Watch {
  tell(line: string): void;
  ended: AbortSignal;
}

function untilOrdered(desk: TaskDesk, at: Place, watch: Watch): Promise<string | null> {
  return new Promise((resolve) => {
    void follow(desk, at, { ...watch, onOrder: resolve }).then(() => resolve(null));
  });
}

/** Until the watch ends, or the run is over there: an order is no reason to be silent. */
async function follow(
  desk: TaskDesk,
  at: Place,
  { tell, ended, onOrder }: Watch & { onOrder(why: string): void },
): Promise<void> {
  let failures = 0;
  while (!ended.aborted) {
    const askedAt = performance.now();
    // That it answers again is not to wait for news.
    const isPatient = failures === 0;
    let pauseMs = 0;
    try {
      const { state, why } = await desk.news(at, { isPatient, ended });
      if (failures > 0) tell('the app answers again');
      failures = 0;
      if (state !== 'running') onOrder(why ?? 'the app says that it is to end');
      if (state === 'over') return;
      if (isPatient) pauseMs = state === 'stopping' ? STOPPING_MS : LEAST_MS - (performance.now() - askedAt);
    } catch (error) {
      if (failures === 0 && !ended.aborted) {
        tell(`the app gives no answer, the command goes on: ${(error as Error).message}`);
      }
      pauseMs = againMs(failures);
      failures += 1;
    }
    if (pauseMs > 0) await delay(pauseMs, undefined, { signal: ended }).catch(() => {});
  }
}

function againMs(failures: number): number {
  return AGAIN_MS[Math.min(failures, AGAIN_MS.length - 1)]!;
}

/** Repeated until it is taken; a signal, or a time, ends that. Whatever comes of it, the command's exit code is passed on. */
async function tellEnd(
  desk: TaskDesk,
  at: Place,
  { outcome, tell }: { outcome: Outcome; tell(line: string): void },
): Promise<void> {
  const { ended, endedAt, survivors } = outcome;
  const signal = ended.signal?.replace(/^SIG/, '') ?? null;
  const patience = untilSignalled(TELL_MS);
  try {
    for (let failures = 0; ; failures += 1) {
      try {
        const end = { exitCode: ended.exitCode, signal, survivors, agoMs: performance.now() - endedAt };
        const refused = await desk.end(at, end);
        if (refused !== null) tell(`the app did not take how the command ended: ${refused}`);
        else if (failures > 0) tell('the app was told how the command ended');
        return;
      } catch (error) {
        if (failures === 0) tell(notTold(error as Error));
        await delay(againMs(failures), undefined, { signal: patience.over }).catch(() => {});
        if (patience.over.aborted) return tell('the app was not told how the command ended');
      }
    }
  } finally {
    patience.end();
  }
}

function notTold({ message }: Error): string {
  return `the command has ended, and the app gives no answer: it is told for up to ${TELL_MINUTES} min, Ctrl-C ends that (${message})`;
}

const IMPATIENT = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

function untilSignalled(ms: number): { over: AbortSignal; end(): void } {
  const over = new AbortController();
  const giveUp = () => over.abort();
  const timer = setTimeout(giveUp, ms);
  for (const signal of IMPATIENT) process.on(signal, giveUp);
  return {
    over: over.signal,
    end() {
      clearTimeout(timer);
      for (const signal of IMPATIENT) process.off(signal, giveUp);
    },
  };
}
