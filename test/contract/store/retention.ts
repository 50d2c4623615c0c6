import { beforeEach, describe, expect, it } from 'vitest';
import type { Write } from '../../../src/engine/ports.ts';
import { type Current, inSeconds } from './context.ts';
import {
  append,
  insertBatch,
  insertRun,
  insertTask,
  makeComment,
  makeEvent,
  owe,
  putRepository,
  repository,
  T0,
} from './records.ts';

export function describeRetention(current: Current): void {
  const at = (seconds: number) => inSeconds(current(), seconds);

  describe('retention', () => {
    beforeEach(async () => {
      await current().store.commit([putRepository]);
    });

    it('takes settled deliveries, the oldest first, at most so many at once', async () => {
      const { store } = current();
      const ids = ['new', 'older', 'oldest', 'open', 'old'];
      const seconds = [0, -20, -30, -99, -10];
      for (const [index, id] of ids.entries()) {
        await store.inbox.insert({ id, event: 'issues', payload: '{}', receivedAt: at(seconds[index]!) });
        if (id !== 'open') await store.commit([{ write: 'delivery.settle', id, outcome: 'processed', at: T0 }]);
      }
      const left = async () => {
        const found = await Promise.all(ids.map((id) => store.hasDelivery(id)));
        return ids.filter((_, index) => found[index]);
      };
      expect(await store.retention.deliveries(T0, 2)).toBe(2);
      expect(await left()).toEqual(['new', 'open', 'old']);
      expect(await store.retention.deliveries(T0, 2)).toBe(1);
      expect(await store.retention.deliveries(T0, 2)).toBe(0);
      expect(await left()).toEqual(['new', 'open']);
      expect(await store.inbox.pending(9)).toHaveLength(1);
    });

    it('takes missed deliveries whatever became of them', async () => {
      const { store } = current();
      const states = ['missed', 'recovered', 'given_up', 'missed'] as const;
      const missed = states.map((state, index): Write => {
        const about = { attemptId: '1', event: 'issues', action: null, asked: 0, askedAt: null };
        return { write: 'missed.put', missed: { guid: `g-${index}`, ...about, state, deliveredAt: at(index - 3) } };
      });
      await store.commit(missed);
      expect(await store.retention.missed(T0, 2)).toBe(2);
      expect(await store.missedDelivery('g-1')).toBeNull();
      expect(await store.missedDelivery('g-2')).not.toBeNull();
      expect(await store.retention.missed(T0, 9)).toBe(1);
      expect(await store.countMissed()).toEqual({ missed: 1, recovered: 0, given_up: 0 });
    });

    it('takes events by their age, and no others', async () => {
      const { store } = current();
      const none = { taskId: null, issueNumber: null, repositoryId: null };
      const seconds = [-10, -30, -20, 0];
      await store.commit(seconds.map((second) => append({ ...none, type: `AT${second}`, at: at(second) })));
      const left = async () => (await store.queries.events(null, 9)).map(({ type }) => type);
      expect(await store.retention.events(T0, 2)).toBe(2);
      expect(await left()).toEqual(['AT-10', 'AT0']);
      expect(await store.retention.events(T0, 2)).toBe(1);
      expect(await store.retention.events(T0, 2)).toBe(0);
    });

    it.each<[string, Parameters<typeof makeEvent>[0], boolean]>([
      ['an unfinished task', { taskId: 'going-on', issueNumber: null }, true],
      ['an issue with an unfinished task', { taskId: 'over', issueNumber: 12 }, true],
      ['a running batch', { taskId: 'over', issueNumber: null, batchId: 'live' }, true],
      ['a task that is over', { taskId: 'over', issueNumber: 13 }, false],
      ['a batch that is over', { taskId: null, issueNumber: null, batchId: 'past' }, false],
      ['an issue of that number in another repository', { taskId: null, repositoryId: '9', issueNumber: 12 }, false],
    ])('events of %s: kept? %o %s', async (_, event, kept) => {
      const { store } = current();
      await store.commit([
        insertBatch({ id: 'live' }),
        insertBatch({ id: 'past', name: 'weekly', state: 'completed' }),
        insertTask({ id: 'going-on', issueNumber: 12 }),
        insertTask({ id: 'over', issueNumber: 13, state: 'done' }),
        { write: 'event.append', event: makeEvent({ ...event, at: at(-10) }) },
      ]);
      expect(await store.retention.events(T0, 9)).toBe(kept ? 0 : 1);
      expect(await store.queries.events(null, 9)).toHaveLength(kept ? 1 : 0);
    });

    it('lets a reader of events go on from one that is gone, and gives no id twice', async () => {
      const { store } = current();
      const event = (type: string, seconds: number) =>
        append({ type, taskId: null, issueNumber: null, at: at(seconds) });
      await store.commit([event('A', -2), event('B', -1)]);
      const [a, b] = await store.queries.events(null, 9);
      expect(await store.retention.events(T0, 9)).toBe(2);
      expect(await store.queries.newestEventId()).toBeNull();
      expect(await store.queries.events(b!.id, 9)).toEqual([]);
      await store.commit([event('C', 0)]);
      const [c, ...more] = await store.queries.events(a!.id, 9);
      expect([c?.type, more]).toEqual(['C', []]);
      expect(Number(c?.id)).toBeGreaterThan(Number(b?.id));
      expect(await store.queries.events(b!.id, 9)).toEqual([c]);
      expect(await store.queries.newestEventId()).toBe(c?.id);
    });

    it('still counts the reopens of late', async () => {
      const { store } = current();
      const requeued = (episode: string, seconds: number) =>
        append({ type: 'RECONCILIATION_TASK_REQUEUED', taskId: null, data: { episode }, at: at(seconds) });
      await store.commit([requeued('early', -9_000), requeued('late', -5)]);
      expect(await store.retention.events(at(-3_600), 9)).toBe(1);
      expect(await store.countRequeues({ repositoryId: repository.id, number: 12 }, at(-9_999), 'x')).toBe(1);
    });

    it('takes comments that are answered or never will be, the oldest first', async () => {
      const { store } = current();
      const comment = (id: string, seconds: number, state: 'due' | 'handled' | 'ignored'): Write => ({
        write: 'comment.insert',
        comment: makeComment({ id, state, createdAt: at(seconds) }),
      });
      await store.commit([
        comment('1', -40, 'due'),
        comment('2', -10, 'handled'),
        comment('3', -30, 'ignored'),
        comment('4', -20, 'handled'),
        comment('5', 0, 'handled'),
      ]);
      const left = async () => {
        const found = await Promise.all(['1', '2', '3', '4', '5'].map((id) => store.comment(id)));
        return found.flatMap((each) => each?.id ?? []);
      };
      expect(await store.retention.comments(T0, 2)).toBe(2);
      expect(await left()).toEqual(['1', '2', '5']);
      expect(await store.retention.comments(T0, 2)).toBe(1);
      expect(await store.retention.comments(T0, 2)).toBe(0);
      expect(await left()).toEqual(['1', '5']);
    });

    const handled: Write = { write: 'comment.insert', comment: makeComment({ state: 'handled' }) };
    const reply = { key: 'reply:900', kind: 'reply' } as const;

    it.each([
      ['owed', true],
      ['locked', true],
      ['sent', false],
      ['refused', false],
    ] as const)('a comment whose reply is %s: kept? %s', async (state, kept) => {
      const { store } = current();
      await store.commit([handled, owe('message-1', reply)]);
      const [lease] = await store.outbox.claim('one', 9, 60_000);
      const result = { owed: { state, error: '502', dueAt: at(99) }, sent: { state }, other: { state, error: 'no' } };
      const of = state === 'owed' || state === 'sent' ? result[state] : result.other;
      await store.outbox.release(lease!, of as Parameters<typeof store.outbox.release>[1]);
      expect(await store.retention.comments(at(1), 9)).toBe(kept ? 0 : 1);
    });

    it('keeps a comment while a task that its reply tells of goes on', async () => {
      const { store } = current();
      const line = { taskId: 'task-1', runId: 'run-1', effect: 'stopped', result: 'cancelled' } as const;
      await store.commit([
        insertTask({ state: 'running' }),
        insertRun({ id: 'run-1', taskId: 'task-1', state: 'stopping' }),
        handled,
        owe('message-1', reply),
        { write: 'outbox.line', key: reply.key, line },
      ]);
      const [lease] = await store.outbox.claim('one', 9, 60_000);
      await store.outbox.release(lease!, { state: 'sent' });
      expect(await store.retention.comments(at(1), 9)).toBe(0);
      await store.commit([{ write: 'task.update', id: 'task-1', version: 1, set: { state: 'cancelled' } }]);
      expect(await store.retention.comments(at(1), 9)).toBe(1);
    });
  });
}
