import { beforeEach, describe, expect, it } from 'vitest';
import type { Write } from '../../../src/engine/ports.ts';
import type { Current } from './context.ts';
import {
  append,
  insertBatch,
  insertEpisode,
  insertRun,
  insertTask,
  makeBatch,
  makeEpisode,
  makeIssue,
  makeRun,
  makeTask,
  owe,
  putRepository,
  repository,
  T0,
} from './records.ts';

const later = new Date('2026-03-01T13:00:00.456Z');

export function describeCommit(current: Current): void {
  describe('commit', () => {
    beforeEach(async () => {
      await current().store.commit([putRepository]);
    });

    it('stores a repository, follows its renames, and finds it by name in any case', async () => {
      const { store } = current();
      expect(await store.repository('1001')).toEqual(repository);
      const renamed = { id: '1001', fullName: 'Acme/Gadgets', installationId: null };
      await store.commit([{ write: 'repository.put', repository: renamed }]);
      expect(await store.repositoryByName('acme/GADGETS')).toEqual(renamed);
      expect(await store.repositoryByName('Acme/Widgets')).toBeNull();
    });

    it('gives a name to the repository that had it last', async () => {
      const { store } = current();
      const successor = { id: '2002', fullName: 'acme/widgets', installationId: 1 };
      await store.commit([{ write: 'repository.put', repository: successor }]);
      expect(await store.repositoryByName('Acme/Widgets')).toEqual(successor);
      expect(await store.repository('1001')).toEqual(repository);
      await store.commit([putRepository]);
      expect(await store.repositoryByName('Acme/Widgets')).toEqual(repository);
    });

    it('inserts an issue once', async () => {
      const { store } = current();
      const issue = makeIssue();
      expect(await store.commit([{ write: 'issue.insert', issue }])).toBe(true);
      expect(await store.commit([{ write: 'issue.insert', issue: makeIssue({ title: 'other' }) }])).toBe(false);
      expect(await store.issue(issue)).toEqual(issue);
    });

    it('updates an issue at its version only', async () => {
      const { store } = current();
      const issue = makeIssue();
      const set = { state: 'closed', reason: 'not_planned', closedAt: T0, actor: 'bob', readDue: true } as const;
      const update: Write = { write: 'issue.update', ref: issue, version: 1, set };
      await store.commit([{ write: 'issue.insert', issue }]);
      expect(await store.commit([update])).toBe(true);
      expect(await store.commit([update])).toBe(false);
      expect(await store.issue(issue)).toEqual({ ...issue, ...set, version: 2 });
    });

    it('stores one episode per close, whatever its id', async () => {
      const { store } = current();
      const reopen = { actor: null, authority: 'unreadable', at: later } as const;
      const episode = makeEpisode({ reopen });
      expect(await store.commit([{ write: 'episode.insert', episode }])).toBe(true);
      expect(await store.commit([insertEpisode({ id: 'episode-2' })])).toBe(false);
      expect(await store.commit([insertEpisode({ id: 'episode-2', closedAt: later })])).toBe(true);
      expect(await store.episode('episode-1')).toEqual(episode);
    });

    it('updates an episode only from the states that are named', async () => {
      const { store } = current();
      const reopen = { actor: 'eve', authority: 'pending', at: later } as const;
      const undo: Write = {
        write: 'episode.update',
        id: 'episode-1',
        from: ['acted'],
        set: { state: 'undone', reopen },
      };
      await store.commit([insertEpisode()]);
      expect(await store.commit([undo])).toBe(true);
      expect(await store.commit([undo])).toBe(false);
      expect(await store.episode('episode-1')).toEqual(makeEpisode({ state: 'undone', reopen }));
    });

    it('keeps a reopen that an update does not name, and removes one that it sets to null', async () => {
      const { store } = current();
      const reopen = { actor: 'eve', authority: 'granted', at: later } as const;
      await store.commit([insertEpisode({ reopen })]);
      await store.commit([{ write: 'episode.update', id: 'episode-1', from: ['acted'], set: { actor: 'bob' } }]);
      expect(await store.episode('episode-1')).toEqual(makeEpisode({ actor: 'bob', reopen }));
      await store.commit([{ write: 'episode.update', id: 'episode-1', from: ['acted'], set: { reopen: null } }]);
      expect(await store.episode('episode-1')).toEqual(makeEpisode({ actor: 'bob' }));
    });

    it('keeps every field of a task and updates it at its version only', async () => {
      const { store } = current();
      const task = makeTask({ issueNumber: null, notBefore: later });
      const set = {
        state: 'running',
        target: {
          becomes: 'ended',
          ending: { state: 'done', cause: 'issue_completed', actor: 'ada', episodeId: 'episode-1' },
          effect: 'close:episode-1',
        },
        hold: { reason: null, actor: 'bob', at: later },
        blockers: [{ id: 'b1', question: 'Which "seed"?', actor: 'eve', at: later }],
        notBefore: null,
        runNumber: 3,
      } as const;
      const update: Write = { write: 'task.update', id: task.id, version: 1, set };
      expect(await store.commit([{ write: 'task.insert', task }])).toBe(true);
      expect(await store.task(task.id)).toEqual(task);
      expect(await store.commit([update])).toBe(true);
      expect(await store.commit([update])).toBe(false);
      expect(await store.task(task.id)).toEqual({ ...task, ...set, version: 2 });
    });

    it('keeps each of more tasks than one statement takes, whatever stands between them', async () => {
      const { store } = current();
      const all = Array.from({ length: 2_000 }, (_, i) =>
        makeTask({ id: `task-${i}`, key: `t${i}`, position: i, batchId: 'batch-1', notBefore: i % 2 ? later : null }),
      );
      const inserts: Write[] = all.map((task) => ({ write: 'task.insert', task }));
      inserts.splice(1, 0, insertRun({ taskId: 'task-0' }));
      expect(await store.commit([insertBatch(), ...inserts])).toBe(true);
      expect(await store.tasksOfBatch('batch-1')).toEqual(all);
      expect(await store.newestRun('task-0')).not.toBeNull();
    });

    it('throws when a task that is there is inserted again, as no guard covers that', async () => {
      const { store } = current();
      await store.commit([insertTask()]);
      await expect(store.commit([insertTask()])).rejects.toThrow();
    });

    it('refuses a second run of the same number and keeps every field of the first', async () => {
      const { store } = current();
      const run = makeRun({ signal: 'TERM', exitCode: 143, survivors: [4, 5], goneAt: later, containment: 'scan' });
      await store.commit([insertTask()]);
      expect(await store.commit([{ write: 'run.insert', run }])).toBe(true);
      expect(await store.commit([insertRun({ id: 'run-2' })])).toBe(false);
      expect(await store.run('run-1')).toEqual(run);
      expect(await store.run('run-2')).toBeNull();
    });

    it('tells apart where the branch of a run was: there, not there, not read, not looked for', async () => {
      const { store } = current();
      const seen = [{ found: 'head', head: 'a'.repeat(40) }, { found: 'none' }, { found: 'unread' }, null] as const;
      const runs = seen.map((branchBefore, index) =>
        insertRun({ id: `run-${index}`, number: index + 1, branchBefore }),
      );
      await store.commit([insertTask(), ...runs]);
      const kept = await Promise.all(seen.map((_, index) => store.run(`run-${index}`)));
      expect(kept.map((run) => run?.branchBefore)).toEqual(seen);
      await store.commit([{ write: 'run.update', id: 'run-0', from: ['running', 'starting'], set: { exitCode: 0 } }]);
      expect((await store.run('run-0'))?.branchBefore).toEqual(seen[0]);
    });

    it('writes an end state once: the later result finds the guard closed', async () => {
      const { store } = current();
      await store.commit([insertTask(), insertRun({ state: 'running' })]);
      const end = (state: 'cancelled' | 'succeeded'): Write => ({
        write: 'run.update',
        id: 'run-1',
        from: ['running', 'stopping'],
        set: { state, goneAt: later, survivors: [] },
      });
      expect(await store.commit([end('cancelled')])).toBe(true);
      expect(await store.commit([end('succeeded')])).toBe(false);
      expect((await store.run('run-1'))?.state).toBe('cancelled');
    });

    it('lets one batch of a name live in a repository', async () => {
      const { store } = current();
      expect(await store.commit([insertBatch()])).toBe(true);
      expect(await store.commit([insertBatch({ id: 'batch-2' })])).toBe(false);
      expect(await store.commit([insertBatch({ id: 'batch-3', name: 'weekly' })])).toBe(true);
      const set = { state: 'partial', finishedAt: later } as const;
      expect(await store.commit([{ write: 'batch.update', id: 'batch-1', version: 1, set }])).toBe(true);
      expect(await store.commit([insertBatch({ id: 'batch-2' })])).toBe(true);
      expect(await store.batch('batch-1')).toEqual({ ...makeBatch(), ...set, version: 2 });
    });

    it('lets an ended batch run again only while no other has its name', async () => {
      const { store } = current();
      const runAgain: Write = { write: 'batch.update', id: 'batch-1', version: 1, set: { state: 'running' } };
      await store.commit([insertBatch({ state: 'failed' }), insertBatch({ id: 'batch-2' })]);
      expect(await store.commit([runAgain])).toBe(false);
      await store.commit([{ write: 'batch.update', id: 'batch-2', version: 1, set: { state: 'cancelled' } }]);
      expect(await store.commit([runAgain])).toBe(true);
      expect(await store.commit([insertBatch({ id: 'batch-3' })])).toBe(false);
    });

    it('keeps the name of a batch that is only marked stuck', async () => {
      const { store } = current();
      await store.commit([insertBatch()]);
      expect(await store.commit([{ write: 'batch.update', id: 'batch-1', version: 1, set: { stuck: true } }])).toBe(
        true,
      );
      expect(await store.commit([insertBatch({ id: 'batch-2' })])).toBe(false);
      expect(await store.batch('batch-1')).toEqual(makeBatch({ stuck: true, version: 2 }));
    });

    it('settles a delivery once', async () => {
      const { store, now } = current();
      await store.inbox.insert({ id: 'd-1', event: 'issues', payload: '{}', receivedAt: T0 });
      const settle: Write = { write: 'delivery.settle', id: 'd-1', outcome: 'malformed', at: now() };
      expect(await store.commit([settle])).toBe(true);
      expect(await store.commit([settle])).toBe(false);
    });

    it('writes nothing at all when one guard of many does not hold', async () => {
      const { store, wakeUps } = current();
      await store.commit([insertTask(), insertRun({ state: 'running' })]);
      const before = wakeUps();
      const writes: Write[] = [
        { write: 'task.update', id: 'task-1', version: 1, set: { state: 'done' } },
        insertEpisode(),
        insertBatch(),
        owe('message-1'),
        { write: 'work.enqueue', key: 'task-1', dueAt: T0 },
        append(),
        { write: 'run.update', id: 'run-1', from: ['stopping'], set: { state: 'cancelled' } },
      ];
      expect(await store.commit(writes)).toBe(false);
      expect(await store.task('task-1')).toEqual(makeTask());
      expect(await store.episode('episode-1')).toBeNull();
      expect(await store.batch('batch-1')).toBeNull();
      expect(await store.queries.backlog()).toEqual({ deliveries: 0, messages: 0, keys: 0 });
      expect(await store.queries.events(null, 10)).toEqual([]);
      expect(wakeUps()).toBe(before);
    });

    it('writes nothing when a write fails, and says so', async () => {
      const { store } = current();
      const orphan = insertRun({ id: 'run-9', taskId: 'no-such-task' });
      await expect(store.commit([insertTask(), append(), orphan])).rejects.toThrow();
      expect(await store.task('task-1')).toBeNull();
      expect(await store.queries.events(null, 10)).toEqual([]);
    });

    it('wakes the workers once the work can be claimed, and only then', async () => {
      const { store, wakeUps } = current();
      await store.commit([insertTask()]);
      expect(wakeUps()).toBe(0);
      await store.commit([{ write: 'work.enqueue', key: 'a', dueAt: T0 }, owe('message-1')]);
      // One for the keys, one for the messages: different loops look.
      expect(wakeUps()).toBe(2);
      await store.queue.enqueue([{ key: 'b', dueAt: T0 }]);
      expect(wakeUps()).toBe(3);
    });

    it('takes more at once than one statement could', async () => {
      const { store } = current();
      const messages = Array.from({ length: 8200 }, (_, number) => owe(`message-${number}`, { number }));
      expect(await store.commit(messages)).toBe(true);
      expect((await store.queries.backlog()).messages).toBe(8200);
    });

    it('lets exactly one of many simultaneous commits of the same guard through', async () => {
      const { store } = current();
      await store.commit([insertTask()]);
      const update: Write = { write: 'task.update', id: 'task-1', version: 1, set: { runNumber: 1 } };
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, i) => store.commit([update, insertRun({ id: `run-${i}` }), append()])),
      );
      expect(answers.filter(Boolean)).toHaveLength(1);
      expect(await store.queries.events(null, 100)).toHaveLength(1);
      expect((await store.task('task-1'))?.version).toBe(2);
    });
  });
}
