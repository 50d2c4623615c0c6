/** Repositories kept in memory: read once, and never older than the last commit that changed them. */
import { expect, it } from 'vitest';
import type { RepositoryRef, Write } from '../../src/engine/ports.ts';
import { rememberRepositories } from '../../src/store/remembered.ts';

/** A database with one repository, whose reads and commits end when the test says so. */
function aDatabase() {
  let row: RepositoryRef | null = null;
  const reads: (() => void)[] = [];
  const commits: (() => void)[] = [];
  const store = rememberRepositories({
    repository: () => {
      const seen = row;
      return new Promise((resolve) => reads.push(() => resolve(seen)));
    },
    repositoryState: async () => null,
    repositoryFile: async () => null,
    commit: (writes) => {
      const [write] = writes;
      if (write?.write === 'repository.put') row = write.repository;
      return new Promise((resolve) => commits.push(() => resolve(true)));
    },
  });
  const endOf = async <T>(what: Promise<T>, ends: (() => void)[]) => {
    await Promise.resolve();
    for (const end of ends.splice(0)) end();
    return what;
  };
  return {
    store,
    reads,
    read: () => endOf(store.repository('7'), reads),
    commits,
    commit: (write: Write) => endOf(store.commit([write]), commits),
  };
}

const named = (fullName: string): Write => ({
  write: 'repository.put',
  repository: { id: '7', fullName, installationId: null },
});

it('are read once until something changes them, also where there is none', async () => {
  const { store, read, reads, commit } = aDatabase();
  expect(await read()).toBeNull();
  expect(await store.repository('7')).toBeNull();
  await commit(named('acme/a'));
  expect(await read()).toMatchObject({ fullName: 'acme/a' });
  await commit({ write: 'work.enqueue', key: 'k', dueAt: new Date() });
  expect(await store.repository('7')).toMatchObject({ fullName: 'acme/a' });
  expect(reads).toHaveLength(0);
});

it('that were read before a commit and come after it are not kept', async () => {
  const { store, read, reads, commit } = aDatabase();
  await commit(named('acme/a'));
  const before = store.repository('7');
  await commit(named('acme/b'));
  for (const end of reads.splice(0)) end();
  expect(await before).toMatchObject({ fullName: 'acme/a' });
  expect(await read()).toMatchObject({ fullName: 'acme/b' });
});

it('are read anew while a commit is under way, whoever else has just learnt of it', async () => {
  const { store, read, reads, commits, commit } = aDatabase();
  await commit(named('acme/a'));
  await read();
  const committed = store.commit([named('acme/b')]);
  const seen = store.repository('7');
  expect(reads).toHaveLength(1);
  for (const end of [...reads.splice(0), ...commits.splice(0)]) end();
  expect(await seen).toMatchObject({ fullName: 'acme/b' });
  await committed;
});

it('that a failed commit was about are read anew', async () => {
  let reads = 0;
  const store = rememberRepositories({
    repository: async () => {
      reads += 1;
      return null;
    },
    repositoryState: async () => null,
    repositoryFile: async () => null,
    commit: () => Promise.reject(new Error('disk full')),
  });
  await store.repository('7');
  await expect(store.commit([named('acme/a')])).rejects.toThrow('disk full');
  await store.repository('7');
  expect(reads).toBe(2);
});
