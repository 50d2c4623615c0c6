/**
 * The verify stage: after the work's success a run of its own decides what the task becomes. Only its exit code is a verdict;
 * without one (killed, lost, out of time) the work's success is left open, and it is sent again.
 */
import type { VerifySpec } from './documents/spec.ts';
import type { Run } from './run.ts';
import type { Task } from './task.ts';

/** So many verify runs without a verdict for one work run: the first, and two that were sent again. */
export const MAX_VERIFIES = 3;

type Specified = Pick<Task, 'spec'>;

/** null: what the run says of itself is believed. */
export function verifyOf({ spec }: Specified): VerifySpec | null {
  return spec.verify ?? null;
}

/** What a task's next run is for, by its newest run. A new generation starts at the work. */
export function nextPurpose(task: Specified & Pick<Task, 'generation'>, newest: Run | null): Run['purpose'] {
  if (verifyOf(task) === null || newest === null || newest.generation !== task.generation) return 'work';
  if (newest.purpose === 'work') return newest.state === 'succeeded' ? 'verify' : 'work';
  return isVerdict(newest) ? 'work' : 'verify';
}

/** Whether a run's end, as its runner told it, decides nothing yet. */
export function leavesOpen(task: Specified, purpose: Run['purpose'], result: Pick<Run, 'state' | 'cause'>): boolean {
  if (purpose === 'verify') return !isVerdict(result);
  return result.state === 'succeeded' && verifyOf(task) !== null;
}

/** Of a verify run's end. */
export function isVerdict({ cause }: Pick<Run, 'cause'>): boolean {
  return cause === 'run_succeeded' || cause === 'verify_failed';
}

/** It follows from the work run, so that it begins once however often that is tried. */
export function firstVerifyId(work: Pick<Run, 'id'>): string {
  return `${work.id}_verify`;
}

/** Its own limit, or the task's. */
export function timeoutOf({ spec }: Specified, { purpose }: Pick<Run, 'purpose'>): number | null {
  return (purpose === 'verify' ? spec.verify?.timeoutMinutes : null) ?? spec.timeoutMinutes;
}
