/**
 * One unit of work of a batch. States: `waiting` (its needs are not done) → `ready` → `running` → an end; `blocked` needs
 * a person or another issue. A task is `running` while its run starts, runs or stops, and while that is verified; `target` then says what it becomes
 * once that run is seen gone. Every end carries a cause, an actor and a time, and is written at one place (engine/apply).
 */
import type { TaskSpec } from './documents/spec.ts';

export const END_STATES = ['done', 'failed', 'cancelled', 'skipped'] as const;
export type EndState = (typeof END_STATES)[number];
export const TASK_STATES = ['waiting', 'ready', 'running', 'blocked', ...END_STATES] as const;
export type TaskState = (typeof TASK_STATES)[number];

export const CAUSES = [
  'run_succeeded',
  'run_failed',
  'verify_failed',
  'no_verdict',
  'review',
  'issue_completed',
  'issue_not_planned',
  'issue_duplicate',
  'issue_closed',
  'issue_deleted',
  'issue_transferred',
  'command',
  'api',
  'dependency',
  'timeout',
  'stalled',
  'runner_lost',
  'start_failed',
  'survivors',
  'question',
  'blocker',
  'superseded',
  'app_uninstalled',
] as const;
export type Cause = (typeof CAUSES)[number];

/** Of a task that is `blocked` until a person has said whether its work is right. */
export type UndecidedCause = 'no_verdict' | 'review';

export interface Ending {
  state: EndState;
  cause: Cause;
  actor: string;
  /** The close episode that ended it, so that its reopen, and no other, brings it back. */
  episodeId: string | null;
}

/** Told to the new run as `STANDDOWN_REQUEUE_REASON`. */
export type RequeueReason = 'issue_reopened' | 'retry' | 'resume' | 'blocker_resolved' | 'need_requeued';

export interface Requeue {
  reason: RequeueReason;
  actor: string;
  episodeId: string | null;
}

/**
 * What a task becomes once its stopping run is seen gone. The first cause wins, except that a pending retry or requeue
 * yields to a close. `effect` keys the outcome comment that tells of it; null where nobody is told.
 */
export type Target =
  | { becomes: 'ended'; ending: Ending; effect: string | null }
  /** `ending` is what it would have been without the reopen. */
  | { becomes: 'requeued'; requeue: Requeue; ending: Ending; effect: string | null }
  | { becomes: 'retried'; cause: 'timeout' | 'stalled'; ending: Ending; effect: string | null };

export interface Hold {
  reason: string | null;
  actor: string;
  at: Date;
}

export interface Release {
  /** As `owner/name#12`. */
  blocker: string;
  actor: string;
  at: Date;
}

export interface Task {
  id: string;
  /** Its name in the batch document, unique in its batch. */
  key: string;
  name: string;
  batchId: string | null;
  repositoryId: string;
  issueNumber: number | null;
  spec: TaskSpec;
  /** Place in the batch document, from 0. */
  position: number;
  /** Keys of tasks of the same batch. */
  needs: readonly string[];
  priority: number;
  state: TaskState;
  cause: Cause | null;
  actor: string | null;
  target: Target | null;
  hold: Hold | null;
  /** Open questions that a person must answer. */
  blockers: readonly { id: string; question: string; actor: string; at: Date }[];
  /** Issues that a person said not to wait for any more; one that is reopened later blocks again. */
  released: readonly Release[];
  /** Opened by each requeue: a full retry budget. */
  generation: number;
  /** Work runs started within this generation. */
  attempt: number;
  /** Number of the newest run, 0 before the first. */
  runNumber: number;
  requeueReason: RequeueReason | null;
  endedByEpisodeId: string | null;
  /** A `let_finish` or `ignore` close it is exempt from, or lets it finish under. */
  exemptEpisodeId: string | null;
  /** The reopened episode that this task was requeued for, or refused: answered once. */
  reopenSeenEpisodeId: string | null;
  /** Not to be started earlier: back-off after a failure or an unreadable issue. While its run is lost: when its work is looked for again. */
  notBefore: Date | null;
  /** Why, in words; of a task that waits for a review, what speaks for its work. */
  notBeforeReason: string | null;
  /** Somebody outside told that time, as that of a usage limit's end: it holds, however the clock here is set. */
  notBeforeTold: boolean;
  /** It has moved in a way that its batch has not followed yet: those that need it, and its own needs, have to be looked at. */
  needsDue: boolean;
  createdAt: Date;
  updatedAt: Date;
  finishedAt: Date | null;
  /** Guard for conditional updates. */
  version: number;
}

export function isEnded(state: TaskState): state is EndState {
  return (END_STATES as readonly TaskState[]).includes(state);
}

/** Whether a person has to say what its work is worth. */
export function isUndecided({ state, cause }: Pick<Task, 'state' | 'cause'>): boolean {
  return state === 'blocked' && (cause === 'no_verdict' || cause === 'review');
}
