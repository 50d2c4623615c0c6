import { beforeEach, describe, expect, it } from 'vitest';
import type { EdgeState } from '../../../src/core/blockers/blocker.ts';
import type { Write } from '../../../src/engine/ports.ts';
import type { Current } from './context.ts';
import { append, insertTask, makeBlocker, makeIssue, putBlocker, putRepository, repository, T0 } from './records.ts';

const issue = { repositoryId: repository.id, number: 12 };
const later = new Date('2026-03-01T13:00:00.456Z');
const failing: Write = { write: 'task.update', id: 'no-such-task', version: 1, set: {} };

export function describeBlockers(current: Current): void {
  describe('blockers', () => {
    beforeEach(async () => {
      await current().store.commit([putRepository]);
    });

    it('keeps what an issue is blocked by, by label', async () => {
      const { store } = current();
      const readable = makeBlocker({ label: 'acme/tools#7', addedBy: 'ada', state: 'kept', removedBy: 'eve' });
      const elsewhere = makeBlocker({ label: 'else/where#1', blocker: { repositoryId: null, number: 1 } });
      await store.commit([putBlocker(elsewhere), putBlocker(readable), putBlocker({ number: 13 })]);
      expect(await store.blockersOf(issue)).toEqual([readable, elsewhere]);
      expect(await store.blockersOf({ ...issue, number: 99 })).toEqual([]);
    });

    it('has one edge for each issue, source and label: the one that was put last', async () => {
      const { store } = current();
      const fromBody = makeBlocker({ source: 'body', state: 'pending', addedBy: 'ada' });
      const replaced = makeBlocker({
        blocker: { repositoryId: null, number: 8 },
        state: 'leaving',
        addedBy: null,
        removedBy: 'eve',
        at: later,
      });
      await store.commit([putBlocker({ addedBy: 'ada' }), putBlocker(fromBody)]);
      expect(await store.commit([putBlocker(replaced)])).toBe(true);
      expect(await store.blockersOf(issue)).toEqual([fromBody, replaced]);
    });

    it('removes the one edge that is named, and minds none that is gone already', async () => {
      const { store } = current();
      const removal: Write = { write: 'blocker.delete', blocker: makeBlocker() };
      await store.commit([putBlocker(), putBlocker({ source: 'body' }), putBlocker({ number: 13 })]);
      expect(await store.commit([removal])).toBe(true);
      expect(await store.commit([removal])).toBe(true);
      expect(await store.blockersOf(issue)).toEqual([makeBlocker({ source: 'body' })]);
      expect(await store.blockersOf({ ...issue, number: 13 })).toHaveLength(1);
    });

    it('neither makes, replaces nor removes an edge when a guard of the same commit fails', async () => {
      const { store } = current();
      await store.commit([putBlocker(), putBlocker({ source: 'body' })]);
      const removal: Write = { write: 'blocker.delete', blocker: makeBlocker() };
      const changes = [putBlocker({ source: 'body', state: 'refused' }), putBlocker({ label: 'new/one#1' }), removal];
      expect(await store.commit([...changes, failing])).toBe(false);
      expect(await store.blockersOf(issue)).toEqual([makeBlocker({ source: 'body' }), makeBlocker()]);
    });

    it('takes the same edge from several at once', async () => {
      const { store } = current();
      const putting = Array.from({ length: 12 }, (_, i) =>
        store.commit([append(), putBlocker({ addedBy: `user-${i}` }), append()]),
      );
      expect(await Promise.all(putting)).toEqual(putting.map(() => true));
      expect(await store.blockersOf(issue)).toHaveLength(1);
    });

    it('takes no edge of a repository that is not known', async () => {
      await expect(current().store.commit([putBlocker({ repositoryId: '9' })])).rejects.toThrow();
    });

    it('names the issues that an issue blocks, each once, whatever state the edges are in', async () => {
      const { store } = current();
      const states: readonly EdgeState[] = ['pending', 'active', 'refused', 'leaving', 'kept'];
      await store.commit([
        { write: 'repository.put', repository: { id: '2002', fullName: 'acme/tools', installationId: null } },
        ...states.map((state, index) => putBlocker({ number: 20 - index, state })),
        putBlocker({ number: 20, source: 'body' }),
        putBlocker({ repositoryId: '2002', number: 3 }),
        putBlocker({ number: 30, label: 'acme/tools#8', blocker: { repositoryId: '2002', number: 8 } }),
        putBlocker({ number: 31, label: 'else/where#7', blocker: { repositoryId: null, number: 7 } }),
      ]);
      expect(await store.issuesBlockedBy({ repositoryId: '2002', number: 7 })).toEqual([
        ...[16, 17, 18, 19, 20].map((number) => ({ repositoryId: '1001', number })),
        { repositoryId: '2002', number: 3 },
      ]);
      expect(await store.issuesBlockedBy({ repositoryId: '2002', number: 99 })).toEqual([]);
    });

    it('tracks the readable issues that issues with unfinished tasks are blocked by, each once', async () => {
      const { store } = current();
      const blockedBy = (number: number, blocker: { repositoryId: string | null; number: number }) =>
        putBlocker({ number, label: `o/${blocker.repositoryId}#${blocker.number}`, blocker });
      await store.commit([
        insertTask({ id: 'waiting', issueNumber: 12, state: 'waiting' }),
        insertTask({ id: 'blocked', issueNumber: 13, state: 'blocked' }),
        insertTask({ id: 'done', issueNumber: 14, state: 'done' }),
        insertTask({ id: 'closed', issueNumber: 15, state: 'done', endedByEpisodeId: 'episode-1', finishedAt: later }),
        insertTask({ id: 'unlinked', issueNumber: null }),
        blockedBy(12, { repositoryId: '2002', number: 7 }),
        blockedBy(12, { repositoryId: null, number: 8 }),
        blockedBy(12, { repositoryId: '1001', number: 13 }),
        blockedBy(13, { repositoryId: '2002', number: 7 }),
        blockedBy(13, { repositoryId: '1001', number: 5 }),
        blockedBy(14, { repositoryId: '2002', number: 9 }),
        blockedBy(15, { repositoryId: '2002', number: 10 }),
        blockedBy(16, { repositoryId: '2002', number: 11 }),
      ]);
      expect(await store.trackedIssues(T0)).toEqual([
        ...[5, 12, 13, 15].map((number) => ({ repositoryId: '1001', number })),
        { repositoryId: '2002', number: 7 },
      ]);
    });

    it('keeps what an issue says of its blockers', async () => {
      const { store } = current();
      const said = { dependsOn: ['#3', 'acme/tools#7'], blockedByCount: 2, blockersDue: true };
      const known = makeIssue(said);
      await store.commit([{ write: 'issue.insert', issue: known }]);
      expect(await store.issue(issue)).toEqual(known);
      const set = { dependsOn: [], blockedByCount: null, blockersDue: false };
      await store.commit([{ write: 'issue.update', ref: issue, version: 1, set }]);
      expect(await store.issue(issue)).toEqual({ ...known, ...set, version: 2 });
      await store.commit([{ write: 'issue.update', ref: issue, version: 2, set: said }]);
      expect(await store.issue(issue)).toEqual({ ...known, version: 3 });
    });

    it('keeps what a task need not wait for any more, and why it starts later', async () => {
      const { store } = current();
      const released = [{ blocker: 'acme/tools#7', actor: 'ada', at: later }];
      const set = { released, notBefore: later, notBeforeReason: 'its issue can’t be read', notBeforeTold: true };
      await store.commit([insertTask(), insertTask({ id: 'task-2', ...set })]);
      expect(await store.task('task-2')).toMatchObject(set);
      await store.commit([{ write: 'task.update', id: 'task-1', version: 1, set }]);
      expect(await store.task('task-1')).toMatchObject(set);
      const none = { released: [], notBefore: null, notBeforeReason: null, notBeforeTold: false };
      await store.commit([{ write: 'task.update', id: 'task-1', version: 2, set: none }]);
      expect(await store.task('task-1')).toMatchObject(none);
    });
  });
}
