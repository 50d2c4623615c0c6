/**
 * Every change is a list of guarded writes, carried out in one transaction: all or nothing, and nothing if any guard no longer
 * holds.
 */
import type { AttendedPhase, AttendedRun } from '../../core/attended.ts';
import type { Batch } from '../../core/batch.ts';
import type { IssueBlocker } from '../../core/blockers/blocker.ts';
import type { CommandComment } from '../../core/comment.ts';
import type { HoldScope, ScopedHold } from '../../core/hold.ts';
import type { CloseEpisode, EpisodeState, IssueRef, TrackedIssue } from '../../core/issue.ts';
import type { Run, RunState } from '../../core/run.ts';
import type { Task } from '../../core/task.ts';
import type { RepositoryRef } from './github.ts';
import type { DeliveryOutcome } from './inbox.ts';
import type { OutboxItem, OutcomeLine } from './outbox.ts';
import type { MissedDelivery, RepositoryState, StoredFile } from './reads.ts';
import type { WorkLease } from './work-queue.ts';

export interface JournalEvent {
  type: string;
  at: Date;
  repositoryId: string | null;
  issueNumber: number | null;
  batchId: string | null;
  taskId: string | null;
  runId: string | null;
  data: Readonly<Record<string, unknown>>;
}

export type Write =
  | { write: 'repository.put'; repository: RepositoryRef }
  /** Makes or replaces it. */
  | { write: 'file.put'; file: StoredFile }
  /** Guard: what it was before, null included. */
  | { write: 'comments.since'; repositoryId: string; from: Date | null; to: Date }
  /** Guard: `issuesSince` is what it was before, null included. */
  | { write: 'issues.since'; repositoryId: string; from: Date | null; to: Date; etag: string | null }
  /** No guard. `access: 'ok'` forgets since when. */
  | {
      write: 'repository.state';
      repositoryId: string;
      set: Partial<Pick<RepositoryState, 'sweptAt' | 'verifiedAt' | 'sweepProblem' | 'access' | 'accessSince'>>;
    }
  /** Makes or replaces it. */
  | { write: 'missed.put'; missed: MissedDelivery }
  /** Makes or replaces it. */
  | { write: 'cursor.put'; name: string; value: string; at: Date }
  /** Guard: no comment of that id. */
  | { write: 'comment.insert'; comment: CommandComment }
  /** Guard: its `version`, which goes up by one. */
  | {
      write: 'comment.update';
      id: string;
      version: number;
      set: Partial<Pick<CommandComment, 'state' | 'permission' | 'commands'>>;
    }
  /** Guard: no row for that repository and number. */
  | { write: 'issue.insert'; issue: TrackedIssue }
  /** Guard: its `version`, which goes up by one. */
  | { write: 'issue.update'; ref: IssueRef; version: number; set: Partial<Omit<TrackedIssue, 'version'>> }
  /** Guard: no episode of that node id and `closedAt`. */
  | { write: 'episode.insert'; episode: CloseEpisode }
  /** Guard: its state is one of `from`. */
  | {
      write: 'episode.update';
      id: string;
      from: readonly EpisodeState[];
      set: Partial<Pick<CloseEpisode, 'state' | 'authority' | 'actor' | 'reason' | 'action' | 'reopen'>>;
    }
  /** Makes or replaces the edge of that issue, source and label. Guarded by the `issue.update` of its issue in the same commit. */
  | { write: 'blocker.put'; blocker: IssueBlocker }
  | { write: 'blocker.delete'; blocker: Pick<IssueBlocker, 'repositoryId' | 'number' | 'source' | 'label'> }
  /** Makes or replaces the hold of that scope. */
  | { write: 'hold.put'; hold: ScopedHold }
  /** Guard: there is one of that scope. */
  | { write: 'hold.delete'; scope: HoldScope }
  /** Guard: no `running` batch of that repository and name. */
  | { write: 'batch.insert'; batch: Batch; document: unknown }
  /** Guard: its `version`, which goes up by one. */
  | {
      write: 'batch.update';
      id: string;
      version: number;
      set: Partial<Pick<Batch, 'state' | 'stuck' | 'hold' | 'order' | 'finishedAt'>>;
    }
  | { write: 'task.insert'; task: Task }
  /** Guard: its `version`, which goes up by one. */
  | { write: 'task.update'; id: string; version: number; set: Partial<Omit<Task, 'id' | 'version'>> }
  /** Its batch has followed its moves: `needsDue` goes if its version is still that. No guard, and the same version. */
  | { write: 'task.followed'; id: string; version: number }
  /** Guard: no run of that task and number. */
  | { write: 'run.insert'; run: Run }
  /** Guard: its state is one of `from`. */
  | { write: 'run.update'; id: string; from: readonly RunState[]; set: Partial<Omit<Run, 'id' | 'taskId' | 'number'>> }
  /** Guard: neither the run nor the session has one. */
  | { write: 'attended.insert'; attended: AttendedRun }
  /** Guard: it is that session's, has told of no end, and is in one of these phases; default: whichever. */
  | {
      write: 'attended.update';
      runId: string;
      session: string;
      from?: readonly AttendedPhase[];
      set: Partial<Pick<AttendedRun, 'heardAt' | 'phase' | 'order' | 'sent' | 'end'>>;
    }
  /** Guard: there is one. */
  | { write: 'attended.delete'; runId: string }
  | { write: 'event.append'; event: JournalEvent }
  /** Makes the item if its key is new; else it is owed again, due at the earlier of both times (a sent one: at this time). */
  | {
      write: 'outbox.owe';
      item: Pick<OutboxItem, 'id' | 'key' | 'kind' | 'repositoryId' | 'number' | 'dueAt' | 'createdAt'>;
    }
  /** Makes or replaces that task's line of the item with this key; the item is owed by an `outbox.owe` of the same commit. */
  | { write: 'outbox.line'; key: string; line: OutcomeLine }
  /** Messages of the issue that waited for it to be unlocked are owed again. */
  | { write: 'outbox.unlock'; ref: IssueRef; dueAt: Date }
  /** Guard: nobody else was given the key since. Changes nothing. */
  | { write: 'work.held'; lease: Pick<WorkLease, 'key' | 'fence'> }
  /** Due at the earlier of both times, where the key is there already. */
  | { write: 'work.enqueue'; key: string; dueAt: Date }
  /** Guard: it has no outcome yet. */
  | { write: 'delivery.settle'; id: string; outcome: DeliveryOutcome; at: Date };
