import { beforeEach, describe, expect, it } from 'vitest';
import type { OutboxItem, OutboxLease, Write } from '../../../src/engine/ports.ts';
import { type Current, inSeconds } from './context.ts';
import { owe, putRepository, repository } from './records.ts';

const MINUTE = 60_000;
const idsOf = (leases: readonly OutboxLease[]) => leases.map(({ item }) => item.id);

/** Which message of several goes first. */
export function describeOutboxOrder(current: Current): void {
  const commit = (...writes: readonly Write[]) => current().store.commit(writes);
  const claim = (limit = 9, paused?: readonly string[]) => current().store.outbox.claim('one', limit, MINUTE, paused);
  /** Made that many seconds ago, and due since then. */
  const made = (id: string, secondsAgo: number, given: Partial<OutboxItem> = {}) => {
    const at = inSeconds(current(), -secondsAgo);
    return owe(id, { createdAt: at, dueAt: at, ...given });
  };

  /** All that can go out now, in the order in which it does. */
  async function sendAll(): Promise<string[]> {
    const sent: string[] = [];
    for (;;) {
      const [lease] = await claim(1);
      if (lease === undefined) return sent;
      sent.push(lease.item.id);
      await current().store.outbox.release(lease, { state: 'sent' });
    }
  }

  async function fail(id: string, backOffSeconds = 30): Promise<void> {
    const lease = (await claim()).find(({ item }) => item.id === id);
    if (lease === undefined) throw new Error(`${id} was not claimed`);
    await current().store.outbox.release(lease, {
      state: 'owed',
      dueAt: inSeconds(current(), backOffSeconds),
      error: '502',
    });
  }

  describe('the order of messages', () => {
    beforeEach(async () => {
      await commit(putRepository);
    });

    it('gives how tasks are after everything else that is due, however old it is', async () => {
      await commit(
        made('old-status', 9, { kind: 'status', number: 1 }),
        made('status', 8, { kind: 'status', number: 2 }),
        made('close', 4, { kind: 'close', number: 3 }),
        made('reply', 3, { kind: 'reply', number: 4 }),
        made('reaction', 2, { kind: 'reaction', number: 2 }),
        made('outcome', 1, { number: 1 }),
      );
      expect(await sendAll()).toEqual(['close', 'reply', 'reaction', 'outcome', 'old-status', 'status']);
    });

    it('lets no comment of an issue overtake an earlier one that failed and backs off', async () => {
      await commit(made('first', 9));
      await fail('first');
      await commit(
        made('outcome', 8),
        made('reply', 7, { kind: 'reply' }),
        made('notice', 6, { kind: 'notice' }),
        made('elsewhere', 5, { number: 13 }),
      );
      expect(await sendAll()).toEqual(['elsewhere']);
      current().advance(30_000);
      expect(await sendAll()).toEqual(['first', 'outcome', 'reply', 'notice']);
    });

    it('lets signs, and how tasks are, pass by a comment that backs off', async () => {
      await commit(made('first', 9));
      await fail('first');
      await commit(made('reaction', 8, { kind: 'reaction' }), made('status', 7, { kind: 'status' }));
      expect(await sendAll()).toEqual(['reaction', 'status']);
    });

    it('holds a comment back for none that was made later', async () => {
      await commit(made('later', 1));
      await fail('later');
      await commit(made('earlier', 9));
      expect(await sendAll()).toEqual(['earlier']);
    });

    it('lets comments pass by one that is only put off', async () => {
      const { outbox } = current().store;
      await commit(made('first', 9), made('second', 8));
      const [first] = await claim();
      await outbox.release(first!, { state: 'owed', dueAt: inSeconds(current(), 30) });
      expect(await sendAll()).toEqual(['second']);
    });

    it('remembers of a message that was put off that it had failed before', async () => {
      const { outbox } = current().store;
      await commit(made('m', 9));
      await fail('m', 0);
      const [lease] = await claim();
      await outbox.release(lease!, { state: 'owed', dueAt: current().now() });
      expect((await claim())[0]?.item).toMatchObject({ failures: 1, lastError: '502' });
    });

    it('closes an issue after the words that were owed before, even if they can not be said yet', async () => {
      const { outbox } = current().store;
      await commit(
        made('outcome', 9, { dueAt: inSeconds(current(), 30) }),
        made('close', 8, { kind: 'close' }),
        made('reply', 7, { kind: 'reply', dueAt: inSeconds(current(), 60) }),
      );
      expect(await sendAll()).toEqual([]);
      current().advance(30_000);
      expect(await sendAll()).toEqual(['outcome', 'close']);
      expect((await outbox.view('reply'))?.item.state).toBe('owed');
    });

    it('does not wait for words that can not be said because the issue is locked', async () => {
      const { outbox } = current().store;
      await commit(made('outcome', 9), made('close', 8, { kind: 'close' }));
      const [lease] = await claim();
      await outbox.release(lease!, { state: 'locked', error: '403' });
      expect(await sendAll()).toEqual(['close']);
    });

    it('finds what is due behind any number that have to wait', async () => {
      await commit(made('first', 99));
      await fail('first');
      await commit(
        ...Array.from({ length: 250 }, (_, index) => made(`waiting-${index}`, 50)),
        made('elsewhere', 1, { number: 13 }),
      );
      expect(idsOf(await claim())).toEqual(['elsewhere']);
    });

    it('gives nothing of an installation, or of the token, that may not write just now', async () => {
      const other = { id: '2002', fullName: 'acme/tools', installationId: 78 };
      const byToken = { id: '3003', fullName: 'acme/docs', installationId: null };
      await commit(
        { write: 'repository.put', repository: other },
        { write: 'repository.put', repository: byToken },
        made('first', 9, { repositoryId: repository.id }),
        made('second', 8, { repositoryId: other.id }),
        made('third', 7, { repositoryId: byToken.id }),
      );
      expect(await claim(9, ['installation:77', 'installation:78', 'token'])).toEqual([]);
      expect(idsOf(await claim(9, ['installation:77', 'token']))).toEqual(['second']);
      expect(idsOf(await claim(9, ['installation:7', 'installation:77']))).toEqual(['third']);
      expect(idsOf(await claim())).toEqual(['first']);
    });
  });
}
