/** Repositories in which nothing may start. */
import type { Task } from '../../core/task.ts';
import type { RepositoryAccess, Store } from '../ports.ts';

type Reads = Pick<Store, 'repositoryState'>;

export async function isOutOfReach({ store }: { store: Reads }, repositoryId: string): Promise<boolean> {
  return (await accessOf(store, repositoryId)) !== 'ok';
}

/** The App was taken from it, whether or not the grace is over. */
export async function isGone(store: Reads, repositoryId: string): Promise<boolean> {
  return (await accessOf(store, repositoryId)) === 'gone';
}

/** GitHub shows nothing of it for now, or for good: whatever is due there is looked at once it is back. */
export async function isHidden(store: Reads, repositoryId: string): Promise<boolean> {
  const access = await accessOf(store, repositoryId);
  return access === 'gone' || access === 'suspended';
}

async function accessOf(store: Reads, repositoryId: string): Promise<RepositoryAccess> {
  return (await store.repositoryState(repositoryId))?.access ?? 'ok';
}

/** Of the tasks' repositories, each asked once. */
export async function outOfReach(deps: { store: Reads }, tasks: readonly Task[]): Promise<ReadonlySet<string>> {
  const ids = [...new Set(tasks.map(({ repositoryId }) => repositoryId))];
  const found = await Promise.all(ids.map(async (id) => ((await isOutOfReach(deps, id)) ? [id] : [])));
  return new Set(found.flat());
}
