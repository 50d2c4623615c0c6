import { beforeEach, describe, expect, it } from 'vitest';
import type { MissedDelivery, Write } from '../../../src/engine/ports.ts';
import { type Current, inSeconds } from './context.ts';
import { insertRun, insertTask, putRepository, T0 } from './records.ts';

const makeMissed = (given: Partial<MissedDelivery> = {}): MissedDelivery => ({
  guid: '0b989ba4-242f-11e5-81e1-c7b6966d2516',
  attemptId: '9007199254740993',
  event: 'issues',
  action: 'closed',
  deliveredAt: T0,
  asked: 0,
  askedAt: null,
  state: 'missed',
  ...given,
});
const putMissed = (given: Partial<MissedDelivery> = {}): Write => ({ write: 'missed.put', missed: makeMissed(given) });

export function describeUpkeep(current: Current): void {
  describe('missed deliveries', () => {
    it('are kept as they were put last', async () => {
      const { store } = current();
      const { guid } = makeMissed();
      expect(await store.missedDelivery(guid)).toBeNull();
      await store.commit([putMissed()]);
      expect(await store.missedDelivery(guid)).toEqual(makeMissed());
      const asked = makeMissed({ attemptId: '77', action: null, asked: 1, askedAt: T0, state: 'given_up' });
      await store.commit([{ write: 'missed.put', missed: asked }]);
      expect(await store.missedDelivery(guid)).toEqual(asked);
    });

    it('are given by state, the oldest first', async () => {
      const { store } = current();
      const at = (guid: string, seconds: number, state: MissedDelivery['state'] = 'missed') =>
        putMissed({ guid, state, deliveredAt: inSeconds(current(), seconds) });
      await store.commit([at('c', 3), at('a', 1), at('b', 2), at('came', 0, 'recovered')]);
      const guids = async (state: MissedDelivery['state'], limit: number) =>
        (await store.missedDeliveries(state, limit)).map(({ guid }) => guid);
      expect(await guids('missed', 2)).toEqual(['a', 'b']);
      expect(await guids('recovered', 9)).toEqual(['came']);
      expect(await guids('given_up', 9)).toEqual([]);
    });

    it('are counted in every state', async () => {
      const { store } = current();
      expect(await store.countMissed()).toEqual({ missed: 0, recovered: 0, given_up: 0 });
      await store.commit([
        putMissed({ guid: 'a' }),
        putMissed({ guid: 'b' }),
        putMissed({ guid: 'c', state: 'given_up' }),
      ]);
      expect(await store.countMissed()).toEqual({ missed: 2, recovered: 0, given_up: 1 });
    });

    it('are told from those that were stored here, settled or not', async () => {
      const { store } = current();
      expect(await store.hasDelivery('d-1')).toBe(false);
      await store.inbox.insert({ id: 'd-1', event: 'issues', payload: '{}', receivedAt: T0 });
      expect(await store.hasDelivery('d-1')).toBe(true);
      await store.commit([{ write: 'delivery.settle', id: 'd-1', outcome: 'processed', at: T0 }]);
      expect(await store.hasDelivery('d-1')).toBe(true);
    });
  });

  describe('cursors', () => {
    it('are kept by name, as they were put last', async () => {
      const { store } = current();
      const put = (name: string, value: string): Write => ({ write: 'cursor.put', name, value, at: T0 });
      expect(await store.cursor('hook')).toBeNull();
      await store.commit([put('hook', '1'), put('other', 'x')]);
      await store.commit([put('hook', '{"page":"v1_2"}')]);
      expect(await store.cursor('hook')).toBe('{"page":"v1_2"}');
      expect(await store.cursor('other')).toBe('x');
    });
  });

  describe('runs whose logs may go', () => {
    beforeEach(async () => {
      await current().store.commit([putRepository]);
    });

    it('ended before then, and their tasks are over', async () => {
      const { store } = current();
      const early = inSeconds(current(), -10);
      const run = (id: string, taskId: string, endedAt: Date | null, number = 1) =>
        insertRun({ id, taskId, number, endedAt, state: endedAt === null ? 'running' : 'failed' });
      await store.commit([
        insertTask({ id: 'over', state: 'done' }),
        insertTask({ id: 'going-on', state: 'ready' }),
        run('old', 'over', early),
        run('at-that-time', 'over', T0, 2),
        run('never-ended', 'over', null, 3),
        run('may-be-asked-for', 'going-on', early),
      ]);
      const ids = ['old', 'at-that-time', 'never-ended', 'may-be-asked-for', 'unknown'];
      expect(await store.forgettableRuns(ids, T0)).toEqual(['old']);
      // Of one that was lost, voided or never started nobody knows more than that.
      await store.commit([
        insertRun({ id: 'lost', taskId: 'over', number: 4, state: 'lost', endedAt: null, goneAt: early }),
        insertRun({ id: 'just-lost', taskId: 'over', number: 5, state: 'lost', endedAt: null, goneAt: T0 }),
      ]);
      const found = await store.forgettableRuns(['old', 'lost', 'just-lost'], T0);
      expect(found.toSorted()).toEqual(['lost', 'old']);
      await store.commit([insertRun({ id: 'unseen', taskId: 'over', number: 6, state: 'lost', goneAt: null })]);
      expect((await store.unseenRuns()).map(({ id }) => id)).toEqual(['unseen']);
      const many = Array.from({ length: 2_000 }, (_, index) => `no-${index}`);
      expect(await store.forgettableRuns([...many, 'old'], T0)).toEqual(['old']);
    });
  });

  describe('keys that fail', () => {
    const MINUTE = 60_000;

    async function failOne(error: string, dueInSeconds = 5): Promise<void> {
      const { queue } = current().store;
      const [lease] = await queue.claim('one', 1, MINUTE);
      await queue.fail(lease!, inSeconds(current(), dueInSeconds), error);
    }

    it('tell since when, what of, and when they are tried next', async () => {
      const { store, now, advance } = current();
      await store.queue.enqueue([{ key: 'issue:1#2', dueAt: now() }]);
      expect(await store.failingKeys(9)).toEqual([]);
      const since = now();
      await failOne('first');
      advance(5_000);
      await failOne('second', 30);
      expect(await store.failingKeys(9)).toEqual([
        { key: 'issue:1#2', failures: 2, error: 'second', since, dueAt: inSeconds(current(), 30) },
      ]);
    });

    it('come in the order in which they began to fail', async () => {
      const { store, now, advance } = current();
      for (const key of ['b', 'c', 'a']) {
        await store.queue.enqueue([{ key, dueAt: now() }]);
        await failOne('no', 3_600);
        advance(1_000);
      }
      expect((await store.failingKeys(2)).map(({ key }) => key)).toEqual(['b', 'c']);
    });

    it('are those no more that were asked for again meanwhile and then succeeded', async () => {
      const { store, now, advance } = current();
      await store.queue.enqueue([{ key: 'a', dueAt: now() }]);
      await failOne('no');
      advance(5_000);
      const [lease] = await store.queue.claim('one', 1, MINUTE);
      await store.queue.enqueue([{ key: 'a', dueAt: now() }]);
      await store.queue.complete(lease!);
      expect(await store.failingKeys(9)).toEqual([]);
      const since = now();
      await failOne('again');
      expect(await store.failingKeys(9)).toMatchObject([{ key: 'a', failures: 1, since }]);
    });
  });
}
