import { describe, expect, it } from 'vitest';
import type { WorkLease } from '../../../src/engine/ports.ts';
import { type Current, inSeconds } from './context.ts';

const MINUTE = 60_000;
const keysOf = (leases: readonly { key: string }[]) => leases.map(({ key }) => key);

export function describeWorkQueue(current: Current): void {
  const enqueue = (key: string, seconds = 0) =>
    current().store.queue.enqueue([{ key, dueAt: inSeconds(current(), seconds) }]);

  async function claimOne(leaseMs = MINUTE): Promise<WorkLease> {
    const [lease] = await current().store.queue.claim('one', 1, leaseMs);
    if (lease === undefined) throw new Error('nothing was due');
    return lease;
  }

  describe('work queue', () => {
    it('gives due keys, the oldest due first, and none that is due later', async () => {
      const { queue } = current().store;
      await enqueue('late', -1);
      await enqueue('future', 1);
      await enqueue('early', -3);
      await enqueue('now');
      expect(keysOf(await queue.claim('one', 2, MINUTE))).toEqual(['early', 'late']);
      expect(keysOf(await queue.claim('one', 9, MINUTE))).toEqual(['now']);
      current().advance(1000);
      expect(keysOf(await queue.claim('one', 9, MINUTE))).toEqual(['future']);
    });

    it('gives a held key to nobody else', async () => {
      const { queue } = current().store;
      await enqueue('a');
      await claimOne();
      await enqueue('a', -5);
      expect(await queue.claim('two', 9, MINUTE)).toEqual([]);
    });

    it('gives each key to one of many simultaneous claimers', async () => {
      const { queue } = current().store;
      const keys = Array.from({ length: 40 }, (_, i) => `key-${i}`);
      await queue.enqueue(keys.map((key) => ({ key, dueAt: current().now() })));
      const claims = await Promise.all(keys.map((owner) => queue.claim(owner, 7, MINUTE)));
      const rest = await queue.claim('rest', 100, MINUTE);
      expect([...keysOf(claims.flat()), ...keysOf(rest)].sort()).toEqual([...keys].sort());
    });

    it('forgets a key when its work is complete', async () => {
      const { store } = current();
      await enqueue('a');
      expect(await store.queue.complete(await claimOne())).toBe(true);
      expect(await store.queue.nextDue()).toBeNull();
      expect((await store.queries.backlog()).keys).toBe(0);
    });

    it('keeps a key that was enqueued while it was worked on, due as enqueued', async () => {
      const { queue } = current().store;
      await enqueue('a');
      const lease = await claimOne();
      await enqueue('a', 5);
      expect(await queue.complete(lease)).toBe(false);
      expect(await queue.claim('two', 1, MINUTE)).toEqual([]);
      expect(await queue.nextDue()).toEqual(inSeconds(current(), 5));
      current().advance(5000);
      expect(keysOf(await queue.claim('two', 1, MINUTE))).toEqual(['a']);
    });

    it('is due at the earlier of two times, also within one call', async () => {
      const { queue } = current().store;
      await queue.enqueue([
        { key: 'a', dueAt: inSeconds(current(), 9) },
        { key: 'a', dueAt: inSeconds(current(), 4) },
        { key: 'a', dueAt: inSeconds(current(), 6) },
      ]);
      expect(await queue.nextDue()).toEqual(inSeconds(current(), 4));
      await enqueue('a', 8);
      expect(await queue.nextDue()).toEqual(inSeconds(current(), 4));
      await enqueue('a', 2);
      expect(await queue.nextDue()).toEqual(inSeconds(current(), 2));
    });

    it('enqueues for other processes alike, and wakes nobody here for that', async () => {
      const { store, wakeUps } = current();
      await enqueue('a', 5);
      const before = wakeUps();
      await store.queue.enqueueForOthers(['a', 'b'].map((key) => ({ key, dueAt: current().now() })));
      expect(wakeUps()).toBe(before);
      expect(keysOf(await store.queue.claim('one', 9, MINUTE)).sort()).toEqual(['a', 'b']);
    });

    it('enqueues in a commit under the same rule', async () => {
      const { store } = current();
      const at = (seconds: number) =>
        ({ write: 'work.enqueue', key: 'a', dueAt: inSeconds(current(), seconds) }) as const;
      await store.commit([at(9), at(3)]);
      await store.commit([at(5)]);
      expect(await store.queue.nextDue()).toEqual(inSeconds(current(), 3));
    });

    it('counts failures and waits for the time that is given', async () => {
      const { queue } = current().store;
      await enqueue('a');
      await queue.fail(await claimOne(), inSeconds(current(), 10), 'GitHub answered 502');
      expect(await queue.nextDue()).toEqual(inSeconds(current(), 10));
      expect(await queue.claim('one', 1, MINUTE)).toEqual([]);
      current().advance(10_000);
      expect((await claimOne()).failures).toBe(1);
    });

    it('after a failure is due as it was enqueued meanwhile, if that is earlier', async () => {
      const { queue } = current().store;
      await enqueue('a');
      const lease = await claimOne();
      await enqueue('a', 3);
      await queue.fail(lease, inSeconds(current(), 10), 'no');
      expect(await queue.nextDue()).toEqual(inSeconds(current(), 3));
      current().advance(3000);
      const second = await claimOne();
      expect(second.failures).toBe(1);
      await enqueue('a', 20);
      await queue.fail(second, inSeconds(current(), 10), 'no');
      expect(await queue.nextDue()).toEqual(inSeconds(current(), 10));
    });

    it('forgets the failures once the work was done', async () => {
      const { queue } = current().store;
      await enqueue('a');
      await queue.fail(await claimOne(), current().now(), 'no');
      const lease = await claimOne();
      await enqueue('a');
      await queue.complete(lease);
      expect((await claimOne()).failures).toBe(0);
    });

    it('gives away a key whose holder’s lease ran out, before what is merely due', async () => {
      const { queue } = current().store;
      await enqueue('lost');
      const lost = await claimOne(0);
      await enqueue('due', -60);
      const [taken, due] = await queue.claim('two', 2, MINUTE);
      expect([taken?.key, due?.key]).toEqual(['lost', 'due']);
      expect(taken?.fence).not.toBe(lost.fence);
    });

    it('hears nothing from a holder that lost its lease', async () => {
      const { store } = current();
      const { queue } = store;
      await enqueue('a');
      const lost = await claimOne(0);
      const holder = await claimOne();
      expect(await queue.complete(lost)).toBe(false);
      await queue.fail(lost, current().now(), 'late');
      expect(await queue.renew(lost, MINUTE)).toBe(false);
      expect(await queue.claim('three', 1, MINUTE)).toEqual([]);
      expect(await queue.renew(holder, MINUTE)).toBe(true);
      await queue.complete(holder);
      expect((await store.queries.backlog()).keys).toBe(0);
    });

    it('hears nothing from a holder whose key was completed and enqueued anew', async () => {
      const { store } = current();
      await enqueue('a');
      const lost = await claimOne(0);
      await store.queue.complete(await claimOne());
      await enqueue('a');
      const holder = await claimOne();
      await store.queue.complete(lost);
      expect(await store.queue.renew(lost, MINUTE)).toBe(false);
      expect(await store.queue.renew(holder, MINUTE)).toBe(true);
      expect((await store.queries.backlog()).keys).toBe(1);
    });

    it('lets a commit through that is made in a turn, and none whose turn has passed on', async () => {
      const { store } = current();
      await enqueue('a');
      const lost = await claimOne(0);
      const written = async (lease: WorkLease, value: string) => {
        const cursor = { write: 'cursor.put', name: 'turn', value, at: current().now() } as const;
        const kept = await store.commit([{ write: 'work.held', lease }, cursor]);
        return [kept, await store.cursor('turn')];
      };
      // Its time is over, and nobody else has asked for it.
      expect(await written(lost, 'one')).toEqual([true, 'one']);
      const holder = await claimOne();
      expect(await written(lost, 'two')).toEqual([false, 'one']);
      expect(await written(holder, 'three')).toEqual([true, 'three']);
      await enqueue('a', 5);
      await store.queue.complete(holder);
      expect(await written(holder, 'four')).toEqual([false, 'three']);
      current().advance(5_000);
      expect(keysOf(await store.queue.claim('two', 1, MINUTE))).toEqual(['a']);
    });

    it('keeps a renewed lease', async () => {
      const { queue } = current().store;
      await enqueue('a');
      expect(await queue.renew(await claimOne(0), MINUTE)).toBe(true);
      expect(await queue.claim('two', 1, MINUTE)).toEqual([]);
    });

    it('tells when the next key is due or the next lease runs out', async () => {
      const { queue } = current().store;
      expect(await queue.nextDue()).toBeNull();
      await enqueue('a');
      await claimOne();
      const leaseEnd = await queue.nextDue();
      expect(leaseEnd?.getTime()).toBeGreaterThan(current().now().getTime());
      expect(leaseEnd?.getTime()).toBeLessThanOrEqual(inSeconds(current(), 60).getTime());
      await enqueue('a', -5);
      expect(await queue.nextDue()).not.toEqual(inSeconds(current(), -5));
      await enqueue('b', 1);
      expect(await queue.nextDue()).toEqual(inSeconds(current(), 1));
    });

    it('after the clock was set back is due by so much sooner, also what is held, and nothing that is due now', async () => {
      const { queue } = current().store;
      await enqueue('held', -1);
      const lease = await claimOne();
      await enqueue('held', 3_604);
      await enqueue('due', -9);
      await enqueue('soon', 3_605);
      await enqueue('past', 60);
      await queue.bringForward(3_600_000);
      await queue.complete(lease);
      expect(keysOf(await queue.claim('one', 9, MINUTE))).toEqual(['due', 'past']);
      current().advance(4_000);
      expect(keysOf(await queue.claim('one', 9, MINUTE))).toEqual(['held']);
      current().advance(1_000);
      expect(keysOf(await queue.claim('one', 9, MINUTE))).toEqual(['soon']);
    });

    it('frees what a dead process held, in both queues, without losing it', async () => {
      const { queue } = current().store;
      await enqueue('a');
      await claimOne();
      await queue.reclaim();
      const next = await queue.nextDue();
      expect(next !== null && next <= current().now()).toBe(true);
      expect((await claimOne()).key).toBe('a');
    });
  });
}
