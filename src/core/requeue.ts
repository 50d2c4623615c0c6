/** What a task is when it may run again: it starts over as far as it can, and says nothing of why it had stopped. */
import type { Cause, Task, TaskState } from './task.ts';

export interface RunAgain {
  state: Extract<TaskState, 'ready' | 'waiting' | 'blocked'>;
  cause: Extract<Cause, 'question'> | null;
  actor: null;
}

/** With needs it waits until they are looked at again; with an open question it stays blocked. */
export function toRunAgain({ blockers, needs }: Pick<Task, 'blockers' | 'needs'>): RunAgain {
  if (blockers.length > 0) return { state: 'blocked', cause: 'question', actor: null };
  return { state: needs.length > 0 ? 'waiting' : 'ready', cause: null, actor: null };
}
