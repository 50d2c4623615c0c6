/** What is to become of a delivery that did not arrive. Pure. */
import type { MissedDelivery } from '../ports.ts';

const MINUTE_MS = 60_000;
/** GitHub keeps deliveries, and sends them again, for so long: https://docs.github.com/webhooks/testing-and-troubleshooting-webhooks/redelivering-webhooks */
export const KEPT_MS = 3 * 24 * 60 * MINUTE_MS;
const MOST_ASKS = 2;
/** So long an answer to an ask may take. */
const PATIENCE_MS = 5 * MINUTE_MS;

export type Fate = { fate: 'recovered' } | { fate: 'given_up' } | { fate: 'ask' } | { fate: 'wait'; until: Date };

/** `arrived`: GitHub says so, or it is here. `now` is our clock, `githubNow` GitHub's. */
export function fateOf(
  { asked, askedAt, deliveredAt }: Pick<MissedDelivery, 'asked' | 'askedAt' | 'deliveredAt'>,
  { arrived, now, githubNow }: { arrived: boolean; now: Date; githubNow: Date },
): Fate {
  if (arrived) return { fate: 'recovered' };
  const waited = askedAt === null ? PATIENCE_MS : now.getTime() - askedAt.getTime();
  // A clock that was set back must not make it wait for longer.
  if (askedAt !== null && waited >= 0 && waited < PATIENCE_MS) {
    return { fate: 'wait', until: new Date(askedAt.getTime() + PATIENCE_MS) };
  }
  const isKept = githubNow.getTime() - deliveredAt.getTime() < KEPT_MS;
  return { fate: asked < MOST_ASKS && isKept ? 'ask' : 'given_up' };
}
