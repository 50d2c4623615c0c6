import { describe, expect, it } from 'vitest';
import type { Current } from './context.ts';
import { T0 } from './records.ts';

const delivery = { id: 'd-1', event: 'issues', payload: '{"action":"closed","title":"\\u0000 é 🚂"}', receivedAt: T0 };

export function describeInbox(current: Current): void {
  describe('inbox', () => {
    it('keeps a delivery as it came until it is settled', async () => {
      const { store, now } = current();
      expect(await store.inbox.insert(delivery)).toBe('stored');
      expect(await store.inbox.pending(10)).toEqual([delivery]);
      const settle = { write: 'delivery.settle', id: 'd-1', outcome: 'processed', at: now() } as const;
      expect(await store.commit([settle])).toBe(true);
      expect(await store.inbox.pending(10)).toEqual([]);
    });

    it('tells a known id apart, whatever its body, even after it was settled', async () => {
      const { store, now } = current();
      await store.inbox.insert(delivery);
      expect(await store.inbox.insert({ ...delivery, payload: '{}' })).toBe('duplicate');
      await store.commit([{ write: 'delivery.settle', id: 'd-1', outcome: 'ignored', at: now() }]);
      expect(await store.inbox.insert(delivery)).toBe('duplicate');
      expect(await store.inbox.pending(10)).toEqual([]);
    });

    it('gives pending deliveries in the order of their arrival, whatever their ids and times', async () => {
      const { store } = current();
      for (const id of ['z', 'a', 'm']) await store.inbox.insert({ ...delivery, id });
      expect((await store.inbox.pending(2)).map(({ id }) => id)).toEqual(['z', 'a']);
    });

    it('stores one of many simultaneous copies', async () => {
      const { store } = current();
      const answers = await Promise.all(Array.from({ length: 20 }, () => store.inbox.insert(delivery)));
      expect(answers.filter((answer) => answer === 'stored')).toHaveLength(1);
      expect(await store.inbox.pending(10)).toHaveLength(1);
    });
  });
}
