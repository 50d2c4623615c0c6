import type { Run } from '../core/run.ts';
import type { Task } from '../core/task.ts';
import type { Deps } from './deps.ts';

const DEFAULT_SECONDS = 10;

/**
 * Between TERM and KILL, from the task or the runner that its run is on: whichever app of a database orders the stop, it has that runner,
 * but perhaps not the one that the task names. `run` is null where there is none yet.
 */
export function graceSecondsOf(
  { runners }: Pick<Deps, 'runners'>,
  { spec }: Pick<Task, 'spec'>,
  run: Pick<Run, 'runner'> | null,
): number {
  return spec.graceSeconds ?? runners.get(run?.runner ?? spec.runsOn)?.profile.graceSeconds ?? DEFAULT_SECONDS;
}
