/** The engine's `Store` on a database: SQLite by default, PostgreSQL where several apps share one. */
import { existsSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Clock, Logger, OnEnqueued, Store } from '../engine/ports.ts';
import { makeCheck } from './check.ts';
import { makeCommit } from './commit/commit.ts';
import type { Connection } from './database.ts';
import { type DatabaseLocation, parseDatabaseUrl } from './database-url.ts';
import { makeInbox } from './inbox.ts';
import { makeOutbox } from './outbox/outbox.ts';
import { connectPostgresql } from './postgresql/connect.ts';
import { migratePostgresql } from './postgresql/migrate.ts';
import { makeQueries } from './queries.ts';
import { makeQueue } from './queue.ts';
import { makeReads } from './reads.ts';
import { rememberRepositories } from './remembered.ts';
import { makeRetention } from './retention.ts';
import { connectSqlite } from './sqlite/connect.ts';
import { lockDatabase } from './sqlite/database-lock.ts';
import { migrateSqlite } from './sqlite/migrate.ts';

export interface StoreOptions {
  /** `file:PATH` or `postgresql://…`. */
  databaseUrl: string;
  now: Clock;
  log: Logger;
  onEnqueued?: OnEnqueued;
  /** The database can't be trusted any more: the process has to end. */
  onFatal?: (error: Error) => void;
}

/** How long a starting app waits for one that is ending. */
const START_LOCK_WAIT_MS = 1_000;
const MIGRATE_LOCK_WAIT_MS = 30_000;

/** Opens the database, after bringing it to this version's tables. Throws if another app holds the SQLite file. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const location = parseDatabaseUrl(options.databaseUrl);
  const connection =
    location.dialect === 'sqlite'
      ? await openSqlite(location.file, options)
      : await openPostgresql(location.url, options);
  return makeStore(connection, options);
}

/** Applies what is missing; returns the names of what was applied. */
export async function migrate(databaseUrl: string): Promise<readonly string[]> {
  const location: DatabaseLocation = parseDatabaseUrl(databaseUrl);
  if (location.dialect === 'postgresql') return migratePostgresql(location.url);
  await makeFolder(dirname(resolve(location.file)));
  const unlock = await lockDatabase(location.file, MIGRATE_LOCK_WAIT_MS);
  try {
    return await migrateSqlite(location.file);
  } finally {
    unlock();
  }
}

async function openSqlite(file: string, options: StoreOptions): Promise<Connection> {
  await makeFolder(dirname(resolve(file)));
  const unlock = await lockDatabase(file, START_LOCK_WAIT_MS);
  try {
    logMigrations(await migrateSqlite(file), options.log);
    const connection = await connectSqlite({ file, now: options.now, onFatal: fatalOf(options) });
    const close = () => connection.close().finally(unlock);
    return { ...connection, close };
  } catch (error) {
    unlock();
    throw error;
  }
}

/**
 * The directories of runs may lie in it too: others may pass through it, whatever the umask, but not look around. One by one: in Node 20
 * `recursive` tries for ever where a directory answers ENOENT for what is to be made in it, as /proc does.
 */
async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  await makeFolder(dirname(folder));
  try {
    await mkdir(folder, { mode: 0o711 });
    await chmod(folder, 0o711);
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

async function openPostgresql(url: string, options: StoreOptions): Promise<Connection> {
  logMigrations(await migratePostgresql(url), options.log);
  return connectPostgresql(url, { log: options.log, onFatal: fatalOf(options) });
}

function fatalOf({ log, onFatal }: StoreOptions): (error: Error) => void {
  return onFatal ?? ((error) => log.error({ error: error.message }, 'database failed'));
}

function logMigrations(applied: readonly string[], log: Logger): void {
  if (applied.length > 0) log.info({ migrations: applied }, 'database migrated');
}

function makeStore(connection: Connection, options: StoreOptions): Store {
  const { db } = connection;
  const onEnqueued = options.onEnqueued ?? (() => {});
  let closed: Promise<void> | null = null;
  const reads = makeReads(db);
  const commit = makeCommit(connection, onEnqueued);
  const { exclusive } = connection.dialect;
  return {
    ...reads,
    commit,
    ...(exclusive ? rememberRepositories({ ...reads, commit }) : {}),
    exclusive,
    ownRunners: connection.ownRunners,
    inbox: makeInbox(db),
    queue: makeQueue(connection, { now: options.now, onEnqueued }),
    outbox: makeOutbox(connection, options.now),
    queries: makeQueries(db),
    retention: makeRetention(db),
    check: makeCheck(db, options.now),
    close: () => {
      closed ??= connection.close();
      return closed;
    },
  };
}
