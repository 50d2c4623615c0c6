/** How the tasks of a batch stand, counted by state and, for those that have ended, by a plain name of why. Pure. */
import { type Cause, type EndState, isEnded, TASK_STATES, type TaskState } from '../task.ts';

export const OUTCOMES = [
  'done_by_run',
  'done_externally',
  'failed',
  'timed_out',
  'stalled',
  'lost',
  'cancelled_by_issue',
  'cancelled_by_person',
  'superseded',
  'app_uninstalled',
  'skipped_by_dependency',
  'skipped_by_person',
] as const;
/** `done_externally`: a person said so, or the issue was closed as completed. */
export type Outcome = (typeof OUTCOMES)[number];

export interface Counted {
  state: TaskState;
  cause: Cause | null;
  count: number;
}

type ByEnd = Readonly<Record<EndState, Outcome>>;

const USUAL: ByEnd = {
  done: 'done_externally',
  failed: 'failed',
  cancelled: 'cancelled_by_person',
  skipped: 'skipped_by_person',
};
const BY_ISSUE: ByEnd = { ...USUAL, cancelled: 'cancelled_by_issue' };

const OUTCOME_OF: Readonly<Record<Cause, ByEnd>> = {
  run_succeeded: { ...USUAL, done: 'done_by_run' },
  run_failed: USUAL,
  verify_failed: USUAL,
  no_verdict: USUAL,
  review: USUAL,
  issue_completed: BY_ISSUE,
  issue_not_planned: BY_ISSUE,
  issue_duplicate: BY_ISSUE,
  issue_closed: BY_ISSUE,
  issue_deleted: BY_ISSUE,
  issue_transferred: BY_ISSUE,
  command: USUAL,
  api: USUAL,
  dependency: { ...USUAL, skipped: 'skipped_by_dependency' },
  timeout: { ...USUAL, failed: 'timed_out' },
  stalled: { ...USUAL, failed: 'stalled' },
  runner_lost: { ...USUAL, failed: 'lost' },
  start_failed: USUAL,
  survivors: USUAL,
  question: USUAL,
  blocker: USUAL,
  superseded: { ...USUAL, cancelled: 'superseded' },
  app_uninstalled: { ...USUAL, cancelled: 'app_uninstalled' },
};

export function outcomeOf(state: EndState, cause: Cause): Outcome {
  return OUTCOME_OF[cause][state];
}

export function countStates(counts: readonly Counted[]): Record<TaskState, number> {
  const byState = zeros(TASK_STATES);
  for (const { state, count } of counts) byState[state] += count;
  return byState;
}

export function countOutcomes(counts: readonly Counted[]): Record<Outcome, number> {
  const outcomes = zeros(OUTCOMES);
  for (const { state, cause, count } of counts) {
    if (isEnded(state) && cause !== null) outcomes[outcomeOf(state, cause)] += count;
  }
  return outcomes;
}

/** Of tasks that are at hand anyway. */
export function countTasks(tasks: readonly Pick<Counted, 'state' | 'cause'>[]): Counted[] {
  return tasks.map(({ state, cause }) => ({ state, cause, count: 1 }));
}

function zeros<K extends string>(keys: readonly K[]): Record<K, number> {
  return Object.fromEntries(keys.map((key) => [key, 0])) as Record<K, number>;
}
