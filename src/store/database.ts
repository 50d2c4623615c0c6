/**
 * The one client type that the rest of this folder is written against, and the few things that differ by database.
 * Both clients are generated from the same models; the PostgreSQL one is used under the SQLite client's type, so that
 * an option that only PostgreSQL has does not compile.
 */
import type { Prisma, PrismaClient } from './generated/sqlite/client.ts';

export type Database = PrismaClient;

/** What runs statements: the client itself, or one transaction of it. */
export type Statements = Prisma.TransactionClient;

export interface Dialect {
  /** One process at a time has this database open. */
  exclusive: boolean;
  /**
   * Does what would be done again after a loss of power: it need not wait for the disk. Whatever is written after it waits for that, too, so
   * what was kept is never without what came before it.
   */
  unhurried<T>(work: () => Promise<T>): Promise<T>;
  /** The clock that leases are measured by: one for all who claim from this database. */
  leaseClock(statements: Statements): Promise<Date>;
  /** Until this transaction ends, no other one gets past this call: one outbox claim at a time. */
  serialiseOutboxClaims(transaction: Statements): Promise<void>;
  /** Likewise for noting writes to GitHub: one look at the limits at a time. */
  serialiseWrites(transaction: Statements): Promise<void>;
  /** Likewise for appending to the journal, so that its numbers become visible in their order. */
  serialiseJournal(transaction: Statements): Promise<void>;
}

export interface Connection {
  db: Database;
  dialect: Dialect;
  /** See `Store.ownRunners`. */
  ownRunners(names: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Waiting for a connection may take long when thousands of issues close at once; the work itself is some milliseconds,
 * stretched by whatever else the process does meanwhile.
 */
export const TRANSACTION_OPTIONS = { maxWait: 60_000, timeout: 30_000 } as const;
