/** Which tasks a look at an issue is about: its own, and those that wait for it. */

import type { IssueRef } from '../core/issue.ts';
import { isEnded, type Task } from '../core/task.ts';
import type { Deps } from './deps.ts';
import { taskKey } from './keys.ts';
import type { Write } from './ports.ts';

/** Looks at the issue's own tasks. */
export async function looksAtTasks(
  { store, clock }: Deps,
  ref: IssueRef,
  wanted: (task: Task) => boolean = () => true,
): Promise<Write[]> {
  const tasks = (await store.tasksOfIssue(ref)).filter(wanted);
  return tasks.map((task) => ({ write: 'work.enqueue', key: taskKey(task.id), dueAt: clock() }));
}

/** Looks at the unfinished tasks of issues that this one blocks. */
export async function looksBehind(deps: Deps, ref: IssueRef): Promise<Write[]> {
  const blocked = await deps.store.issuesBlockedBy(ref);
  return (await Promise.all(blocked.map((one) => looksAtTasks(deps, one, isUnfinished)))).flat();
}

export function isUnfinished({ state }: Task): boolean {
  return !isEnded(state);
}
