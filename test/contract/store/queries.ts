import { beforeEach, describe, expect, it } from 'vitest';
import type { Task } from '../../../src/core/task.ts';
import { InvalidCursor, type Page, type Write } from '../../../src/engine/ports.ts';
import { type Current, inSeconds } from './context.ts';
import { append, insertBatch, insertRun, insertTask, makeEvent, putRepository, repository, T0 } from './records.ts';

const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id);

async function readAll<T extends { id: string }>(page: (cursor?: string) => Promise<Page<T>>): Promise<string[][]> {
  const pages: string[][] = [];
  let next: string | null = null;
  do {
    const read: Page<T> = await page(...(next === null ? [] : [next]));
    pages.push(idsOf(read.items));
    next = read.next;
  } while (next !== null);
  return pages;
}

export function describeQueries(current: Current): void {
  describe('queries', () => {
    beforeEach(async () => {
      await current().store.commit([putRepository]);
    });

    it('pages through tasks, newest first, each once', async () => {
      const { store } = current();
      const createdAt = inSeconds(current(), 1);
      await store.commit([
        insertTask({ id: 'old' }),
        insertTask({ id: 'same-a', createdAt }),
        insertTask({ id: 'same-b', createdAt }),
        insertTask({ id: 'same-c', createdAt }),
        insertTask({ id: 'new', createdAt: inSeconds(current(), 2) }),
      ]);
      const pages = await readAll((cursor) => store.queries.tasks({ limit: 2, ...(cursor && { cursor }) }));
      expect(pages).toEqual([['new', 'same-c'], ['same-b', 'same-a'], ['old']]);
    });

    it('shows no new task on a page that continues an older one', async () => {
      const { store } = current();
      await store.commit([insertTask({ id: 'a' }), insertTask({ id: 'b' }), insertTask({ id: 'c' })]);
      const first = await store.queries.tasks({ limit: 2 });
      await store.commit([insertTask({ id: 'd', createdAt: inSeconds(current(), 5) })]);
      expect(idsOf(first.items)).toEqual(['c', 'b']);
      expect(idsOf((await store.queries.tasks({ limit: 2, cursor: first.next! })).items)).toEqual(['a']);
    });

    it('filters tasks by repository, issue and state together', async () => {
      const { store } = current();
      await store.commit([
        { write: 'repository.put', repository: { id: '2', fullName: 'a/b', installationId: null } },
        insertTask({ id: 'match', state: 'failed' }),
        insertTask({ id: 'other-state', state: 'done' }),
        insertTask({ id: 'other-issue', state: 'failed', issueNumber: 13 }),
        insertTask({ id: 'other-repository', state: 'failed', repositoryId: '2' }),
      ]);
      const filter = { repositoryId: '1001', issueNumber: 12, state: 'failed' } as const;
      expect(idsOf((await store.queries.tasks({ ...filter, limit: 9 })).items)).toEqual(['match']);
    });

    it('pages through batches, newest first, by repository and state', async () => {
      const { store } = current();
      const at = (id: string, seconds: number, state: 'failed' | 'completed') =>
        insertBatch({ id, state, createdAt: inSeconds(current(), seconds) });
      await store.commit([at('a', 1, 'failed'), at('b', 2, 'completed'), at('c', 3, 'failed'), at('d', 4, 'failed')]);
      const pages = await readAll((cursor) =>
        store.queries.batches({ repositoryId: '1001', state: 'failed', limit: 2, ...(cursor && { cursor }) }),
      );
      expect(pages).toEqual([['d', 'c'], ['a']]);
    });

    it('gives the runs and repositories of more ids than one statement takes', async () => {
      const { store } = current();
      await store.commit([insertTask({ id: 'a' }), insertRun({ id: 'a-1', taskId: 'a', number: 1 })]);
      const none = (kind: string) => Array.from({ length: 70_000 }, (_, index) => `${kind}-${index}`);
      const runs = await store.queries.runsOfTasks([...none('task'), 'a']);
      expect(runs.size).toBe(70_001);
      expect(idsOf(runs.get('a') ?? [])).toEqual(['a-1']);
      expect(runs.get('task-0')).toEqual([]);
      const repositories = await store.queries.repositories([...none('repository'), repository.id]);
      expect([...repositories.keys()]).toEqual([repository.id]);
    });

    it('gives the runs of tasks by number, and a list for tasks without any', async () => {
      const { store } = current();
      await store.commit([
        insertTask({ id: 'a' }),
        insertTask({ id: 'b' }),
        insertRun({ id: 'a-10', taskId: 'a', number: 10 }),
        insertRun({ id: 'a-2', taskId: 'a', number: 2, state: 'failed' }),
      ]);
      const runs = await store.queries.runsOfTasks(['a', 'b']);
      expect(idsOf(runs.get('a')!)).toEqual(['a-2', 'a-10']);
      expect(runs.get('b')).toEqual([]);
    });

    it('counts the tasks of batches by state and cause', async () => {
      const { store } = current();
      const of = (batchId: string | null, state: Task['state'], cause: Task['cause']) => (id: string) =>
        insertTask({ id, batchId, state, cause });
      await store.commit([
        insertBatch({ id: 'a' }),
        insertBatch({ id: 'b', name: 'weekly' }),
        insertBatch({ id: 'empty', name: 'hourly' }),
        ...['a-1', 'a-2'].map(of('a', 'done', 'run_succeeded')),
        ...['a-3'].map(of('a', 'done', 'issue_completed')),
        ...['a-4', 'a-5', 'a-6'].map(of('a', 'ready', null)),
        ...['b-1'].map(of('b', 'ready', null)),
        ...['single'].map(of(null, 'ready', null)),
      ]);
      const counts = await store.queries.countsOfBatches(['a', 'empty', 'no-such', 'a']);
      expect([...counts.keys()]).toEqual(['a', 'empty', 'no-such']);
      expect([...counts.get('a')!].sort((left, right) => left.count - right.count)).toEqual([
        { state: 'done', cause: 'issue_completed', count: 1 },
        { state: 'done', cause: 'run_succeeded', count: 2 },
        { state: 'ready', cause: null, count: 3 },
      ]);
      expect(counts.get('empty')).toEqual([]);
      const many = Array.from({ length: 2_000 }, (_, index) => `none-${index}`);
      expect((await store.queries.countsOfBatches([...many, 'b'])).get('b')).toEqual([
        { state: 'ready', cause: null, count: 1 },
      ]);
    });

    it('gives repositories by id', async () => {
      const repositories = await current().store.queries.repositories(['1001', 'no-such']);
      expect([...repositories]).toEqual([['1001', repository]]);
    });

    it('gives what is known of repositories, by id', async () => {
      const { store } = current();
      await store.commit([{ write: 'repository.state', repositoryId: repository.id, set: { sweptAt: T0 } }]);
      const states = await store.queries.statesOfRepositories(['no-such', repository.id]);
      expect([...states]).toEqual([[repository.id, await store.repositoryState(repository.id)]]);
      expect(states.get(repository.id)).toMatchObject({ ...repository, sweptAt: T0 });
      const many = Array.from({ length: 2_000 }, (_, index) => `none-${index}`);
      expect([...(await store.queries.statesOfRepositories([...many, repository.id])).keys()]).toEqual([repository.id]);
    });

    it('pages through what is known of repositories in the order of their ids, each once', async () => {
      const { store } = current();
      const put = (id: string): Write => {
        return { write: 'repository.put', repository: { id, fullName: `acme/r${id}`, installationId: null } };
      };
      await store.commit([put('1003'), put('1000'), put('1002')]);
      const set = { access: 'suspended', accessSince: T0, verifiedAt: T0 } as const;
      await store.commit([{ write: 'repository.state', repositoryId: '1002', set }]);
      const page = (cursor?: string) => store.queries.repositoryStates({ limit: 2, ...(cursor && { cursor }) });
      expect(await readAll(page)).toEqual([
        ['1000', '1001'],
        ['1002', '1003'],
      ]);
      const first = await page();
      await store.commit([put('0999'), put('1004')]);
      expect((await page(first.next!)).items).toEqual([
        await store.repositoryState('1002'),
        await store.repositoryState('1003'),
      ]);
      expect((await store.queries.repositoryStates({ id: '1002', limit: 2 })).items).toEqual([
        expect.objectContaining({ ...set, fullName: 'acme/r1002' }),
      ]);
      const beyond = { id: '1000', cursor: first.next!, limit: 2 };
      expect(await store.queries.repositoryStates(beyond)).toEqual({ items: [], next: null });
    });

    it('knows of no newest event before the first', async () => {
      expect(await current().store.queries.newestEventId()).toBeNull();
    });

    it('gives events in order with their data, and goes on after the last one seen', async () => {
      const { store } = current();
      const data = { from: 'ready', nested: { list: [1, null, 'é'] } };
      await store.commit([append({ type: 'A', data }), append({ type: 'B', taskId: null })]);
      await store.commit([append({ type: 'C' })]);
      const [a, b] = await store.queries.events(null, 2);
      expect(a).toEqual({ id: a?.id, ...makeEvent({ type: 'A', data }) });
      expect(b?.type).toBe('B');
      const rest = await store.queries.events(b!.id, 9);
      expect(rest.map(({ type }) => type)).toEqual(['C']);
      expect(await store.queries.events(rest[0]!.id, 9)).toEqual([]);
      expect(await store.queries.newestEventId()).toBe(rest[0]!.id);
    });

    it('refuses cursors that it never gave out', async () => {
      const { queries } = current().store;
      await expect(queries.tasks({ limit: 1, cursor: 'nonsense' })).rejects.toBeInstanceOf(InvalidCursor);
      const unkeepable = Buffer.from('1772366400123 task\0').toString('base64url');
      await expect(queries.tasks({ limit: 1, cursor: unkeepable })).rejects.toBeInstanceOf(InvalidCursor);
      const ofTasks = Buffer.from('1772366400123 task-1').toString('base64url');
      for (const cursor of ['nonsense', ofTasks, Buffer.from('after 1\0').toString('base64url')]) {
        await expect(queries.repositoryStates({ limit: 1, cursor })).rejects.toBeInstanceOf(InvalidCursor);
      }
      await expect(queries.events('1; drop table', 1)).rejects.toBeInstanceOf(InvalidCursor);
      await expect(queries.events('99999999999', 1)).rejects.toBeInstanceOf(InvalidCursor);
    });

    it('can be asked whether it can write', async () => {
      await current().store.check();
      await current().store.check();
    });
  });
}
