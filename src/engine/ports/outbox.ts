/** What is owed to GitHub: messages that are rendered when they are sent, each by one holder at a time. */
import type { CloseEpisode, IssueRef } from '../../core/issue.ts';
import type { WritePace } from '../../core/pace.ts';
import type { Run } from '../../core/run.ts';
import type { Task } from '../../core/task.ts';
import type { RepositoryRef } from './github.ts';
import type { JournalEvent } from './writes.ts';

/**
 * - `outcome`: what one close, reopen, failure or order of REST did.
 * - `reply`: the answer to one comment, with what its commands did.
 * - `reaction`: a sign on a comment: seen, done or refused.
 * - `status`: how the tasks of an issue are, edited in place.
 * - `notice`: what is wrong with the repository's file.
 * - `close`: the issue is closed, since all its tasks are done.
 */
export type OutboxKind = 'outcome' | 'reply' | 'reaction' | 'status' | 'notice' | 'close';

/** A message to GitHub that is owed. Its body is rendered when it is sent. */
export interface OutboxItem extends IssueRef {
  id: string;
  /**
   * One effect per cause, e.g. `close:EPISODE`, `reopen:EPISODE`, `transfer:REPOSITORY#ISSUE`, `failure:TASK:GENERATION`,
   * `command:ID:ACTOR`; `reply:COMMENT`, `reaction:COMMENT:CONTENT`, `status:REPOSITORY#ISSUE`, `notice:REPOSITORY:SHA`,
   * `done:REPOSITORY#ISSUE:…`.
   */
  key: string;
  kind: OutboxKind;
  /** `owed`: to be sent or edited; `sent`; `locked`: owed once its issue is unlocked; `refused`: GitHub will not have it. */
  state: 'owed' | 'sent' | 'locked' | 'refused';
  dueAt: Date;
  /** GitHub's id of the comment, once it is known. */
  remoteId: string | null;
  /** Hash of the body as last sent. */
  bodyHash: string | null;
  failures: number;
  lastError: string | null;
  createdAt: Date;
  sentAt: Date | null;
}

/** What one cause did to one task: a line of an outcome comment. Facts of the run are read when it is rendered. */
export interface OutcomeLine {
  taskId: string;
  runId: string | null;
  effect:
    | 'stopping'
    | 'stopped'
    | 'ended'
    | 'requeue_pending'
    | 'requeued'
    | 'refused'
    | 'failed'
    /** Its verify run gave no verdict, and is not sent again. */
    | 'unverified'
    /** It was lost, and something speaks for its work. */
    | 'review'
    | 'succeeded'
    | 'had_finished'
    /** Another cause took the stopping run over before it was gone. */
    | 'superseded';
  /** What the task has become, or why not, e.g. `done`, `cancelled`, `issue_closed`; of a review, what speaks for the work. */
  result: string;
}

export interface OutcomeView {
  item: OutboxItem;
  repository: RepositoryRef;
  /** The episode that the key names, if it names one. */
  episode: CloseEpisode | null;
  lines: readonly { line: OutcomeLine; task: Task; run: Run | null }[];
}

export interface OutboxLease {
  item: OutboxItem;
  fence: number;
  /** An earlier holder of the lease may have sent it without saying so: look for the marker first. */
  takenOver: boolean;
}

/** What came of a try. What is not given stays as it was. */
export interface OutboxResult {
  state: OutboxItem['state'];
  /** Default: now. */
  dueAt?: Date;
  /** null: the comment is gone. */
  remoteId?: string | null;
  bodyHash?: string | null;
  /** Counts a failure; without it failures are forgotten once the item is `sent`. */
  error?: string;
  sentAt?: Date;
  /** Written with the result, if the lease was not lost. */
  journal?: readonly JournalEvent[];
}

export interface Outbox {
  /**
   * The first due `owed` item of each issue of which nobody holds any item: `status` after all else, else in the order in which
   * they were made. An `outcome`, `reply` or `notice` waits while an earlier one of its issue backs off after a failure, and a
   * `close` while any earlier `outcome` or `reply` is owed. Nothing of the installations whose scopes (see `writeScope`) are `paused`.
   */
  claim(owner: string, limit: number, leaseMs: number, paused?: readonly string[]): Promise<readonly OutboxLease[]>;
  /** Whether the lease is still held; asked right before sending. */
  holds(lease: OutboxLease): Promise<boolean>;
  /**
   * Notes a write of the scope as going out now, if the pace allows one; the count is that of all apps of this database, and
   * outlives them. `freeAt`: when the next one may go out, as far as is known.
   */
  admit(scope: string, pace: WritePace): Promise<{ admitted: boolean; freeAt: Date }>;
  /** No write of the scope for so long, whoever asks. */
  pause(scope: string, ms: number): Promise<void>;
  /**
   * Gives the lease back with the result. An item that was owed again meanwhile (`outbox.owe` or `outbox.line` after the
   * claim) stays owed. False if the lease was lost.
   */
  release(lease: OutboxLease, result: OutboxResult): Promise<boolean>;
  view(itemId: string): Promise<OutcomeView | null>;
  /** Owed `outcome` items of the same issue that were never tried, in the order in which they were made. */
  mergeable(item: OutboxItem, limit: number): Promise<readonly OutcomeView[]>;
  /**
   * From now on these are told by the held item, as far as they are still `mergeable`: they are not claimed any more, their state
   * follows its state, and where one of them is owed again, the held one is.
   */
  merge(lease: OutboxLease, itemIds: readonly string[]): Promise<void>;
  /** What is told by that item besides its own, in the order in which it was made. */
  mergedInto(itemId: string): Promise<readonly OutcomeView[]>;
  nextDue(): Promise<Date | null>;
}
