import { beforeEach, describe, expect, it } from 'vitest';
import type { OutboxItem, OutboxLease, Write } from '../../../src/engine/ports.ts';
import { type Current, inSeconds } from './context.ts';
import { append, insertTask, owe, putRepository, repository } from './records.ts';

const MINUTE = 60_000;

/** Several messages that become one. */
export function describeOutboxMerge(current: Current): void {
  const commit = (...writes: readonly Write[]) => current().store.commit(writes);
  const made = (id: string, secondsAgo: number, given: Partial<OutboxItem> = {}) =>
    owe(id, { createdAt: inSeconds(current(), -secondsAgo), dueAt: current().now(), ...given });
  const stateOf = async (id: string) => (await current().store.outbox.view(id))?.item.state;
  const toldBy = async (id: string) => (await current().store.outbox.mergedInto(id)).map(({ item }) => item.id);

  async function claimOne(leaseMs = MINUTE): Promise<OutboxLease> {
    const [lease] = await current().store.outbox.claim('one', 1, leaseMs);
    if (lease === undefined) throw new Error('nothing was due');
    return lease;
  }

  describe('messages that are merged', () => {
    beforeEach(async () => {
      await commit(putRepository);
    });

    it('may be those of the same issue that were never tried, in the order in which they were made', async () => {
      const { outbox } = current().store;
      await commit(made('sent', 9));
      await outbox.release(await claimOne(), { state: 'sent', remoteId: '5', sentAt: current().now() });
      await commit(made('x', 8, { key: 'command:sent', dueAt: inSeconds(current(), 99) }), made('failed', 8));
      await outbox.release(await claimOne(), { state: 'owed', dueAt: inSeconds(current(), 99), error: '502' });
      await commit(
        made('c', 3, { dueAt: inSeconds(current(), 99) }),
        made('b', 4),
        made('a', 5),
        made('reply', 4, { kind: 'reply' }),
        made('elsewhere', 4, { number: 13 }),
      );
      const head = (await outbox.view('sent'))!.item;
      expect((await outbox.mergeable(head, 9)).map(({ item }) => item.id)).toEqual(['a', 'b', 'c']);
      expect((await outbox.mergeable(head, 2)).map(({ item }) => item.id)).toEqual(['a', 'b']);
      expect((await outbox.mergeable({ ...head, id: 'a' }, 9)).map(({ item }) => item.id)).toEqual(['b', 'c']);
    });

    it('come with what they tell', async () => {
      const line = { taskId: 'task-1', runId: null, effect: 'ended', result: 'done' } as const;
      await commit(insertTask(), made('a', 5), made('b', 4), { write: 'outbox.line', key: 'command:b', line });
      const head = await claimOne();
      const [found] = await current().store.outbox.mergeable(head.item, 9);
      expect(found).toMatchObject({ item: { id: 'b' }, repository, lines: [{ line, task: { id: 'task-1' } }] });
      await current().store.outbox.merge(head, ['b']);
      expect(await current().store.outbox.mergedInto('a')).toEqual([found]);
    });

    it('are not sent by themselves, and become what the one that tells them becomes', async () => {
      const { outbox, queries } = current().store;
      await commit(made('a', 5), made('b', 4), made('c', 3));
      const head = await claimOne();
      await outbox.merge(head, ['b', 'c']);
      expect(await toldBy('a')).toEqual(['b', 'c']);
      const sentAt = current().now();
      expect(await outbox.release(head, { state: 'sent', remoteId: '5', sentAt })).toBe(true);
      expect((await outbox.view('c'))?.item).toMatchObject({ state: 'sent', sentAt, remoteId: null });
      expect(await outbox.claim('one', 9, MINUTE)).toEqual([]);
      expect(await outbox.nextDue()).toBeNull();
      expect((await queries.backlog()).messages).toBe(0);
    });

    it('stay owed, and together, while the one that tells them fails, is locked or is taken over', async () => {
      const { outbox } = current().store;
      await commit(made('a', 5), made('b', 4));
      const lost = await claimOne(0);
      await outbox.merge(lost, ['b']);
      const taken = await claimOne();
      expect(taken).toMatchObject({ item: { id: 'a' }, takenOver: true });
      expect(await toldBy('a')).toEqual(['b']);
      await outbox.release(taken, { state: 'locked', error: '403' });
      expect(await stateOf('b')).toBe('locked');
      await commit({
        write: 'outbox.unlock',
        ref: { repositoryId: repository.id, number: 12 },
        dueAt: current().now(),
      });
      const again = await claimOne();
      expect(again.item.id).toBe('a');
      expect(await outbox.claim('one', 9, MINUTE)).toEqual([]);
      await outbox.release(again, { state: 'owed', dueAt: current().now(), error: '502' });
      expect((await claimOne()).item.id).toBe('a');
    });

    it('are owed again by the one that tells them', async () => {
      const { outbox } = current().store;
      await commit(made('a', 5), made('b', 4));
      const head = await claimOne();
      await outbox.merge(head, ['b']);
      await outbox.release(head, { state: 'sent', remoteId: '5' });
      const dueAt = inSeconds(current(), 7);
      await commit(made('x', 1, { key: 'command:b', dueAt }), made('other', 1, { number: 13, dueAt }));
      expect(await stateOf('a')).toBe('owed');
      expect(await outbox.nextDue()).toEqual(dueAt);
      current().advance(7000);
      const again = await claimOne();
      expect(again.item).toMatchObject({ id: 'a', remoteId: '5' });
      await outbox.release(again, { state: 'sent' });
      expect(await stateOf('b')).toBe('sent');
    });

    it('are told once more when one of them was owed again while they were sent', async () => {
      const { outbox } = current().store;
      await commit(made('a', 5), made('b', 4));
      const head = await claimOne();
      await outbox.merge(head, ['b']);
      await commit(made('x', 1, { key: 'command:b' }));
      await outbox.release(head, { state: 'sent', remoteId: '5' });
      expect((await claimOne()).item.id).toBe('a');
    });

    it('are left alone by whoever has lost the lease', async () => {
      const { outbox } = current().store;
      await commit(made('a', 5), made('b', 4));
      const lost = await claimOne(0);
      const taken = await claimOne();
      await outbox.merge(lost, ['b']);
      expect(await toldBy('a')).toEqual([]);
      await outbox.merge(taken, ['a', 'b', 'no-such']);
      expect(await toldBy('a')).toEqual(['b']);
    });

    it('are not taken away from the one that tells them, nor with what they tell themselves', async () => {
      const { outbox } = current().store;
      await commit(made('a', 5), made('b', 4));
      const head = await claimOne(0);
      await outbox.merge(head, ['b']);
      await outbox.release(await claimOne(), { state: 'owed', dueAt: inSeconds(current(), 60) });
      await commit(made('c', 3));
      const other = await claimOne();
      expect(other.item.id).toBe('c');
      await outbox.merge(other, ['a', 'b']);
      expect(await toldBy('c')).toEqual([]);
      expect(await toldBy('a')).toEqual(['b']);
    });
  });

  describe('the end of a try', () => {
    beforeEach(async () => {
      await commit(putRepository);
    });

    it('is journalled with its result, in its order, and not by whoever has lost the lease', async () => {
      const { outbox, queries } = current().store;
      await commit(made('a', 5), append({ type: 'TASK_STARTED' }));
      const lost = await claimOne(0);
      const taken = await claimOne();
      const event = (type: string) => ({
        ...{ type, at: current().now(), repositoryId: repository.id, issueNumber: 12 },
        ...{ batchId: null, taskId: null, runId: null, data: { key: 'command:a', comment: '5' } },
      });
      expect(await outbox.release(lost, { state: 'sent', journal: [event('LOST')] })).toBe(false);
      expect(await outbox.release(taken, { state: 'sent', journal: [event('COMMENT_SENT')] })).toBe(true);
      const [, ...told] = await queries.events(null, 9);
      expect(told).toMatchObject([event('COMMENT_SENT')]);
    });

    it('forgets the comment that is gone', async () => {
      const { outbox } = current().store;
      await commit(made('a', 5));
      await outbox.release(await claimOne(), { state: 'sent', remoteId: '5', bodyHash: 'abc' });
      await commit(made('x', 1, { key: 'command:a' }));
      const result = { state: 'owed', remoteId: null, bodyHash: null } as const;
      await outbox.release(await claimOne(), result);
      expect((await claimOne()).item).toMatchObject({ remoteId: null, bodyHash: null });
    });
  });
}
