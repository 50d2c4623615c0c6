/**
 * A command as the work of a task. It asks the app what to do for as long as it runs, and tells it how it ended. No answer stops nothing:
 * the command goes on, and so does the asking.
 */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:os';
import { attendantOfSelf } from '../../runners/process/attended/sight.ts';
import { untilConfirmed } from './confirm.ts';
import { untilOrdered } from './follow.ts';
import type { AttendWorld, Claimed, TaskDesk, TaskOrder } from './order.ts';
import { AttendError } from './refusal.ts';
import { type CommandEnd, exitCodeOf, type Outcome, runWatched, STOPPED, withoutSecrets } from './run.ts';
import { type CaughtSignals, catchSignals } from './signals.ts';
import { tellEnd } from './tell-end.ts';

/** As a shell tells it. */
const NOT_STARTED = { not_found: 127, not_executable: 126 } as const;

export async function attendTask(order: TaskOrder, world: AttendWorld): Promise<number> {
  const { desk } = order;
  const { tell } = world;
  const session = randomUUID();
  const signals = catchSignals(() => tell(WAITS));
  try {
    const claimed = await claimUnlessTold(desk, session, signals);
    const isOrdered =
      claimed !== null && (await untilConfirmed(desk, { runId: claimed.runId, session }, { signals, tell }));
    // As if the command had been started, and had it at once.
    const signal = signals.first() ?? (isOrdered ? 'SIGTERM' : null);
    if (claimed === null || signal !== null) {
      const outcome = neverBegun({ exitCode: null, signal });
      if (claimed !== null) await tellEnd(desk, { runId: claimed.runId, session }, { outcome, tell });
      return isOrdered ? STOPPED : 128 + constants.signals[signal ?? 'SIGINT'];
    }
    // From its first moment on signals are the command's.
    const running = run(claimed, session, { order, world });
    signals.giveBack();
    return await running;
  } finally {
    signals.giveBack();
  }
}

const WAITS = 'told to end: as soon as the app has answered the claim, which a second signal gives up';

/** null: signals came before an answer. */
async function claimUnlessTold(
  desk: TaskDesk,
  session: string,
  { first, told, force }: CaughtSignals,
): Promise<Claimed | null> {
  try {
    return await desk.claim(session, attendantOfSelf(), { told, ended: force });
  } catch (error) {
    if (first() === null) throw error;
    return null;
  }
}

/** Takes signals over before it waits for anything. */
async function run(
  claimed: Claimed,
  session: string,
  { order, world }: { order: TaskOrder; world: AttendWorld },
): Promise<number> {
  const { desk, argv } = order;
  const { tell } = world;
  const at = { runId: claimed.runId, session };
  const asking = new AbortController();
  const killing = new AbortController();
  const watch = { tell, ended: asking.signal, onKill: () => killing.abort() };
  try {
    const graceMs = graceSecondsOf(order, claimed, tell) * 1_000;
    const command = { argv, graceMs, env: envOf(claimed, world), mark: session };
    const until = () => untilOrdered(desk, at, watch);
    const outcome = await runWatched({ command, until, tell, force: killing.signal });
    await tellEnd(desk, at, { outcome, tell });
    return exitCodeOf(outcome);
  } catch (error) {
    const exitCode = error instanceof AttendError ? NOT_STARTED[error.code as keyof typeof NOT_STARTED] : undefined;
    if (exitCode !== undefined) {
      await tellEnd(desk, at, { outcome: neverBegun({ exitCode, signal: null }), tell });
    }
    throw error;
  } finally {
    asking.abort();
  }
}

/** What the task promises about its end holds for whoever attends it, too. */
function graceSecondsOf({ graceSeconds }: TaskOrder, claimed: Claimed, tell: (line: string) => void): number {
  if (graceSeconds === null || graceSeconds <= claimed.graceSeconds) return graceSeconds ?? claimed.graceSeconds;
  tell(`--grace ${graceSeconds} is more than the task's: KILL comes ${claimed.graceSeconds} s after TERM`);
  return claimed.graceSeconds;
}

/** What it is told of itself is this run's: it may be a part of another one. */
function envOf({ env }: Claimed, { inherited }: AttendWorld): Readonly<Record<string, string | undefined>> {
  const own = Object.entries(withoutSecrets(inherited)).filter(([name]) => !OF_A_RUN.test(name));
  return { ...Object.fromEntries(own), ...env };
}

const OF_A_RUN =
  /^STANDDOWN_(RUN_ID|RUN_NUMBER|PURPOSE|TASK_ID|TASK_KEY|BATCH_ID|BATCH|REPOSITORY|ISSUE|REQUEUE_REASON)$/;

function neverBegun(ended: CommandEnd): Outcome {
  return { ended, endedAt: performance.now(), survivors: [], killed: false, isStopped: false };
}
