/** Opens the PostgreSQL database: a pool that several apps may share. Leases go by the server's clock. */
import { PrismaPg } from '@prisma/adapter-pg';
import { sqltag as sql } from '@prisma/client/runtime/client';
import type { Logger } from '../../engine/ports.ts';
import { type Connection, type Database, type Dialect, type Statements, TRANSACTION_OPTIONS } from '../database.ts';
import { LOCK_SPACE, LOCKS } from './locks.ts';
import { lockRunners, type RunnerLock } from './runner-lock.ts';

/**
 * An app whose machine vanished in the middle of a transaction must not hold up the others until the network notices: the
 * server ends a transaction that says nothing for this long. No transaction waits for anything but the database.
 */
const BOUNDS = { connectionTimeoutMillis: 5_000, idle_in_transaction_session_timeout: 30_000, keepAlive: true };

export interface PostgresqlOptions {
  log: Logger;
  /** A session that must not end has ended. */
  onFatal: (error: Error) => void;
}

export async function connectPostgresql(url: string, { log, onFatal }: PostgresqlOptions): Promise<Connection> {
  const { PrismaClient } = await import('../generated/postgresql/client.ts');
  const adapter = new PrismaPg(
    { connectionString: url, max: 10, ...BOUNDS },
    { onPoolError: (error) => log.warn({ error: error.message }, 'a database connection was lost') },
  );
  const client = new PrismaClient({ adapter, transactionOptions: TRANSACTION_OPTIONS });
  await client.$connect();
  const db = client as unknown as Database;
  const locks: RunnerLock[] = [];
  return {
    db,
    dialect: makeDialect(),
    async ownRunners(names) {
      if (names.length > 0) locks.push(await lockRunners(url, names, onFatal));
    },
    async close() {
      await Promise.all(locks.map((lock) => lock.close()));
      await client.$disconnect();
    },
  };
}

function makeDialect(): Dialect {
  return {
    exclusive: false,
    unhurried: (work) => work(),
    leaseClock: readClock,
    serialiseOutboxClaims: (transaction) => lockUntilEnd(transaction, LOCKS.outboxClaims),
    serialiseWrites: (transaction) => lockUntilEnd(transaction, LOCKS.writes),
    // Numbers are drawn from the sequence only by whoever holds the lock, and the lock ends after the commit is visible:
    // a reader that saw number 7 has seen every event below it that will ever be.
    serialiseJournal: (transaction) => lockUntilEnd(transaction, LOCKS.journal),
  };
}

async function readClock(statements: Statements): Promise<Date> {
  const rows = await statements.$queryRaw<{ ms: number }[]>(
    sql`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms`,
  );
  return new Date(Math.floor(rows[0]!.ms));
}

async function lockUntilEnd(transaction: Statements, lock: number): Promise<void> {
  await transaction.$executeRaw(sql`SELECT pg_advisory_xact_lock(${LOCK_SPACE}::int4, ${lock}::int4)`);
}
