/**
 * The tables, as maps of rows that are replaced and never changed. A transaction keeps how to take its writes back; it
 * never awaits, so nobody sees a half of it.
 */
import type { AttendedRun } from '../../core/attended.ts';
import type { Batch } from '../../core/batch.ts';
import type { IssueBlocker } from '../../core/blockers/blocker.ts';
import type { CommandComment } from '../../core/comment.ts';
import type { ScopedHold } from '../../core/hold.ts';
import type { CloseEpisode, TrackedIssue } from '../../core/issue.ts';
import type { Run } from '../../core/run.ts';
import type { Task } from '../../core/task.ts';
import type {
  Delivery,
  DeliveryOutcome,
  JournalEvent,
  MissedDelivery,
  OutboxItem,
  OutcomeLine,
  RepositoryRef,
  RepositoryState,
  StoredFile,
} from '../../engine/ports.ts';
import type { Leased } from './lease.ts';

export type DeliveryRow = Delivery & { outcome: DeliveryOutcome | null };
export type KeyRow = Leased & {
  key: string;
  dueAt: Date;
  failures: number;
  lastError: string | null;
  failingSince: Date | null;
};
/** What is known of a repository beyond its name, but for its comments. */
export type KnownState = Omit<RepositoryState, keyof RepositoryRef | 'commentsSince'>;
/** `mergedInto`: the message that tells this one too. */
export type ItemRow = Leased & { item: OutboxItem; mergedInto: string | null };
export type LineRow = { itemKey: string; line: OutcomeLine };
export type Table<Row> = Map<string, Row>;
/** Ids go up from 1, also past events that are not kept any more. In the order of their ids. */
export type Journal = { newestId: number; events: (JournalEvent & { id: number })[] };

export interface Tables {
  readonly repositories: Table<RepositoryRef>;
  /** Which repository had a name last, by the name in lower case. */
  readonly names: Table<string>;
  readonly files: Table<StoredFile>;
  /** From when on comments are listed, by repository. */
  readonly commentsSince: Table<Date>;
  /** By repository. */
  readonly states: Table<KnownState>;
  readonly missed: Table<MissedDelivery>;
  readonly cursors: Table<string>;
  readonly comments: Table<CommandComment>;
  /** By `issueId`. */
  readonly issues: Table<TrackedIssue>;
  readonly episodes: Table<CloseEpisode>;
  /** By `edgeId`. */
  readonly blockers: Table<IssueBlocker>;
  /** By `formatScope`. */
  readonly holds: Table<ScopedHold>;
  readonly batches: Table<Batch>;
  readonly tasks: Table<Task>;
  readonly runs: Table<Run>;
  /** By the run's id. */
  readonly attended: Table<AttendedRun>;
  readonly deliveries: Table<DeliveryRow>;
  readonly keys: Table<KeyRow>;
  /** By the key of the message. */
  readonly items: Table<ItemRow>;
  /** When writes to GitHub went out, the oldest first, by scope. */
  readonly sentWrites: Table<readonly Date[]>;
  /** Until when none may go out, by scope. */
  readonly pauses: Table<Date>;
  /** The key of each message, by its id. */
  readonly itemKeys: Table<string>;
  /** By the key of the message and the task. */
  readonly lines: Table<LineRow>;
  readonly journal: Journal;
  /** Stores a copy. */
  put<Row>(table: Table<Row>, key: string, row: Row): void;
  remove<Row>(table: Table<Row>, key: string): void;
  /** All that `work` puts and removes, or, if it throws, nothing. */
  transaction(work: () => void): void;
}

export function makeTables(): Tables {
  let undo: (() => void)[] | null = null;
  return {
    repositories: new Map(),
    names: new Map(),
    files: new Map(),
    commentsSince: new Map(),
    states: new Map(),
    missed: new Map(),
    cursors: new Map(),
    comments: new Map(),
    issues: new Map(),
    episodes: new Map(),
    blockers: new Map(),
    holds: new Map(),
    batches: new Map(),
    tasks: new Map(),
    runs: new Map(),
    attended: new Map(),
    deliveries: new Map(),
    keys: new Map(),
    items: new Map(),
    sentWrites: new Map(),
    pauses: new Map(),
    itemKeys: new Map(),
    lines: new Map(),
    journal: { newestId: 0, events: [] },
    put(table, key, row) {
      const before = table.get(key);
      const copy = structuredClone(row);
      undo?.push(() => (before === undefined ? table.delete(key) : table.set(key, before)));
      table.set(key, copy);
    },
    remove(table, key) {
      const before = table.get(key);
      if (before === undefined) return;
      undo?.push(() => table.set(key, before));
      table.delete(key);
    },
    transaction(work) {
      const steps: (() => void)[] = [];
      undo = steps;
      try {
        work();
      } catch (error) {
        for (const takeBack of steps.reverse()) takeBack();
        throw error;
      } finally {
        undo = null;
      }
    },
  };
}

export function issueId({ repositoryId, number }: { repositoryId: string; number: number }): string {
  return `${repositoryId}#${number}`;
}

export function edgeId(edge: Pick<IssueBlocker, 'repositoryId' | 'number' | 'source' | 'label'>): string {
  return `${issueId(edge)} ${edge.source} ${edge.label}`;
}

/** GitHub compares names without regard to case. */
export function nameId(fullName: string): string {
  return fullName.toLowerCase();
}

export function copyOrNull<Row>(row: Row | undefined): Row | null {
  return row === undefined ? null : structuredClone(row);
}
