import type { ReconciliationError } from '../changes.ts';

/** What one pass over everything came to. */
export interface SweepResult {
  /** What was found to differ from what is stored. */
  changes: number;
  errors: readonly ReconciliationError[];
}
