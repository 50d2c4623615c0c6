/**
 * Whose fault a failure is. Only a positive signal speaks against the environment: a lost worker, or the runner's own word for
 * the end. Everything else, and what nobody knows, is the work's.
 */
import type { TaskSpec } from './documents/spec.ts';
import type { Run } from './run.ts';

export type FailureClass = 'work' | 'environment';

/** What a runner says of an end that was not the program's doing, and the words for it. */
export const ENVIRONMENT_REASONS = {
  out_of_memory: 'its host was out of memory and killed it',
  node_failure: 'its node failed',
  preempted: 'it was pre-empted',
  usage_limit: 'a usage limit was reached',
  transport: 'its connection broke',
} as const;
export type EnvironmentReason = keyof typeof ENVIRONMENT_REASONS;

/** What the stored runs of a task say of its budgets. */
export interface RunTally {
  /** Work runs of this generation that their environment ended. */
  environmentFailures: number;
  /** Verify runs since the newest work run. */
  verifies: number;
}

export const NO_RUNS: RunTally = { environmentFailures: 0, verifies: 0 };

export const DEFAULT_ENVIRONMENT_ATTEMPTS = 3;

/** `runs`: all of a task, by number. */
export function tallyOf(runs: readonly Run[], generation: number): RunTally {
  const work = runs.filter(({ purpose }) => purpose === 'work');
  const newest = work.at(-1)?.number ?? 0;
  return {
    environmentFailures: work.filter((run) => run.generation === generation && run.failureClass === 'environment')
      .length,
    verifies: runs.filter(({ number }) => number > newest).length,
  };
}

/** A work run that its environment ends. It is one more than `tally` has. */
export function hasEnvironmentBudget({ retry }: TaskSpec, { environmentFailures }: RunTally): boolean {
  return environmentFailures + 1 < environmentAttemptsOf(retry);
}

/** A work run that fails by itself, the `attempt`th of all. What the environment took is not counted. */
export function hasWorkBudget({ retry }: TaskSpec, attempt: number, { environmentFailures }: RunTally): boolean {
  return attempt - environmentFailures < retry.attempts;
}

export function environmentAttemptsOf({ environmentAttempts }: TaskSpec['retry']): number {
  return environmentAttempts ?? DEFAULT_ENVIRONMENT_ATTEMPTS;
}

/** Whether its next run may begin beside one that nobody saw end. */
export function allowsOverlap({ spec }: { spec: TaskSpec }): boolean {
  return spec.overlap === 'allowed';
}
