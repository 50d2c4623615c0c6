/**
 * What nearly every look reads and hardly anything changes: a repository and its file, kept in memory where this process alone writes the
 * database. While a change of them is under way they are read anew, so that nobody sees one half of a commit.
 */
import { type Lru, makeLru } from '../core/lru.ts';
import type { Store, StoreReads, Write } from '../engine/ports.ts';

type Reads = Pick<StoreReads, 'repository' | 'repositoryState' | 'repositoryFile'>;

/** A file may have 64 kB. */
const AT_MOST = 100;

const CHANGES: readonly Write['write'][] = [
  ...(['repository.put', 'repository.state', 'comments.since', 'issues.since'] as const),
  'file.put',
];

/** To be used instead of the given ones; `commit` has to be the only one that changes what they read. */
export function rememberRepositories(store: Reads & Pick<Store, 'commit'>): Reads & Pick<Store, 'commit'> {
  let changes = 0;
  let underWay = 0;
  const memories: { clear(): void }[] = [];

  function remembered<T>(read: (id: string) => Promise<T>): (id: string) => Promise<T> {
    let known: Lru<{ value: T }> = makeLru(AT_MOST);
    memories.push({
      clear: () => {
        known = makeLru(AT_MOST);
      },
    });
    return async (id) => {
      const found = underWay === 0 ? known.get(id) : undefined;
      if (found !== undefined) return found.value;
      const before = changes;
      const value = await read(id);
      if (underWay === 0 && changes === before) known.set(id, { value });
      return value;
    };
  }

  const commit: Store['commit'] = async (writes, options) => {
    if (!writes.some(({ write }) => CHANGES.includes(write))) return store.commit(writes, options);
    underWay += 1;
    try {
      return await store.commit(writes, options);
    } finally {
      underWay -= 1;
      changes += 1;
      for (const memory of memories) memory.clear();
    }
  };

  return {
    repository: remembered(store.repository),
    repositoryState: remembered(store.repositoryState),
    repositoryFile: remembered(store.repositoryFile),
    commit,
  };
}
