/** Which ready tasks may start now: the tightest limit wins, and a limit below its use stops nothing. Pure. */
import type { Batch } from './batch.ts';
import type { Task } from './task.ts';

export interface Limits {
  maxRunning: number;
  maxRunningPerRepository: number;
  /** Stops that sweeps may want within a minute before GitHub is asked once more; default 50. */
  massStop?: number;
  /** No task starts on what is known of another issue from longer ago; default 600. */
  maxDataAgeSeconds?: number;
  /** A runner that gives no answer for longer is a matter for a person, if it has runs; default 60. */
  unreachableMinutes?: number;
}

/** What a run takes a slot of. */
export interface Use {
  taskId: string;
  batchId: string | null;
  repositoryId: string;
  runner: string;
}

export interface ScheduleInput {
  /** In the order in which they should start. */
  candidates: readonly Task[];
  /** Runs that are alive, by what they use. */
  running: readonly Use[];
  batches: ReadonlyMap<string, Pick<Batch, 'strategy' | 'maxParallel'>>;
  /** Batches of which nothing may start: held, being cancelled, or stopped by a failure. */
  stopped: ReadonlySet<string>;
  /** null: no limit of its own. */
  runnerLimit: (runner: string) => number | null;
  limits: Limits;
}

export function schedule(input: ScheduleInput): readonly Task[] {
  const count = new Map<string, number>();
  const take = (use: Use) => {
    for (const { key } of limitsOf(use, input)) count.set(key, (count.get(key) ?? 0) + 1);
  };
  input.running.forEach(take);
  return input.candidates.filter((task) => {
    if (task.batchId !== null && input.stopped.has(task.batchId)) return false;
    const use = useOf(task);
    const fits = limitsOf(use, input).every(({ key, max }) => (count.get(key) ?? 0) < max);
    if (fits) take(use);
    return fits;
  });
}

/** How many of a batch may run at once. */
export function placesOf({ strategy, maxParallel }: Pick<Batch, 'strategy' | 'maxParallel'>): number {
  return strategy === 'serial' ? 1 : maxParallel;
}

function useOf({ id, batchId, repositoryId, spec }: Task): Use {
  return { taskId: id, batchId, repositoryId, runner: spec.runsOn };
}

function limitsOf(use: Use, input: ScheduleInput): { key: string; max: number }[] {
  const batch = use.batchId === null ? undefined : input.batches.get(use.batchId);
  return [
    { key: 'all', max: input.limits.maxRunning },
    { key: `repository:${use.repositoryId}`, max: input.limits.maxRunningPerRepository },
    { key: `runner:${use.runner}`, max: input.runnerLimit(use.runner) ?? Number.POSITIVE_INFINITY },
    {
      key: `batch:${use.batchId ?? use.taskId}`,
      max: batch === undefined ? 1 : placesOf(batch),
    },
  ];
}
