/** The queue of keys. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock, OnEnqueued, WorkLease, WorkQueue } from '../../engine/ports.ts';
import { sooner } from '../lease.ts';
import { enqueueKey } from './commit/enqueue.ts';
import type { KeyRow, Tables } from './database.ts';
import { earlier, earliest, isClaimable, isHeldBy, type Leased, leaseEnd, makeFences } from './lease.ts';
import { sortBy } from './sort.ts';

const LONG_GONE = new Date(0);

export function makeQueue(tables: Tables, { now, onEnqueued }: { now: Clock; onEnqueued: OnEnqueued }): WorkQueue {
  const { keys, items, pauses } = tables;
  const nextFence = makeFences();

  async function claim(_owner: string, limit: number, leaseMs: number): Promise<readonly WorkLease[]> {
    // Without a database to wait for, a long queue would give timers and sockets no turn.
    await nextTurn();
    const time = now();
    const due = [...keys.values()].filter((row) => isClaimable(row, row.dueAt, time));
    // Leases that ran out come first.
    const oldest = sortBy(due, ({ leaseUntil, dueAt }) => [leaseUntil ?? Number.POSITIVE_INFINITY, dueAt]);
    return oldest.slice(0, limit).map((row) => {
      const fence = nextFence();
      tables.put(keys, row.key, { ...row, leaseUntil: leaseEnd(time, leaseMs), fence, askedAgain: null });
      return { key: row.key, fence, failures: row.failures };
    });
  }

  async function renew({ key, fence }: WorkLease, leaseMs: number): Promise<boolean> {
    const row = heldRow(key, fence);
    if (row !== null) tables.put(keys, key, { ...row, leaseUntil: leaseEnd(now(), leaseMs) });
    return row !== null;
  }

  async function complete({ key, fence }: WorkLease): Promise<boolean> {
    const row = heldRow(key, fence);
    if (row === null) return false;
    if (row.askedAgain === null) return keys.delete(key);
    giveBack(row, { dueAt: row.askedAgain, failures: 0, lastError: null, failingSince: null });
    return false;
  }

  async function fail({ key, fence }: WorkLease, dueAt: Date, error: string): Promise<void> {
    const row = heldRow(key, fence);
    if (row === null) return;
    const failed = { failures: row.failures + 1, lastError: error, failingSince: row.failingSince ?? now() };
    giveBack(row, { dueAt: earlier(row.askedAgain, dueAt), ...failed });
  }

  function heldRow(key: string, fence: number): KeyRow | null {
    const row = keys.get(key);
    return row !== undefined && isHeldBy(row, fence) ? row : null;
  }

  function giveBack(row: KeyRow, set: Pick<KeyRow, 'dueAt' | 'failures' | 'lastError' | 'failingSince'>): void {
    tables.put(keys, row.key, { ...row, ...set, leaseUntil: null, askedAgain: null });
  }

  /** While a row is held its own time counts for nothing. */
  function forward({ askedAgain }: Leased, dueAt: Date, byMs: number): { dueAt: Date; askedAgain: Date | null } {
    const at = (time: Date) => (time > now() ? sooner(time, byMs, now()) : time);
    return { dueAt: at(dueAt), askedAgain: askedAgain && at(askedAgain) };
  }

  async function bringForward(byMs: number): Promise<void> {
    for (const [key, row] of keys) tables.put(keys, key, { ...row, ...forward(row, row.dueAt, byMs) });
    for (const [key, row] of items) {
      const { dueAt, askedAgain } = forward(row, row.item.dueAt, byMs);
      tables.put(items, key, { ...row, item: { ...row.item, dueAt }, askedAgain });
    }
    for (const [scope, until] of pauses) if (until > now()) tables.put(pauses, scope, sooner(until, byMs, now()));
    onEnqueued('work', now());
    onEnqueued('owed', now());
  }

  return {
    claim,
    renew,
    complete,
    fail,
    enqueueForOthers: async (entries) => {
      for (const { key, dueAt } of entries) enqueueKey(tables, key, dueAt);
    },
    enqueue: async (entries) => {
      if (entries.length === 0) return;
      for (const { key, dueAt } of entries) enqueueKey(tables, key, dueAt);
      onEnqueued('work', new Date(Math.min(...entries.map(({ dueAt }) => dueAt.getTime()))));
    },
    nextDue: async () => earliest([...keys.values()].map(({ leaseUntil, dueAt }) => leaseUntil ?? dueAt)),
    reclaim: async () => {
      for (const [key, row] of keys) if (row.leaseUntil) tables.put(keys, key, { ...row, leaseUntil: LONG_GONE });
      for (const [key, row] of items) if (row.leaseUntil) tables.put(items, key, { ...row, leaseUntil: LONG_GONE });
    },
    bringForward,
  };
}
