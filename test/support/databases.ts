/** Databases for tests: temporary, real, and removed again. */
import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import BetterSqlite3 from 'better-sqlite3';
import pg from 'pg';
import type { Clock, Logger, OnEnqueued, Store } from '../../src/engine/ports.ts';
import { migrate, openStore } from '../../src/store/index.ts';
import { readMigrationFolder } from '../../src/store/migrations/folder.ts';
import { databaseRoot } from './database-root.ts';

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/standdown', import.meta.url));

export const silentLog: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export interface TestStore {
  store: Store;
  databaseUrl: string;
  close(): Promise<void>;
}

export interface TestStoreOptions {
  now?: Clock;
  onEnqueued?: OnEnqueued;
  log?: Logger;
}

/** A store on a temporary SQLite file; `close` ends it and removes the file. */
export async function openTestStore(options: TestStoreOptions = {}): Promise<TestStore> {
  return openOn(await makeMigratedDatabase(), options);
}

/** A temporary SQLite file with all tables: a copy, which opens faster than an empty one. */
export async function makeMigratedDatabase(): Promise<TestDatabase> {
  const database = await makeSqliteDatabase();
  migrated ??= readMigratedFile();
  await writeFile(fileOf(database), await migrated);
  return database;
}

let migrated: Promise<Buffer> | undefined;

/** Made once for all test processes, and again when the migrations are others. */
async function readMigratedFile(): Promise<Buffer> {
  const { migrations } = await readMigrationFolder('sqlite');
  const history = createHash('sha256').update(JSON.stringify(migrations)).digest('hex');
  const kept = join(CACHE, `migrated-${history.slice(0, 16)}.db`);
  return readFile(kept).catch(() => makeMigratedFile(kept));
}

async function makeMigratedFile(kept: string): Promise<Buffer> {
  const database = await makeSqliteDatabase();
  try {
    await migrate(database.databaseUrl);
    await mkdir(CACHE, { recursive: true });
    // Under its name it is whole, whoever else makes it meanwhile.
    const whole = `${kept}.${process.pid}`;
    await copyFile(fileOf(database), whole);
    await rename(whole, kept);
    return await readFile(kept);
  } finally {
    await database.remove();
  }
}

function fileOf({ databaseUrl }: Pick<TestDatabase, 'databaseUrl'>): string {
  return databaseUrl.slice('file:'.length);
}

export interface TestDatabase {
  databaseUrl: string;
  remove(): Promise<void>;
}

export async function makeSqliteDatabase(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(databaseRoot(), 'standdown-store-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  return { databaseUrl: `file:${join(folder, 'test.db')}`, remove };
}

/** Removes every row, and starts the numbers anew. A store may have the file open, as long as it does nothing meanwhile. */
export function emptySqliteDatabase(databaseUrl: string): void {
  const db = new BetterSqlite3(fileOf({ databaseUrl }));
  try {
    db.pragma('foreign_keys = OFF');
    const all = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name <> '_prisma_migrations'");
    const tables = all.pluck().all();
    db.exec(['BEGIN', ...tables.map((name) => `DELETE FROM "${name}"`), 'COMMIT'].join(';'));
  } finally {
    db.close();
  }
}

/** A fresh, empty database on the server that `adminUrl` names. */
export async function makePostgresqlDatabase(adminUrl = postgresqlAdminUrl()): Promise<TestDatabase> {
  const name = `standdown_test_${process.pid}_${Math.random().toString(36).slice(2, 10)}`;
  await queryPostgresql(adminUrl, `CREATE DATABASE ${name}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  const remove = async () => void (await queryPostgresql(adminUrl, `DROP DATABASE ${name} WITH (FORCE)`));
  return { databaseUrl: url.href, remove };
}

export async function openOn(database: TestDatabase, options: TestStoreOptions = {}): Promise<TestStore> {
  const { databaseUrl } = database;
  const { now = () => new Date(), log = silentLog, onEnqueued } = options;
  try {
    const store = await openStore({ databaseUrl, now, log, ...(onEnqueued && { onEnqueued }) });
    return { store, databaseUrl, close: () => store.close().finally(database.remove) };
  } catch (error) {
    await database.remove();
    throw error;
  }
}

/** The server that PostgreSQL tests may make databases on, as `postgres://USER@HOST:PORT/DATABASE`. */
export function postgresqlAdminUrl(): string {
  const url = process.env.STANDDOWN_TEST_POSTGRES;
  if (!url) throw new Error('set STANDDOWN_TEST_POSTGRES to a postgres:// URL of a server where databases may be made');
  return url;
}

/** Removes every row, and starts the numbers anew. */
export async function emptyPostgresqlDatabase(databaseUrl: string): Promise<void> {
  const tables = `SELECT string_agg(quote_ident(tablename), ', ') AS names FROM pg_tables
    WHERE schemaname = 'public' AND tablename <> '_prisma_migrations'`;
  const [row] = await queryPostgresql(databaseUrl, tables);
  if (row?.names) await queryPostgresql(databaseUrl, `TRUNCATE ${row.names} RESTART IDENTITY`);
}

export async function queryPostgresql(databaseUrl: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
