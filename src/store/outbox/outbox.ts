/** Messages owed to GitHub, as rows: one at a time per issue, in the order they were made. */
import type { Clock, Outbox, OutboxLease } from '../../engine/ports.ts';
import type { Connection } from '../database.ts';
import { retryConflicts } from '../errors.ts';
import { earliest, inOurTime } from '../lease.ts';
import { claimItems, isAnythingDue } from './claim.ts';
import { notOfIssues, readHeldIssues } from './held-issues.ts';
import { makeMerging } from './merge.ts';
import { makePace } from './pace.ts';
import { held, releaseItem } from './release.ts';
import { viewItems } from './view.ts';

export function makeOutbox(connection: Connection, now: Clock): Outbox {
  const { db, dialect } = connection;

  async function holds(lease: OutboxLease): Promise<boolean> {
    const clock = await dialect.leaseClock(db);
    return (await db.outboxItem.count({ where: { ...held(lease), leaseUntil: { gt: clock } } })) > 0;
  }

  async function nextDue(): Promise<Date | null> {
    const clock = await dialect.leaseClock(db);
    const heldIssues = await readHeldIssues(db, clock);
    const owed = { state: 'owed', mergedInto: null };
    const [due, leased] = await Promise.all([
      db.outboxItem.findFirst({
        where: { ...owed, leaseUntil: null, ...notOfIssues(heldIssues) },
        orderBy: { dueAt: 'asc' },
        select: { dueAt: true },
      }),
      db.outboxItem.findFirst({
        where: { ...owed, leaseUntil: { not: null } },
        orderBy: { leaseUntil: 'asc' },
        select: { leaseUntil: true },
      }),
    ]);
    const leaseEnds = leased?.leaseUntil && inOurTime(leased.leaseUntil, clock, now());
    return earliest(due?.dueAt ?? null, leaseEnds ?? null);
  }

  async function claim(...[owner, limit, leaseMs, paused = []]: Parameters<Outbox['claim']>) {
    const moment = async (statements: typeof db | Parameters<typeof claimItems>[0]) => ({
      now: now(),
      leaseClock: await dialect.leaseClock(statements),
      paused,
    });
    if (!(await isAnythingDue(db, await moment(db)))) return [];
    return db.$transaction(async (transaction) => {
      await dialect.serialiseOutboxClaims(transaction);
      return claimItems(transaction, { owner, limit, leaseMs, ...(await moment(transaction)) });
    });
  }

  return {
    ...makePace(connection, now),
    ...makeMerging(connection),
    claim: (...asked) => retryConflicts(() => claim(...asked)),
    holds,
    release: (lease, result) =>
      retryConflicts(() =>
        db.$transaction((transaction) => releaseItem(transaction, dialect, { lease, result, now: now() })),
      ),
    view: async (itemId) => (await viewItems(db, { where: { id: itemId } }))[0] ?? null,
    nextDue,
  };
}
