/** Opens the SQLite database: one durable connection, taken in turns. Leases go by the app's own clock. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import type { Clock } from '../../engine/ports.ts';
import { StartRefused } from '../../engine/ports.ts';
import { type Connection, type Dialect, TRANSACTION_OPTIONS } from '../database.ts';
import { makePlaceCheck } from './database-file.ts';
import { makeExclusiveFactory, statement } from './exclusive-adapter.ts';

export interface SqliteOptions {
  file: string;
  now: Clock;
  onFatal(error: Error): void;
}

export async function connectSqlite(options: SqliteOptions): Promise<Connection> {
  const { PrismaClient } = await import('../generated/sqlite/client.ts');
  const unhurried = new AsyncLocalStorage<true>();
  const adapter = makeExclusiveFactory(makeSqliteFactory(options.file), {
    prepare: prepareConnection,
    isUnhurried: () => unhurried.getStore() ?? false,
    makeCheck: () => makePlaceCheck(options.file),
    onFatal: options.onFatal,
  });
  const db = new PrismaClient({ adapter, transactionOptions: TRANSACTION_OPTIONS });
  await db.$connect();
  // The lock on the file makes this the only app already.
  return {
    db,
    dialect: makeDialect(options.now, unhurried),
    ownRunners: async () => {},
    close: () => db.$disconnect(),
  };
}

export function makeSqliteFactory(file: string): PrismaBetterSqlite3 {
  return new PrismaBetterSqlite3({ url: file, timeout: 5_000 });
}

/** Every commit is on the disk before it is answered for, and a reader never stops the writer. */
async function prepareConnection(adapter: SqlDriverAdapter): Promise<void> {
  const answer = await adapter.queryRaw(statement('PRAGMA journal_mode = WAL'));
  const mode = answer.rows[0]?.[0];
  if (mode !== 'wal') {
    throw new StartRefused(`the database's file system does not allow SQLite's WAL mode (it stays in ${String(mode)})`);
  }
  await adapter.queryRaw(statement('PRAGMA synchronous = FULL'));
  await adapter.queryRaw(statement('PRAGMA foreign_keys = ON'));
}

/** Transactions take turns on the one connection, so claims and the journal are in order by themselves. */
function makeDialect(now: Clock, unhurried: AsyncLocalStorage<true>): Dialect {
  return {
    exclusive: true,
    unhurried: (work) => unhurried.run(true, work),
    leaseClock: async () => now(),
    serialiseOutboxClaims: async () => {},
    serialiseWrites: async () => {},
    serialiseJournal: async () => {},
  };
}
