/** The end of the grace: whatever of the repository is unfinished is looked at, and its own plan ends it. */
import type { Task } from '../../core/task.ts';
import type { Deps } from '../deps.ts';
import { accessKey, taskKey } from '../keys.ts';
import type { RepositoryState } from '../ports.ts';
import { giveUpWrites, isGivenUp } from './given-up.ts';

const FIRST_PAGE = 500;
/** As long as something is unfinished there: what stops takes its time, and a person may have brought something back. */
const LOOK_AGAIN_MS = 600_000;

/** Kept first: whatever dies after it, the same look comes again, and looking twice at a task does nothing twice. */
export async function giveUp(deps: Deps, state: RepositoryState, goneSince: Date): Promise<void> {
  const { store, clock, log } = deps;
  if (!(await isGivenUp(store, state.id))) {
    log.warn({ repository: state.fullName, since: goneSince }, 'repository given up');
    await store.commit(giveUpWrites(state, goneSince, clock()));
  }
  const tasks = await unfinishedOf(deps, state.id);
  if (tasks.length === 0) return;
  const now = clock();
  // First what waits for others, so that it ends for its own cause, and not because they can't be had any more.
  const inOrder = tasks.toSorted((a, b) => rank(a) - rank(b));
  await store.queue.enqueue(inOrder.map((task) => ({ key: taskKey(task.id), dueAt: dueAt(now, task) })));
  const again = new Date(now.getTime() + LOOK_AGAIN_MS);
  await store.queue.enqueue([{ key: accessKey(state.id), dueAt: again }]);
}

/** The store tells so many of the newest: twice as many are asked for until that is all. */
async function unfinishedOf({ store }: Deps, repositoryId: string): Promise<readonly Task[]> {
  for (let limit = FIRST_PAGE; ; limit *= 2) {
    const tasks = await store.unfinishedTasks(repositoryId, limit);
    if (tasks.length < limit) return tasks;
  }
}

/** Keys are taken up by the time that they are due. */
function dueAt(now: Date, task: Task): Date {
  return new Date(now.getTime() + rank(task));
}

function rank({ state }: Task): number {
  return state === 'waiting' ? 0 : 1;
}
