/** What the engine reads: small, and named after its use. */
import type { AttendedRun } from '../../core/attended.ts';
import type { Batch } from '../../core/batch.ts';
import type { IssueBlocker } from '../../core/blockers/blocker.ts';
import type { CommandComment } from '../../core/comment.ts';
import type { ScopedHold } from '../../core/hold.ts';
import type { CloseEpisode, IssueRef, TrackedIssue } from '../../core/issue.ts';
import type { BatchMember, BatchOutline } from '../../core/plan/batch.ts';
import type { EndedBy } from '../../core/plan/reopen.ts';
import type { Run } from '../../core/run.ts';
import type { Task } from '../../core/task.ts';
import type { RepositoryRef } from './github.ts';

/** A run that holds a slot, by what the limits and the runners go by. */
export type LiveRun = Pick<Run, 'id' | 'taskId' | 'runner' | 'state'> & Pick<Task, 'repositoryId' | 'batchId'>;

/** At most 400 of each. */
export interface Except {
  batchIds: readonly string[];
  repositoryIds: readonly string[];
}

/** The repository's file as far as it is known. */
export interface StoredFile {
  repositoryId: string;
  etag: string | null;
  /** Git's id of the newest content that was read; null: there is no file. */
  sha: string | null;
  /** The newest content that was right, and its id: what counts. null: none ever was, or the file is gone. */
  text: string | null;
  textSha: string | null;
  /** What is wrong with the newest content, in lines for people; null: nothing. */
  problems: readonly string[] | null;
  checkedAt: Date;
}

/** What is known of a repository beyond its name. */
export interface RepositoryState extends RepositoryRef {
  commentsSince: Date | null;
  /** Issues are listed from here on, by GitHub's clock; null: all that are tracked have to be sighted first. */
  issuesSince: Date | null;
  /** Validator of the listing from there. */
  issuesEtag: string | null;
  /** When its tracked issues were last known to be as they are stored, by our clock; null: never. */
  sweptAt: Date | null;
  /** When all its tracked issues were last sighted one by one. */
  verifiedAt: Date | null;
  /** Why it could not be swept last; null: it was. */
  sweepProblem: SweepProblem | null;
  /** `ok` unless GitHub's own word says otherwise. */
  access: RepositoryAccess;
  /** Since when, by our clock; null while it is `ok`. */
  accessSince: Date | null;
}

/** `suspended` and `archived`: what runs goes on, nothing starts. `gone`: what runs is stopped after a grace. */
export type RepositoryAccess = 'ok' | 'suspended' | 'archived' | 'gone';

export interface SweepProblem {
  /** Which look fails: the one at what changed, or the one at everything. */
  look: 'changes' | 'everything';
  /** A class of `GitHubError`, or `internal`. */
  code: string;
  message: string;
  /** When this row of failures began. */
  since: Date;
  failures: number;
  nextTryAt: Date;
}

/** Work that can't be done for now. */
export interface FailingKey {
  key: string;
  failures: number;
  error: string;
  since: Date;
  /** When it is tried next. */
  dueAt: Date;
}

/** `missed`: to be asked for. `recovered`: it came. `given_up`: asked for as often as it may be, or GitHub keeps it no longer. */
export interface MissedDelivery {
  guid: string;
  /** GitHub's id of the attempt that is asked for again. */
  attemptId: string;
  event: string;
  action: string | null;
  deliveredAt: Date;
  asked: number;
  askedAt: Date | null;
  state: 'missed' | 'recovered' | 'given_up';
}

export interface TrackedPage {
  since: Date;
  /** Default: `close`. */
  endedBy?: EndedBy;
  after: number;
  limit: number;
}

/** What is known of attended runs. */
export interface AttendedReads {
  /** Those that have a row, in no order. */
  attendedRuns(runIds: readonly string[]): Promise<readonly AttendedRun[]>;
  /** The one that this session claimed. */
  attendedRunOf(session: string): Promise<AttendedRun | null>;
  /** By id. */
  attendedRunIds(): Promise<readonly string[]>;
}

export interface StoreReads extends AttendedReads {
  repository(id: string): Promise<RepositoryRef | null>;
  /** All that were ever seen, by id. */
  repositories(): Promise<readonly RepositoryRef[]>;
  /** null: never seen. */
  repositoryState(id: string): Promise<RepositoryState | null>;
  /** All that were ever seen, by id. */
  repositoryStates(): Promise<readonly RepositoryState[]>;
  /** Ids of known repositories with issues that `trackedIssues` would give, in order. */
  trackedRepositories(since: Date): Promise<readonly string[]>;
  /** Whether `trackedRepositories` would give it. */
  isTracked(repositoryId: string, since: Date, endedBy?: EndedBy): Promise<boolean>;
  /** Numbers of the repository's issues that `trackedIssues` would give, greater than `after`, in order: pages for what is too many at once. */
  trackedNumbers(repositoryId: string, page: TrackedPage): Promise<readonly number[]>;
  /** Those of the numbers that have a row, in no order; at most 400 at once. */
  issuesOf(repositoryId: string, numbers: readonly number[]): Promise<readonly TrackedIssue[]>;
  /** Of all blocking edges of these issues, in no order; at most 400 at once. */
  blockersAmong(repositoryId: string, numbers: readonly number[]): Promise<readonly IssueBlocker[]>;
  /** Unfinished tasks of the repository, newest first. */
  unfinishedTasks(repositoryId: string, limit: number): Promise<readonly Task[]>;
  missedDelivery(guid: string): Promise<MissedDelivery | null>;
  /** In a state, the oldest first. */
  missedDeliveries(state: MissedDelivery['state'], limit: number): Promise<readonly MissedDelivery[]>;
  countMissed(): Promise<Readonly<Record<MissedDelivery['state'], number>>>;
  /** Whether a delivery of that id was stored here. */
  hasDelivery(id: string): Promise<boolean>;
  /** null: it was never set. */
  cursor(name: string): Promise<string | null>;
  /** Keys whose work fails, the one that fails for longest first. */
  failingKeys(limit: number): Promise<readonly FailingKey[]>;
  /** Of these run ids those whose logs may go: their run ended before then (or was seen gone, where nobody saw it end), and their task is ended. */
  forgettableRuns(ids: readonly string[], endedBefore: Date): Promise<readonly string[]>;
  /** null: it was never read. */
  repositoryFile(repositoryId: string): Promise<StoredFile | null>;
  /** From when on the repository's comments are to be listed; null: it was never set. */
  commentsSince(repositoryId: string): Promise<Date | null>;
  comment(id: string): Promise<CommandComment | null>;
  /** Comments of the issue that are `due`, in the order in which they were made. */
  dueComments(ref: IssueRef): Promise<readonly CommandComment[]>;
  repositoryByName(fullName: string): Promise<RepositoryRef | null>;
  issue(ref: IssueRef): Promise<TrackedIssue | null>;
  /**
   * Issues with unfinished tasks, or with tasks that ended after `since` by an episode (or by anything, where that is asked for); and
   * the readable issues that those with unfinished tasks are blocked by.
   */
  trackedIssues(since: Date, endedBy?: EndedBy): Promise<readonly IssueRef[]>;
  /** The episode of the issue with the latest `closedAt`. */
  newestEpisode(nodeId: string): Promise<CloseEpisode | null>;
  episode(id: string): Promise<CloseEpisode | null>;
  /** What the issue is blocked by, by label. */
  blockersOf(ref: IssueRef): Promise<readonly IssueBlocker[]>;
  /** Issues that are blocked by this one. */
  issuesBlockedBy(ref: IssueRef): Promise<readonly IssueRef[]>;
  /** Oldest first. */
  holds(): Promise<readonly ScopedHold[]>;
  task(id: string): Promise<Task | null>;
  tasksOfIssue(ref: IssueRef): Promise<readonly Task[]>;
  tasksOfBatch(batchId: string): Promise<readonly Task[]>;
  /** The same tasks by what their batch goes by, in the order of their positions. */
  membersOfBatch(batchId: string): Promise<readonly BatchMember[]>;
  /** Members by their ids, in no order. */
  members(ids: readonly string[]): Promise<readonly BatchMember[]>;
  /** What every task of the batch needs, which never changes. */
  needsOfBatch(batchId: string): Promise<readonly Pick<Task, 'id' | 'key' | 'needs'>[]>;
  /** Tasks of the batch with `needsDue`. */
  needsDueOf(batchId: string, limit: number): Promise<readonly Pick<Task, 'id' | 'key' | 'version'>[]>;
  outlineOfBatch(batchId: string): Promise<BatchOutline>;
  /** The run with the task's `runNumber`. */
  newestRun(taskId: string): Promise<Run | null>;
  run(id: string): Promise<Run | null>;
  /** `starting`, `running` and `stopping` runs, the oldest first: asked every few seconds, cheap where thousands are alive. */
  liveRuns(): Promise<readonly LiveRun[]>;
  /** Lost ones that nobody saw end. */
  unseenRuns(): Promise<readonly Run[]>;
  batch(id: string): Promise<Batch | null>;
  /** Newest of that name in the repository. */
  newestBatch(repositoryId: string, name: string): Promise<Batch | null>;
  /** Batches that were started in a comment of this issue, newest first. */
  batchesOfIssue(ref: IssueRef, limit: number): Promise<readonly Batch[]>;
  /**
   * `ready` tasks of other batches and repositories than these that are not held and whose `notBefore` has passed, by priority
   * (high first), age, position, key.
   */
  startable(now: Date, limit: number, except: Except): Promise<readonly Task[]>;
  /** Earliest `notBefore` in the future among ready tasks. */
  nextNotBefore(now: Date): Promise<Date | null>;
  /** How many reopens of the issue, other than that of `except`, have requeued tasks of it since then. */
  countRequeues(ref: IssueRef, since: Date, except: string): Promise<number>;
}
