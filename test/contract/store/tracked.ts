import { beforeEach, describe, expect, it } from 'vitest';
import { isEnded, TASK_STATES, type Task } from '../../../src/core/task.ts';
import type { Write } from '../../../src/engine/ports.ts';
import { type Current, inSeconds } from './context.ts';
import {
  insertTask,
  makeBlocker,
  makeIssue,
  makeTask,
  owe,
  putBlocker,
  putRepository,
  repository,
  T0,
} from './records.ts';

const gadgets = { id: '2002', fullName: 'acme/gadgets', installationId: 77 };
const quiet = { id: '3003', fullName: 'acme/quiet', installationId: 77 };
const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id);
const numbersOf = (items: readonly { number: number }[]) => items.map(({ number }) => number).sort((a, b) => a - b);

export function describeTracked(current: Current): void {
  describe('what a sweep looks after', () => {
    beforeEach(async () => {
      const others: Write[] = [gadgets, quiet].map((each) => ({ write: 'repository.put', repository: each }));
      await current().store.commit([putRepository, ...others]);
    });

    const ended = (given: Partial<Task> = {}): Partial<Task> => ({
      ...{ state: 'cancelled', endedByEpisodeId: 'episode-1', finishedAt: T0 },
      ...given,
    });
    const sinceBefore = () => inSeconds(current(), -1);

    it('is nothing where no task has an issue', async () => {
      const { store } = current();
      await store.commit([insertTask({ issueNumber: null })]);
      expect(await store.trackedRepositories(T0)).toEqual([]);
      expect(await store.isTracked(repository.id, T0)).toBe(false);
      expect(await store.trackedNumbers(repository.id, { since: T0, after: 0, limit: 9 })).toEqual([]);
    });

    it.each<[string, Partial<Task>, boolean]>([
      ...TASK_STATES.filter((state) => !isEnded(state)).map((state): [string, Partial<Task>, boolean] => [
        `is ${state}`,
        { state },
        true,
      ]),
      ['an episode ended lately', ended(), true],
      ['an episode ended before then', ended({ finishedAt: new Date(T0.getTime() - 5_000) }), false],
      ['an episode ended at that very time', ended({ finishedAt: new Date(T0.getTime() - 1_000) }), false],
      ['ended by itself', ended({ endedByEpisodeId: null }), false],
    ])('the issue of a task that %s: %o %s', async (_, given, tracked) => {
      const { store } = current();
      await store.commit([insertTask({ ...given, issueNumber: 5, repositoryId: gadgets.id })]);
      const since = sinceBefore();
      expect(await store.trackedRepositories(since)).toEqual(tracked ? [gadgets.id] : []);
      expect(await store.isTracked(gadgets.id, since)).toBe(tracked);
      expect(await store.isTracked(repository.id, since)).toBe(false);
      expect(await store.trackedNumbers(gadgets.id, { since, after: 0, limit: 9 })).toEqual(tracked ? [5] : []);
    });

    it('is what anything ended lately, where that is asked for', async () => {
      const { store } = current();
      const given = ended({ endedByEpisodeId: null, issueNumber: 5, repositoryId: gadgets.id });
      const long = { finishedAt: new Date(T0.getTime() - 5_000), issueNumber: 6 };
      await store.commit([insertTask({ id: 'lately', ...given }), insertTask({ id: 'long-ago', ...given, ...long })]);
      const since = sinceBefore();
      expect(await store.isTracked(gadgets.id, since, 'close')).toBe(false);
      expect(await store.isTracked(gadgets.id, since, 'anything')).toBe(true);
      expect(await store.isTracked(repository.id, since, 'anything')).toBe(false);
      const page = { since, endedBy: 'anything', after: 0, limit: 9 } as const;
      expect(await store.trackedNumbers(gadgets.id, page)).toEqual([5]);
      expect(await store.trackedIssues(since, 'anything')).toEqual([{ repositoryId: gadgets.id, number: 5 }]);
      expect(await store.trackedIssues(since)).toEqual([]);
    });

    it('is also what blocks the issues of unfinished tasks, and where a lock keeps a message back', async () => {
      const { store } = current();
      const blocking = (number: number, blocked: number) =>
        putBlocker({ number: blocked, label: `acme/gadgets#${number}`, blocker: { repositoryId: gadgets.id, number } });
      await store.commit([
        insertTask({ id: 'waits', issueNumber: 12 }),
        insertTask({ id: 'is-over', issueNumber: 13, state: 'done' }),
        blocking(7, 12),
        blocking(8, 13),
        putBlocker({ label: 'hidden#1', blocker: { repositoryId: null, number: 0 } }),
        owe('locked', { repositoryId: quiet.id, number: 3 }),
      ]);
      const [lease] = await store.outbox.claim('one', 9, 60_000);
      await store.outbox.release(lease!, { state: 'locked', error: '403' });
      const numbersIn = (id: string) => store.trackedNumbers(id, { since: T0, after: 0, limit: 9 });
      expect(await store.trackedRepositories(T0)).toEqual([repository.id, gadgets.id, quiet.id]);
      expect(await Promise.all([repository, gadgets, quiet].map(({ id }) => numbersIn(id)))).toEqual([[12], [7], [3]]);
      expect(await Promise.all([gadgets, quiet].map(({ id }) => store.isTracked(id, T0)))).toEqual([true, true]);
    });

    it('comes in pages, each issue once, in order', async () => {
      const { store } = current();
      await store.commit([
        ...[30, 2, 10, 2, 10, 100].map((number, index) => insertTask({ id: `task-${index}`, issueNumber: number })),
        insertTask({ id: 'ended', issueNumber: 10, ...ended() }),
        putBlocker({ number: 2, blocker: { repositoryId: repository.id, number: 30 } }),
        putBlocker({ number: 2, label: 'acme/widgets#4', blocker: { repositoryId: repository.id, number: 4 } }),
      ]);
      const page = (after: number) => store.trackedNumbers(repository.id, { since: sinceBefore(), after, limit: 3 });
      expect(await page(0)).toEqual([2, 4, 10]);
      expect(await page(10)).toEqual([30, 100]);
      expect(await page(100)).toEqual([]);
    });

    it('is what all tracked issues together are', async () => {
      const { store } = current();
      await store.commit([
        ...[5, 1, 9].map((number) => insertTask({ id: `task-${number}`, issueNumber: number })),
        insertTask({ id: 'other', issueNumber: 4, repositoryId: gadgets.id, ...ended() }),
      ]);
      const since = sinceBefore();
      const paged = [];
      for (const repositoryId of await store.trackedRepositories(since)) {
        const numbers = await store.trackedNumbers(repositoryId, { since, after: 0, limit: 99 });
        paged.push(...numbers.map((number) => ({ repositoryId, number })));
      }
      expect(paged).toEqual(await store.trackedIssues(since));
    });

    it('gives the issues of a repository by their numbers, those that have a row', async () => {
      const { store } = current();
      const issue = (number: number, repositoryId = repository.id): Write => ({
        write: 'issue.insert',
        issue: makeIssue({ number, repositoryId }),
      });
      await store.commit([issue(1), issue(2), issue(3), issue(1, gadgets.id)]);
      const asked = [3, 1, ...Array.from({ length: 398 }, (_, index) => 1_000 + index)];
      const found = await store.issuesOf(repository.id, asked);
      expect(numbersOf(found)).toEqual([1, 3]);
      expect(found).toContainEqual(makeIssue({ number: 3 }));
      expect(await store.issuesOf(repository.id, [])).toEqual([]);
    });

    it('notes where a transferred issue went', async () => {
      const { store } = current();
      const movedTo = 'https://github.com/acme/gadgets/issues/3';
      await store.commit([{ write: 'issue.insert', issue: makeIssue() }]);
      const ref = { repositoryId: repository.id, number: 12 };
      await store.commit([{ write: 'issue.update', ref, version: 1, set: { presence: 'transferred', movedTo } }]);
      expect(await store.issue(ref)).toEqual(makeIssue({ presence: 'transferred', movedTo, version: 2 }));
    });

    it('gives what the issues of a repository are blocked by', async () => {
      const { store } = current();
      await store.commit([
        putBlocker(),
        putBlocker({ label: 'acme/tools#8', blocker: { repositoryId: '2002', number: 8 } }),
        putBlocker({ number: 13 }),
        putBlocker({ number: 14 }),
        putBlocker({ repositoryId: gadgets.id }),
      ]);
      const edges = await store.blockersAmong(repository.id, [12, 14, 99]);
      expect(numbersOf(edges)).toEqual([12, 12, 14]);
      expect(edges).toContainEqual(makeBlocker());
      expect(await store.blockersAmong(repository.id, [])).toEqual([]);
    });

    it('gives unfinished tasks of a repository, the newest first', async () => {
      const { store } = current();
      const newer = makeTask({ id: 'newer', createdAt: inSeconds(current(), 1), issueNumber: null, state: 'blocked' });
      await store.commit([
        insertTask({ id: 'a' }),
        insertTask({ id: 'b', state: 'running' }),
        { write: 'task.insert', task: newer },
        insertTask({ id: 'over', state: 'failed' }),
        insertTask({ id: 'elsewhere', repositoryId: gadgets.id }),
      ]);
      expect(idsOf(await store.unfinishedTasks(repository.id, 9))).toEqual(['newer', 'b', 'a']);
      expect(await store.unfinishedTasks(repository.id, 1)).toEqual([newer]);
    });
  });
}
