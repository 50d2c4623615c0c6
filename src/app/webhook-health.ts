/** How it stands with what GitHub delivers, as `/readyz` shows it. */
import type { MissedState } from '../engine/missed/index.ts';

/** Counts are of those that are not forgotten yet. */
export function renderWebhooks({ counts, oldestMissedAt, gaveUpAt, lookedAt, refusal }: MissedState): object {
  return {
    ...counts,
    oldest_missed_at: oldestMissedAt?.toISOString() ?? null,
    last_given_up_at: gaveUpAt?.toISOString() ?? null,
    looked_at: lookedAt?.toISOString() ?? null,
    problem: refusal,
  };
}
