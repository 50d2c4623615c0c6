/**
 * Rules that the work queue and the outbox share. A row is held while its lease runs. Meanwhile its due time is parked, so
 * that a due time in reach tells that somebody asked for it again. The fence is new with every claim: whoever comes back
 * with an older one has lost the lease.
 */
import { randomInt } from 'node:crypto';

/** Later than any due time. */
export const PARKED = new Date('9999-12-31T00:00:00.000Z');

/** A lease that has run out long ago. */
export const LONG_GONE = new Date(0);

/**
 * Where a new row's fences begin. A key leaves the queue and comes back as a new row: counting from 0 again would let a
 * holder of the old row pass for the new one's.
 */
export function firstFence(): bigint {
  return BigInt(randomInt(2 ** 47));
}

export function leaseEnd(clock: Date, leaseMs: number): Date {
  return new Date(clock.getTime() + leaseMs);
}

/** By so much, and not before now. */
export function sooner(dueAt: Date, byMs: number, now: Date): Date {
  return new Date(Math.max(now.getTime(), dueAt.getTime() - byMs));
}

/** A lease's end, told by the clock that leases go by, as a time of our own clock. */
export function inOurTime(leaseUntil: Date, leaseClock: Date, now: Date): Date {
  return new Date(leaseUntil.getTime() - leaseClock.getTime() + now.getTime());
}

/** A time as a statement of our own reads it: SQLite does not say of an expression that it is one. */
export type TimeColumn = Date | string | null;

export function fromTimeColumn(column: TimeColumn): Date | null {
  return column === null ? null : new Date(column);
}

export function earliest(...times: readonly (Date | null)[]): Date | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : new Date(Math.min(...known.map((time) => time.getTime())));
}
