import { beforeEach, describe, expect, it } from 'vitest';
import type { Task } from '../../../src/core/task.ts';
import { type Current, inSeconds } from './context.ts';
import {
  append,
  insertBatch,
  insertEpisode,
  insertRun,
  insertTask,
  makeBatch,
  owe,
  putRepository,
  repository,
  T0,
} from './records.ts';

const issue = { repositoryId: repository.id, number: 12 };
const NONE = { batchIds: [], repositoryIds: [] };
const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id);

export function describeReads(current: Current): void {
  describe('reads', () => {
    beforeEach(async () => {
      await current().store.commit([putRepository]);
    });

    it('answers null or nothing for what is not there', async () => {
      const { store } = current();
      expect(await store.repository('9')).toBeNull();
      expect(await store.repositoryByName('no/such')).toBeNull();
      expect(await store.issue(issue)).toBeNull();
      expect(await store.newestEpisode('I_12')).toBeNull();
      expect(await store.newestRun('task-1')).toBeNull();
      expect(await store.batch('batch-1')).toBeNull();
      expect(await store.newestBatch('1001', 'nightly')).toBeNull();
      expect(await store.tasksOfIssue(issue)).toEqual([]);
      expect(await store.nextNotBefore(T0)).toBeNull();
      expect(await store.countRequeues(issue, T0, 'episode_1')).toBe(0);
    });

    it('tracks issues with unfinished tasks, and those that an episode ended lately', async () => {
      const { store } = current();
      const ended = { state: 'cancelled', endedByEpisodeId: 'episode-1', finishedAt: T0 } as const;
      const of = (number: number, id: string, given: Parameters<typeof insertTask>[0]) =>
        insertTask({ id, issueNumber: number, ...given });
      await store.commit([
        of(1, 'waiting', { state: 'waiting' }),
        of(2, 'blocked', { state: 'blocked' }),
        of(2, 'running', { state: 'running' }),
        of(3, 'ended', ended),
        of(4, 'ended-early', { ...ended, finishedAt: new Date(T0.getTime() - 5000) }),
        of(5, 'succeeded', { state: 'done', finishedAt: T0 }),
        insertTask({ id: 'unlinked', issueNumber: null }),
      ]);
      const since = new Date(T0.getTime() - 1000);
      const tracked = (await store.trackedIssues(since)).map(({ number }) => number);
      expect([...tracked].sort()).toEqual([1, 2, 3]);
    });

    it('tracks issues whose lock keeps a message back', async () => {
      const { store } = current();
      await store.commit([owe('locked', { number: 7 }), owe('refused', { number: 8 })]);
      for (const lease of await store.outbox.claim('one', 9, 60_000)) {
        await store.outbox.release(lease, { state: lease.item.id as 'locked' | 'refused', error: '403' });
      }
      expect(await store.trackedIssues(T0)).toEqual([{ repositoryId: repository.id, number: 7 }]);
    });

    it('finds the episode of the latest close, whichever was stored last', async () => {
      const { store } = current();
      await store.commit([
        insertEpisode({ id: 'newer', closedAt: inSeconds(current(), 10) }),
        insertEpisode({ id: 'older', closedAt: inSeconds(current(), 5) }),
        insertEpisode({ id: 'other', nodeId: 'I_13', closedAt: inSeconds(current(), 20) }),
      ]);
      expect((await store.newestEpisode('I_12'))?.id).toBe('newer');
    });

    it('finds tasks by issue and by batch', async () => {
      const { store } = current();
      await store.commit([
        insertBatch(),
        insertTask({ id: 'b', batchId: 'batch-1', position: 1 }),
        insertTask({ id: 'a', batchId: 'batch-1', position: 0, issueNumber: 13 }),
        insertTask({ id: 'single' }),
      ]);
      expect(idsOf(await store.tasksOfBatch('batch-1'))).toEqual(['a', 'b']);
      expect(idsOf(await store.tasksOfIssue(issue)).sort()).toEqual(['b', 'single']);
    });

    it('finds the newest run of a task', async () => {
      const { store } = current();
      await store.commit([
        insertTask({ id: 'a', runNumber: 10 }),
        insertTask({ id: 'b', runNumber: 1 }),
        insertRun({ id: 'a-9', taskId: 'a', number: 9, state: 'failed' }),
        insertRun({ id: 'a-10', taskId: 'a', number: 10, state: 'stopping' }),
        insertRun({ id: 'b-1', taskId: 'b', number: 1, state: 'lost' }),
      ]);
      expect((await store.newestRun('a'))?.id).toBe('a-10');
    });

    it('names all live runs, the oldest first, with the runner, repository and batch of each', async () => {
      const { store } = current();
      await store.commit([
        putRepository,
        insertBatch(makeBatch({ id: 'nightly-1' })),
        insertTask({ id: 'a' }),
        insertTask({ id: 'b', batchId: 'nightly-1' }),
        insertTask({ id: 'c' }),
        insertRun({ id: 'a-1', taskId: 'a', state: 'running', createdAt: inSeconds(current(), 2) }),
        insertRun({ id: 'b-1', taskId: 'b', state: 'starting', runner: 'lab-3', createdAt: inSeconds(current(), 1) }),
        insertRun({ id: 'c-1', taskId: 'c', state: 'succeeded' }),
      ]);
      expect(await store.liveRuns()).toEqual([
        { id: 'b-1', taskId: 'b', runner: 'lab-3', state: 'starting', repositoryId: '1001', batchId: 'nightly-1' },
        { id: 'a-1', taskId: 'a', runner: 'local', state: 'running', repositoryId: '1001', batchId: null },
      ]);
    });

    it('finds the newest batch of a name', async () => {
      const { store } = current();
      const older = makeBatch({ id: 'z', state: 'failed', createdAt: T0 });
      const newer = makeBatch({ id: 'a', createdAt: inSeconds(current(), 9) });
      await store.commit([insertBatch(newer), insertBatch(older), insertBatch({ id: 'x', name: 'weekly' })]);
      expect(await store.newestBatch('1001', 'nightly')).toEqual(newer);
    });

    it('gives startable tasks by priority, age, position and key', async () => {
      const { store } = current();
      const old = inSeconds(current(), -10);
      await store.commit([
        insertTask({ id: '5', key: 'b', position: 1 }),
        insertTask({ id: '4', key: 'a', position: 1 }),
        insertTask({ id: '3', key: 'c', position: 0 }),
        insertTask({ id: '2', createdAt: old, position: 7 }),
        insertTask({ id: '1', priority: 3 }),
        insertTask({ id: '6', priority: -1 }),
        insertTask({ id: 'held', hold: { reason: null, actor: 'ada', at: T0 } }),
        insertTask({ id: 'waiting', state: 'waiting' }),
        insertTask({ id: 'later', notBefore: inSeconds(current(), 1) }),
      ]);
      expect(idsOf(await store.startable(current().now(), 99, NONE))).toEqual(['1', '2', '3', '4', '5', '6']);
      expect(idsOf(await store.startable(current().now(), 2, NONE))).toEqual(['1', '2']);
    });

    it('leaves out the startable tasks of the batches and repositories that are named', async () => {
      const { store } = current();
      await store.commit([
        putRepository,
        insertBatch(makeBatch({ id: 'full' })),
        insertBatch(makeBatch({ id: 'free', name: 'weekly' })),
        insertTask({ id: 'a', batchId: 'full' }),
        insertTask({ id: 'b', batchId: 'free' }),
        insertTask({ id: 'c', batchId: null }),
        { write: 'repository.put', repository: { ...repository, id: '8', fullName: 'acme/gadgets' } },
        insertTask({ id: 'd', batchId: null, repositoryId: '8' }),
      ]);
      const startable = (except: object) => store.startable(current().now(), 9, { ...NONE, ...except });
      expect(idsOf(await startable({ batchIds: ['full'] })).sort()).toEqual(['b', 'c', 'd']);
      expect(idsOf(await startable({ repositoryIds: ['8'] })).sort()).toEqual(['a', 'b', 'c']);
      expect(idsOf(await startable({ batchIds: ['full'], repositoryIds: ['8'] })).sort()).toEqual(['b', 'c']);
    });

    it('gives the members of a batch by position, with what the batch goes by', async () => {
      const { store } = current();
      await store.commit([
        putRepository,
        insertBatch(makeBatch({ id: 'nightly-1' })),
        insertTask({ id: 'b', key: 'train', batchId: 'nightly-1', position: 1, needs: ['fetch'], state: 'waiting' }),
        insertTask({
          id: 'a',
          key: 'fetch',
          needs: [],
          batchId: 'nightly-1',
          position: 0,
          hold: { reason: null, actor: 'ada', at: T0 },
        }),
        insertTask({ id: 'c', key: 'other', batchId: null }),
      ]);
      expect(await store.membersOfBatch('nightly-1')).toEqual([
        { id: 'a', key: 'fetch', state: 'ready', cause: null, stopping: false },
        { id: 'b', key: 'train', state: 'waiting', cause: null, stopping: false },
      ]);
    });

    it('calls a member stopping whose run is being stopped, whatever it becomes then', async () => {
      const { store } = current();
      const ending = { state: 'cancelled', cause: 'command', actor: 'ada', episodeId: null } as const;
      const requeue = { reason: 'issue_reopened', actor: 'ada', episodeId: null } as const;
      const member = (id: string, target: Task['target']) =>
        insertTask({ id, batchId: 'batch-1', state: 'running', target });
      await store.commit([
        insertBatch(),
        member('ended', { effect: null, ending, becomes: 'ended' }),
        member('requeued', { becomes: 'requeued', requeue, ending, effect: null }),
        member('retried', { becomes: 'retried', cause: 'timeout', ending, effect: null }),
        member('working', null),
      ]);
      const stopping = (await store.membersOfBatch('batch-1')).filter((each) => each.stopping);
      expect(idsOf(stopping).sort()).toEqual(['ended', 'requeued', 'retried']);
    });

    it('gives members by their ids, and what each task of a batch needs', async () => {
      const { store } = current();
      const inBatch = (id: string, needs: string[] = []) => insertTask({ id, key: id, needs, batchId: 'batch-1' });
      await store.commit([insertBatch(), inBatch('a'), inBatch('b', ['a']), inBatch('c', ['a', 'b'])]);
      expect(idsOf(await store.members(['c', 'a', 'unknown'])).sort()).toEqual(['a', 'c']);
      expect(await store.members([])).toEqual([]);
      const many = Array.from({ length: 2_000 }, (_, index) => `no-${index}`);
      expect(idsOf(await store.members([...many, 'b']))).toEqual(['b']);
      expect((await store.needsOfBatch('batch-1')).map(({ key, needs }) => [key, needs]).sort()).toEqual([
        ['a', []],
        ['b', ['a']],
        ['c', ['a', 'b']],
      ]);
    });

    it('gives tasks whose moves their batch has not followed, until it has followed that very version', async () => {
      const { store } = current();
      const inBatch = (id: string, needsDue: boolean) => insertTask({ id, key: id, batchId: 'batch-1', needsDue });
      await store.commit([insertBatch(), inBatch('a', true), inBatch('b', false), inBatch('c', true)]);
      expect(idsOf(await store.needsDueOf('batch-1', 9)).sort()).toEqual(['a', 'c']);
      expect(await store.needsDueOf('batch-1', 1)).toHaveLength(1);
      await store.commit([{ write: 'task.update', id: 'c', version: 1, set: { state: 'done' } }]);
      const followed = (id: string) => ({ write: 'task.followed' as const, id, version: 1 });
      // It is no guard: what else is in the commit is written.
      expect(await store.commit([followed('a'), followed('c'), followed('unknown')])).toBe(true);
      expect(await store.needsDueOf('batch-1', 9)).toEqual([{ id: 'c', key: 'c', version: 2 }]);
      expect(await store.task('a')).toMatchObject({ needsDue: false, version: 1 });
    });

    it('outlines a batch: how many tasks are in which state, and whether one may start', async () => {
      const { store } = current();
      const hold = { reason: null, actor: 'ada', at: T0 };
      const inBatch = (id: string, set: Partial<Task>) => insertTask({ id, key: id, batchId: 'batch-1', ...set });
      await store.commit([
        insertBatch(),
        inBatch('a', { state: 'done', cause: 'run_succeeded' }),
        inBatch('b', { state: 'done', cause: 'run_succeeded' }),
        inBatch('c', { state: 'done', cause: 'api' }),
        inBatch('d', { state: 'ready', hold }),
      ]);
      const outline = await store.outlineOfBatch('batch-1');
      expect(outline.startable).toBe(false);
      expect(outline.counts).toHaveLength(3);
      expect(outline.counts).toEqual(
        expect.arrayContaining([
          { state: 'done', cause: 'run_succeeded', count: 2 },
          { state: 'done', cause: 'api', count: 1 },
          { state: 'ready', cause: null, count: 1 },
        ]),
      );
      await store.commit([inBatch('e', { state: 'ready' })]);
      expect(await store.outlineOfBatch('batch-1')).toMatchObject({ startable: true });
    });

    it('tells when the next ready task may start', async () => {
      const { store, now } = current();
      await store.commit([
        insertTask({ id: 'past', notBefore: inSeconds(current(), -1) }),
        insertTask({ id: 'second', notBefore: inSeconds(current(), 9) }),
        insertTask({ id: 'first', notBefore: inSeconds(current(), 5) }),
        insertTask({ id: 'done', state: 'done', notBefore: inSeconds(current(), 2) }),
      ]);
      expect(await store.nextNotBefore(now())).toEqual(inSeconds(current(), 5));
      await store.commit([
        { write: 'task.update', id: 'past', version: 1, set: { notBefore: inSeconds(current(), 5) } },
      ]);
      expect(idsOf(await store.startable(inSeconds(current(), 5), 9, NONE)).sort()).toEqual(['first', 'past']);
    });

    it('counts the reopens that requeued tasks of an issue since a time, each once', async () => {
      const { store } = current();
      const requeued = (episode: string | null) => ({ type: 'RECONCILIATION_TASK_REQUEUED', data: { episode } });
      await store.commit([
        append({ ...requeued('old'), at: inSeconds(current(), -10) }),
        append({ ...requeued('first'), at: inSeconds(current(), -5) }),
        append({ ...requeued('second'), at: inSeconds(current(), -1) }),
        append({ ...requeued('second'), at: inSeconds(current(), -1) }),
        append({ ...requeued('this'), at: inSeconds(current(), -1) }),
        append({ ...requeued('elsewhere'), issueNumber: 13 }),
        // By an issue that blocked it.
        append({ ...requeued(null), at: inSeconds(current(), -1) }),
        append({ type: 'TASK_DONE' }),
      ]);
      expect(await store.countRequeues(issue, inSeconds(current(), -5), 'this')).toBe(2);
    });
  });
}
