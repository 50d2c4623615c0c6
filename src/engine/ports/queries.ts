/** What the outside reads: pages, newest first, repositories, and the journal. */
import type { Batch, BatchState } from '../../core/batch.ts';
import type { Run } from '../../core/run.ts';
import type { Cause, Task, TaskState } from '../../core/task.ts';
import type { RepositoryRef } from './github.ts';
import type { RepositoryState } from './reads.ts';
import type { JournalEvent } from './writes.ts';

/** What the outside reads: REST, CLI, dashboard. Cursors are opaque; lists are newest first. */
export interface Queries {
  batches(filter: { repositoryId?: string; state?: BatchState; cursor?: string; limit: number }): Promise<Page<Batch>>;
  tasks(filter: {
    repositoryId?: string;
    issueNumber?: number;
    state?: Task['state'];
    cursor?: string;
    limit: number;
  }): Promise<Page<Task>>;
  /** All runs of each task, by number. */
  runsOfTasks(taskIds: readonly string[]): Promise<ReadonlyMap<string, readonly Run[]>>;
  /** How many tasks of each batch are in which state for which cause; a batch without tasks has an empty list. */
  countsOfBatches(batchIds: readonly string[]): Promise<ReadonlyMap<string, readonly TaskCount[]>>;
  repositories(ids: readonly string[]): Promise<ReadonlyMap<string, RepositoryRef>>;
  /** The same repositories with what is known of each. */
  statesOfRepositories(ids: readonly string[]): Promise<ReadonlyMap<string, RepositoryState>>;
  /** All that were ever seen, or the one of that id, in the order of their ids. */
  repositoryStates(filter: { id?: string; cursor?: string; limit: number }): Promise<Page<RepositoryState>>;
  /** In commit order; `after` is the last id that was seen, null from the beginning. */
  events(after: string | null, limit: number): Promise<readonly (JournalEvent & { id: string })[]>;
  /** null: nothing was ever journalled. */
  newestEventId(): Promise<string | null>;
  /**
   * How many messages are owed, deliveries pending and keys waiting, for `/readyz` and tests that wait for quiet. Status comments don't
   * count: they follow what goes on, and nobody waits for them.
   */
  backlog(): Promise<{ deliveries: number; messages: number; keys: number }>;
}

export interface TaskCount {
  state: TaskState;
  cause: Cause | null;
  count: number;
}

/** A cursor, or an `after`, that no list of ours has given out. */
export class InvalidCursor extends Error {
  override readonly name = 'InvalidCursor';
}

export interface Page<T> {
  items: readonly T[];
  /** null: the end. */
  next: string | null;
}
