/**
 * The queue of keys, as rows. What is asked at every look is written out, so that an index alone answers it. Who holds a key, and that it is
 * worked off, need not be on the disk: after a loss of power it is done once more.
 */
import { join, sqltag as sql } from '@prisma/client/runtime/client';
import type { Clock, OnEnqueued, WorkLease, WorkQueue } from '../engine/ports.ts';
import { bringForward } from './bring-forward.ts';
import type { Connection, Database } from './database.ts';
import { retryConflicts } from './errors.ts';
import type { Prisma } from './generated/sqlite/client.ts';
import { earliest, fromTimeColumn, inOurTime, LONG_GONE, leaseEnd, PARKED, type TimeColumn } from './lease.ts';
import { held, upsertWorkKeys } from './work-keys.ts';

export function makeQueue(
  connection: Connection,
  { now, onEnqueued }: { now: Clock; onEnqueued: OnEnqueued },
): WorkQueue {
  const { db, dialect } = connection;
  const lazily = <T>(work: () => Promise<T>): Promise<T> => retryConflicts(() => dialect.unhurried(work));

  /** Behind what another claimer took meanwhile more may be due, which nobody would look for before the next poll. */
  async function claim(owner: string, limit: number, leaseMs: number): Promise<readonly WorkLease[]> {
    const { claimed, missed } = await lazily(() => claimOnce(owner, limit, leaseMs));
    if (missed === 0) return claimed;
    // What is held already is not lost with a failure: the next look meets it again.
    return [...claimed, ...(await claim(owner, missed, leaseMs).catch(() => []))];
  }

  async function claimOnce(
    owner: string,
    limit: number,
    leaseMs: number,
  ): Promise<{ claimed: readonly WorkLease[]; missed: number }> {
    const clock = await dialect.leaseClock(db);
    const at = now();
    const keys = await readClaimable(db, { now: at, clock, limit });
    if (keys.length === 0) return { claimed: [], missed: 0 };
    // The condition is asked again by the update: what another claimer took meanwhile is not claimable any more.
    const rows = await db.$queryRaw<{ key: string; fence: bigint; failures: number }[]>(sql`
      UPDATE work_keys SET owner = ${owner}, lease_until = ${leaseEnd(clock, leaseMs)}, due_at = ${PARKED}, fence = fence + 1
      WHERE key IN (${join(keys)}) AND ((lease_until IS NULL AND due_at <= ${at}) OR lease_until <= ${clock})
      RETURNING key, fence, failures`);
    const claimed = rows
      .map((row) => ({ ...row, fence: Number(row.fence) }))
      .sort((a, b) => keys.indexOf(a.key) - keys.indexOf(b.key));
    return { claimed, missed: keys.length - claimed.length };
  }

  async function complete(lease: WorkLease): Promise<boolean> {
    const { count } = await db.workKey.deleteMany({ where: { ...held(lease), dueAt: PARKED } });
    if (count === 0) await giveUp(lease, { failures: 0, lastError: null, failingSince: null });
    return count > 0;
  }

  async function fail(lease: WorkLease, dueAt: Date, error: string): Promise<void> {
    const failed = { failures: { increment: 1 }, lastError: error };
    const { count } = await db.workKey.updateMany({
      where: { ...held(lease), dueAt: { gt: dueAt } },
      data: { ...failed, dueAt, owner: null, leaseUntil: null },
    });
    if (count === 0) await giveUp(lease, failed);
    const { key } = lease;
    await db.workKey.updateMany({
      where: { key, failures: { gt: 0 }, failingSince: null },
      data: { failingSince: now() },
    });
  }

  /** Enqueued meanwhile: it stays due as it was asked for. */
  async function giveUp(lease: WorkLease, data: Prisma.WorkKeyUpdateManyMutationInput): Promise<void> {
    await db.workKey.updateMany({ where: held(lease), data: { ...data, owner: null, leaseUntil: null } });
  }

  async function renew(lease: WorkLease, leaseMs: number): Promise<boolean> {
    const clock = await dialect.leaseClock(db);
    const data = { leaseUntil: leaseEnd(clock, leaseMs) };
    const { count } = await db.workKey.updateMany({ where: held(lease), data });
    return count > 0;
  }

  async function nextDue(): Promise<Date | null> {
    const [row] = await db.$queryRaw<{ due: TimeColumn; leased: TimeColumn }[]>(sql`
      SELECT (SELECT MIN(due_at) FROM work_keys WHERE lease_until IS NULL) AS due,
        (SELECT MIN(lease_until) FROM work_keys WHERE lease_until IS NOT NULL) AS leased`);
    const leased = fromTimeColumn(row?.leased ?? null);
    const leaseEnds = leased && inOurTime(leased, await dialect.leaseClock(db), now());
    return earliest(fromTimeColumn(row?.due ?? null), leaseEnds);
  }

  async function reclaim(): Promise<void> {
    const leased = { where: { leaseUntil: { not: null } }, data: { leaseUntil: LONG_GONE } };
    await db.workKey.updateMany(leased);
    await db.outboxItem.updateMany(leased);
  }

  return {
    claim,
    renew: (lease, leaseMs) => dialect.unhurried(() => renew(lease, leaseMs)),
    complete: (lease) => lazily(() => complete(lease)),
    fail: (lease, dueAt, error) => lazily(() => fail(lease, dueAt, error)),
    enqueue: async (keys) => {
      if (keys.length === 0) return;
      await retryConflicts(() => upsertWorkKeys(db, keys));
      onEnqueued('work', new Date(Math.min(...keys.map(({ dueAt }) => dueAt.getTime()))));
    },
    enqueueForOthers: (keys) => retryConflicts(() => upsertWorkKeys(db, keys)),
    nextDue,
    reclaim,
    bringForward: async (byMs) => {
      await bringForward(connection, now(), byMs);
      onEnqueued('work', now());
      onEnqueued('owed', now());
    },
  };
}

/** The keys of holders that are gone first, then what is due, the oldest first. */
async function readClaimable(
  db: Database,
  { now, clock, limit }: { now: Date; clock: Date; limit: number },
): Promise<readonly string[]> {
  const rows = await db.$queryRaw<{ key: string }[]>(sql`
    SELECT key FROM (
      SELECT key FROM work_keys WHERE lease_until <= ${clock} ORDER BY lease_until LIMIT ${limit}) AS left_behind
    UNION ALL
    SELECT key FROM (
      SELECT key FROM work_keys WHERE lease_until IS NULL AND due_at <= ${now} ORDER BY due_at LIMIT ${limit}) AS due`);
  return rows.slice(0, limit).map(({ key }) => key);
}
