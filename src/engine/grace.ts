import type { Task } from '../core/task.ts';
import type { Deps } from './deps.ts';

const DEFAULT_SECONDS = 10;

/** Between TERM and KILL, from the task or the runner that it names. */
export function graceSecondsOf({ runners }: Pick<Deps, 'runners'>, { spec }: Pick<Task, 'spec'>): number {
  return spec.graceSeconds ?? runners.get(spec.runsOn)?.profile.graceSeconds ?? DEFAULT_SECONDS;
}
