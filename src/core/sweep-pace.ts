/** When a repository is swept next: as often as wished while there is quota to spare, more rarely towards the reserve, and not below it. Pure. */

/** What is left to others: people's own calls, comments, and the reads that a stop or a start needs. */
export const RESERVE = 0.2;

/** At the reserve a sweep comes so much more rarely. */
const WIDEST = 10;

/** How much of an interval chance moves a sweep, so that many repositories don't come at once. */
const JITTER = 0.1;

export interface Allowance {
  /** null: nothing is known of a limit, or there is none. */
  quota: { limit: number; remaining: number; resetAt: Date } | null;
  /** GitHub asked for silence until then; null: it did not. */
  pausedUntil: Date | null;
}

/** Until when nothing may be asked that can wait; null: now it may. */
export function waitsUntil({ quota, pausedUntil }: Allowance, now: Date): Date | null {
  const reset = quota !== null && quota.resetAt > now && leftOf(quota) <= RESERVE ? quota.resetAt : null;
  const pause = pausedUntil !== null && pausedUntil > now ? pausedUntil : null;
  const ends = [reset, pause].flatMap((at) => (at === null ? [] : [at.getTime()]));
  return ends.length === 0 ? null : new Date(Math.max(...ends));
}

/** In ms. `chance`: from 0 to 1. */
export function pauseBefore(intervalMs: number, { quota }: Pick<Allowance, 'quota'>, chance: number): number {
  return intervalMs * widening(quota) * (1 - JITTER + 2 * JITTER * chance);
}

/** 1 while twice the reserve is left, growing evenly to the widest at the reserve. */
function widening(quota: Allowance['quota']): number {
  if (quota === null) return 1;
  const missing = Math.min(Math.max((2 * RESERVE - leftOf(quota)) / RESERVE, 0), 1);
  return 1 + (WIDEST - 1) * missing;
}

function leftOf({ limit, remaining }: { limit: number; remaining: number }): number {
  return limit > 0 ? remaining / limit : 1;
}

/** How long after a failure it is tried again, in ms: twice as long each time, for ten minutes at most, and never sooner than asked for. */
export function retryAfter(intervalMs: number, failures: number, askedMs: number): number {
  const patience = Math.min(Math.max(intervalMs, 1_000) * 2 ** Math.min(failures, 16), LONGEST_RETRY_MS);
  return Math.max(patience, askedMs);
}

const LONGEST_RETRY_MS = 600_000;
