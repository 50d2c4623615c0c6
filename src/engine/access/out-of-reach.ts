/** Repositories in which nothing may start. */
import type { Task } from '../../core/task.ts';
import type { Store } from '../ports.ts';

type Reads = Pick<Store, 'repositoryState'>;

export async function isOutOfReach({ store }: { store: Reads }, repositoryId: string): Promise<boolean> {
  const access = (await store.repositoryState(repositoryId))?.access ?? 'ok';
  return access !== 'ok';
}

/** Of the tasks' repositories, each asked once. */
export async function outOfReach(deps: { store: Reads }, tasks: readonly Task[]): Promise<ReadonlySet<string>> {
  const ids = [...new Set(tasks.map(({ repositoryId }) => repositoryId))];
  const found = await Promise.all(ids.map(async (id) => ((await isOutOfReach(deps, id)) ? [id] : [])));
  return new Set(found.flat());
}
