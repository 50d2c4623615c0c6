/** Which batch of a name is live. Mostly the newest; an older one where a retry has brought it back since. */
import type { Batch } from '../core/batch.ts';
import type { Deps } from './deps.ts';

const AT_ONCE = 100;

/** null: none is. */
export async function liveBatch(
  { store }: Pick<Deps, 'store'>,
  { repositoryId, name }: Pick<Batch, 'repositoryId' | 'name'>,
): Promise<Batch | null> {
  const newest = await store.newestBatch(repositoryId, name);
  if (newest === null || newest.state === 'running') return newest;
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const filter = { repositoryId, state: 'running', limit: AT_ONCE, ...(cursor && { cursor }) } as const;
    const page = await store.queries.batches(filter);
    const live = page.items.find((batch) => batch.name === name);
    if (live !== undefined) return live;
    cursor = page.next;
  }
  return null;
}
