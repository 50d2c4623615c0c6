/** What the engine asks of the database, all together. */
import type { Inbox } from './inbox.ts';
import type { Outbox } from './outbox.ts';
import type { Queries } from './queries.ts';
import type { StoreReads } from './reads.ts';
import type { Retention } from './retention.ts';
import type { WorkQueue } from './work-queue.ts';
import type { Write } from './writes.ts';

/** Called after a commit of this process put something there; `dueAt` is the earliest of it. Losing a call costs latency only. */
export type OnEnqueued = (what: 'work' | 'owed', dueAt: Date) => void;

export interface Store extends StoreReads {
  /** No other process can work on this database while this one has it open. */
  readonly exclusive: boolean;
  /**
   * Makes this process the only one on this database that drives these runners, until it ends. Throws where another one does:
   * what lives on one machine is unknown on every other.
   */
  ownRunners(names: readonly string[]): Promise<void>;
  readonly inbox: Inbox;
  readonly queue: WorkQueue;
  readonly outbox: Outbox;
  readonly queries: Queries;
  readonly retention: Retention;
  /**
   * All writes in one transaction, in order. False: a guard did not hold and nothing was written. Other failures throw. What is
   * `derived` comes from what is kept already, and would be made again after a loss of power: it need not be on the disk yet when this
   * returns, and is before anything that is committed later. Events are never that.
   */
  commit(writes: readonly Write[], how?: { derived: boolean }): Promise<boolean>;
  /** Throws unless the database can be written now. */
  check(): Promise<void>;
  close(): Promise<void>;
}
