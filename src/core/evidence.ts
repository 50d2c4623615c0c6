/** What a run that its runner lost may have left: commits on a branch that its task names. */

export type Evidence =
  /** `base` has not got these commits, and they were not there before the run. */
  | { found: 'commits'; branch: string; base: string; aheadBy: number }
  | { found: 'none'; why: string }
  /** GitHub gave no answer, or none that can be used; `retryable`: it may give one later. */
  | { found: 'unreadable'; why: string; retryable: boolean };
