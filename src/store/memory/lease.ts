/**
 * Rules that the work queue and the outbox share. A row is held while its lease runs; the fence is new with every claim, so
 * that whoever comes back with an older one has lost the lease.
 */

export interface Leased {
  leaseUntil: Date | null;
  /** 0 before the first claim. */
  fence: number;
  /** When it is due by whoever asked for it while it was held; null: nobody did. */
  askedAgain: Date | null;
}

export const NEVER_HELD: Leased = Object.freeze({ leaseUntil: null, fence: 0, askedAgain: null });

/** One for all rows: a key that leaves the queue and comes back must not begin again with an old holder's fence. */
export function makeFences(): () => number {
  let last = 0;
  return () => {
    last += 1;
    return last;
  };
}

export function isClaimable({ leaseUntil }: Leased, dueAt: Date, now: Date): boolean {
  return leaseUntil === null ? dueAt <= now : leaseUntil <= now;
}

export function isHeldBy(row: Leased | undefined, fence: number): row is Leased & { leaseUntil: Date } {
  return row !== undefined && row.fence === fence && row.leaseUntil !== null;
}

export function leaseEnd(now: Date, leaseMs: number): Date {
  return new Date(now.getTime() + leaseMs);
}

export function earlier(one: Date | null, other: Date): Date {
  return one !== null && one < other ? one : other;
}

/** A copy of the first of them. */
export function earliest(times: readonly (Date | null)[]): Date | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : new Date(known.reduce(earlier).getTime());
}
