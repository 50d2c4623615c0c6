import { beforeEach, describe, expect, it } from 'vitest';
import type { OutboxLease, Write } from '../../../src/engine/ports.ts';
import { type Current, inSeconds } from './context.ts';
import {
  insertEpisode,
  insertRun,
  insertTask,
  makeEpisode,
  makeRun,
  makeTask,
  owe,
  putRepository,
  repository,
} from './records.ts';

const MINUTE = 60_000;
const idsOf = (leases: readonly OutboxLease[]) => leases.map(({ item }) => item.id);

export function describeOutbox(current: Current): void {
  const commit = (...writes: readonly Write[]) => current().store.commit(writes);
  const claim = (limit = 9, leaseMs = MINUTE) => current().store.outbox.claim('one', limit, leaseMs);

  async function claimOne(leaseMs = MINUTE): Promise<OutboxLease> {
    const [lease] = await claim(1, leaseMs);
    if (lease === undefined) throw new Error('nothing was due');
    return lease;
  }

  describe('outbox', () => {
    beforeEach(async () => {
      await commit(putRepository);
    });

    it('gives a message with what is needed to send it', async () => {
      const dueAt = inSeconds(current(), -1);
      const createdAt = inSeconds(current(), -2);
      await commit(owe('m', { key: 'close:episode-1', dueAt, createdAt }));
      const lease = await claimOne();
      expect(lease.takenOver).toBe(false);
      expect(lease.item).toEqual({
        id: 'm',
        key: 'close:episode-1',
        kind: 'outcome',
        repositoryId: repository.id,
        number: 12,
        state: 'owed',
        dueAt,
        remoteId: null,
        bodyHash: null,
        failures: 0,
        lastError: null,
        createdAt,
        sentAt: null,
      });
      expect(await current().store.outbox.holds(lease)).toBe(true);
    });

    it('gives no message before it is due', async () => {
      await commit(owe('m', { dueAt: inSeconds(current(), 5) }));
      expect(await claim()).toEqual([]);
      expect(await current().store.outbox.nextDue()).toEqual(inSeconds(current(), 5));
      current().advance(5000);
      expect(idsOf(await claim())).toEqual(['m']);
    });

    it('gives one message per issue at a time, in the order they were made', async () => {
      const { outbox } = current().store;
      const now = current().now();
      await commit(
        owe('second', { createdAt: inSeconds(current(), -1), dueAt: now }),
        owe('first', { createdAt: inSeconds(current(), -2), dueAt: now }),
        owe('elsewhere', { number: 13, createdAt: now, dueAt: now }),
      );
      const [first, elsewhere] = await claim();
      expect([first?.item.id, elsewhere?.item.id]).toEqual(['first', 'elsewhere']);
      expect(await claim()).toEqual([]);
      await outbox.release(first!, { state: 'sent' });
      expect(idsOf(await claim())).toEqual(['second']);
    });

    it('never gives two messages of an issue to simultaneous claimers', async () => {
      const now = current().now();
      const numbers = Array.from({ length: 8 }, (_, i) => 100 + i);
      await commit(
        ...numbers.flatMap((number) =>
          ['a', 'b', 'c'].map((part) => owe(`${number}-${part}`, { number, dueAt: now, createdAt: now })),
        ),
      );
      const claims = await Promise.all(Array.from({ length: 10 }, () => claim(3)));
      const claimed = claims.flat().map(({ item }) => item.number);
      expect([...claimed].sort()).toEqual(numbers);
    });

    it('does not ask to be claimed while another message of the issue is held', async () => {
      const now = current().now();
      await commit(owe('first', { dueAt: now }), owe('second', { dueAt: now }));
      await claimOne();
      const next = await current().store.outbox.nextDue();
      expect(next !== null && next > now).toBe(true);
    });

    it('keeps what became of a sent message', async () => {
      const { outbox, queries } = current().store;
      const sentAt = inSeconds(current(), 0);
      await commit(owe('m'));
      const lease = await claimOne();
      expect(await outbox.release(lease, { state: 'sent', remoteId: '555', bodyHash: 'abc', sentAt })).toBe(true);
      const view = await outbox.view('m');
      expect(view?.item).toMatchObject({ state: 'sent', remoteId: '555', bodyHash: 'abc', sentAt, failures: 0 });
      expect(await claim()).toEqual([]);
      expect(await outbox.nextDue()).toBeNull();
      expect((await queries.backlog()).messages).toBe(0);
    });

    it('counts a failure and waits for the time that is given', async () => {
      const { outbox } = current().store;
      await commit(owe('m'));
      await outbox.release(await claimOne(), { state: 'owed', dueAt: inSeconds(current(), 30), error: '502' });
      expect(await claim()).toEqual([]);
      current().advance(30_000);
      const lease = await claimOne();
      expect(lease.item).toMatchObject({ failures: 1, lastError: '502' });
      expect(lease.takenOver).toBe(false);
      await outbox.release(lease, { state: 'sent' });
      expect((await outbox.view('m'))?.item).toMatchObject({ failures: 0, lastError: null });
    });

    it('counts no status among what is waited for, and sends it all the same', async () => {
      await commit(owe('m', { key: 'status:1#12', kind: 'status' }));
      expect((await current().store.queries.backlog()).messages).toBe(0);
      expect(idsOf(await claim())).toEqual(['m']);
    });

    it('owes a key once, due at the earlier of both times', async () => {
      const at = (id: string, seconds: number) => owe(id, { key: 'close:e', dueAt: inSeconds(current(), seconds) });
      await commit(at('m', 9), at('n', 5));
      await commit(at('o', 7));
      expect(await current().store.queries.backlog()).toMatchObject({ messages: 1 });
      expect(await current().store.outbox.nextDue()).toEqual(inSeconds(current(), 5));
      current().advance(5000);
      expect(idsOf(await claim())).toEqual(['m']);
    });

    it('owes a sent or refused message again, at the new time, with its comment’s id', async () => {
      const { outbox } = current().store;
      for (const state of ['sent', 'refused'] as const) {
        await commit(owe(state, { key: state }));
        await outbox.release(await claimOne(), { state, remoteId: '555' });
        await commit(owe('other', { key: state, dueAt: inSeconds(current(), 4) }));
        expect(await outbox.nextDue()).toEqual(inSeconds(current(), 4));
        current().advance(4000);
        const lease = await claimOne();
        expect(lease.item).toMatchObject({ id: state, remoteId: '555', state: 'owed' });
        await outbox.release(lease, { state: 'sent' });
      }
    });

    it('keeps messages of a locked issue back until it is unlocked', async () => {
      const { outbox, queries } = current().store;
      await commit(owe('m'), owe('elsewhere', { number: 13 }), owe('refused', { key: 'refused', number: 12 }));
      for (const lease of await claim()) await outbox.release(lease, { state: 'locked', error: '403', remoteId: '5' });
      await outbox.release(await claimOne(), { state: 'refused' });
      expect(await outbox.nextDue()).toBeNull();
      expect((await queries.backlog()).messages).toBe(0);
      const dueAt = inSeconds(current(), 3);
      await commit({ write: 'outbox.unlock', ref: { repositoryId: repository.id, number: 12 }, dueAt });
      expect(await outbox.nextDue()).toEqual(dueAt);
      current().advance(3000);
      const [lease, ...others] = await claim();
      expect(lease?.item).toMatchObject({ id: 'm', state: 'owed', remoteId: '5', lastError: '403' });
      expect(others).toEqual([]);
    });

    it('owes a message again whose issue was unlocked while GitHub refused it as locked', async () => {
      const { outbox } = current().store;
      await commit(owe('m'));
      const lease = await claimOne();
      const dueAt = inSeconds(current(), 3);
      await commit({ write: 'outbox.unlock', ref: { repositoryId: repository.id, number: 12 }, dueAt });
      expect(await claim()).toEqual([]);
      await outbox.release(lease, { state: 'locked', error: '403', dueAt });
      expect((await outbox.view('m'))?.item.state).toBe('owed');
      expect(await outbox.nextDue()).toEqual(dueAt);
    });

    it('tells that an unlocked issue made something due', async () => {
      const before = current().wakeUps();
      const ref = { repositoryId: repository.id, number: 12 };
      await commit({ write: 'outbox.unlock', ref, dueAt: current().now() });
      expect(current().wakeUps()).toBe(before + 1);
    });

    it('leaves a message owed that was owed again while it was being sent', async () => {
      const { outbox } = current().store;
      await commit(owe('m', { key: 'close:e' }));
      const lease = await claimOne();
      await commit(owe('n', { key: 'close:e', dueAt: inSeconds(current(), 2) }));
      expect(await claim()).toEqual([]);
      expect(await outbox.release(lease, { state: 'sent', remoteId: '555', bodyHash: 'abc' })).toBe(true);
      expect((await outbox.view('m'))?.item).toMatchObject({ state: 'owed', remoteId: '555', bodyHash: 'abc' });
      expect(await outbox.nextDue()).toEqual(inSeconds(current(), 2));
      current().advance(2000);
      expect((await claimOne()).takenOver).toBe(false);
    });

    it('waits out a failure’s back-off even if it was owed again meanwhile', async () => {
      const { outbox } = current().store;
      await commit(owe('m', { key: 'close:e' }));
      const lease = await claimOne();
      await commit(owe('n', { key: 'close:e', dueAt: current().now() }));
      await outbox.release(lease, { state: 'owed', dueAt: inSeconds(current(), 60), error: 'rate limit' });
      expect(await outbox.nextDue()).toEqual(inSeconds(current(), 60));
    });

    it('tells whoever takes a message over that it may have been sent', async () => {
      const { outbox } = current().store;
      await commit(owe('m'));
      const lost = await claimOne(0);
      expect(await outbox.holds(lost)).toBe(false);
      const taken = await claimOne();
      expect(taken.takenOver).toBe(true);
      expect(await outbox.holds(lost)).toBe(false);
      expect(await outbox.holds(taken)).toBe(true);
      expect(await outbox.release(lost, { state: 'sent', remoteId: '1' })).toBe(false);
      expect(await outbox.release(taken, { state: 'sent', remoteId: '2' })).toBe(true);
      expect((await outbox.view('m'))?.item.remoteId).toBe('2');
    });

    it('gives a dead process’s message away at once after a reclaim, as taken over', async () => {
      const { store } = current();
      await commit(owe('m'));
      await claimOne();
      await store.queue.reclaim();
      const next = await store.outbox.nextDue();
      expect(next !== null && next <= current().now()).toBe(true);
      expect((await claimOne()).takenOver).toBe(true);
    });

    it('after the clock was set back owes what is due later by so much sooner', async () => {
      await commit(owe('m', { dueAt: inSeconds(current(), 3_605) }));
      await current().store.queue.bringForward(3_600_000);
      expect(await claim()).toEqual([]);
      current().advance(5_000);
      expect(idsOf(await claim())).toEqual(['m']);
    });

    it('shows everything that a message is rendered from', async () => {
      const { store } = current();
      const task = makeTask({ id: 'task-1', position: 1, state: 'running' });
      const first = makeTask({ id: 'task-2', position: 0, state: 'ready' });
      const line = { taskId: 'task-1', runId: 'run-1', effect: 'stopping', result: 'done' } as const;
      await store.commit([
        insertEpisode(),
        { write: 'task.insert', task },
        { write: 'task.insert', task: first },
        insertRun({ state: 'stopping' }),
        { write: 'outbox.line', key: 'close:episode-1', line },
        {
          write: 'outbox.line',
          key: 'close:episode-1',
          line: { taskId: 'task-2', runId: null, effect: 'ended', result: 'cancelled' },
        },
        owe('m', { key: 'close:episode-1' }),
      ]);
      expect(await store.outbox.view('m')).toMatchObject({
        item: { id: 'm', key: 'close:episode-1' },
        repository,
        episode: makeEpisode(),
        lines: [
          { line: { taskId: 'task-2', runId: null, effect: 'ended', result: 'cancelled' }, task: first, run: null },
          { line, task, run: makeRun({ state: 'stopping' }) },
        ],
      });
    });

    it('replaces a task’s line of the same message', async () => {
      const { store } = current();
      const line = (effect: 'stopping' | 'stopped') =>
        ({
          write: 'outbox.line',
          key: 'reopen:episode-1',
          line: { taskId: 'task-1', runId: 'run-1', effect, result: 'done' },
        }) as const;
      await store.commit([insertEpisode(), insertTask(), insertRun(), owe('m', { key: 'reopen:episode-1' })]);
      await store.commit([line('stopping'), owe('m', { key: 'reopen:episode-1' })]);
      await store.commit([line('stopped'), owe('m', { key: 'reopen:episode-1' })]);
      const view = await store.outbox.view('m');
      expect(view?.lines.map(({ line: { effect } }) => effect)).toEqual(['stopped']);
      expect(view?.episode?.id).toBe('episode-1');
    });

    it('names no episode where its key names none, and knows no message that is not there', async () => {
      await commit(owe('m', { key: 'failure:task-1:2' }));
      expect((await current().store.outbox.view('m'))?.episode).toBeNull();
      expect(await current().store.outbox.view('n')).toBeNull();
    });
  });
}
