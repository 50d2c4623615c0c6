/** The plan's fixed bounds. Times in milliseconds. */
import type { Run } from '../run.ts';

/** A linked task starts only on an issue state confirmed this recently. */
export const START_FRESHNESS_MS = 60_000;

/** Whether what was seen then is still good for a start. Seen after `now`, it was before the clock was set back: nobody knows how long. */
export function isFresh(seenAt: Date, now: Date): boolean {
  return Math.abs(now.getTime() - seenAt.getTime()) <= START_FRESHNESS_MS;
}

/** A run that its runner positively knows nothing of is lost only when it is older than this. */
export const NO_RECORD_GRACE_MS = 120_000;

export function lostFromOf({ startedAt, createdAt }: Pick<Run, 'startedAt' | 'createdAt'>): Date {
  return new Date((startedAt ?? createdAt).getTime() + NO_RECORD_GRACE_MS);
}

/** After KILL, this long until survivors are told to people. */
export const SURVIVOR_MS = 60_000;

/** How often a stopping run is looked at, where no hint comes. */
export const STOPPING_RECHECK_MS = 250;

/** How often KILL is sent again to what is still there. */
export const KILL_AGAIN_MS = 2_000;

/** How often a run with survivors is looked at. */
export const SURVIVOR_RECHECK_MS = 5_000;

/** How often a start that got no answer is tried again. */
export const START_RETRY_MS = 1_000;

/** How often a run that its runner says nothing of is looked at for output, where it may not be silent for long. */
export const UNSEEN_RECHECK_MS = 30_000;

/** The longest back-off between two runs. */
export const MAX_BACKOFF_MS = 300_000;

/** How long a usage limit is waited for whose end nobody told, and the longest that one is waited for. */
export const UNTOLD_LIMIT_MS = 3_600_000;
export const LONGEST_LIMIT_MS = 604_800_000;

/** How often a lost run's work is looked for again, where GitHub gives no answer. */
export const EVIDENCE_AGAIN_MS = 30_000;

/** The reason of a lost run, as users and programs may match it. */
export const NO_RECORD_REASON = 'runner has no record of this run (neither active nor completed)';

/** The reason of one whose processes are gone without a record of their end, where its runner knows no better. */
export const VANISHED_REASON = 'its process vanished without an exit record';
