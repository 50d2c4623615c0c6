/** Databases for tests: temporary, real, and removed again. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Clock, Logger, OnEnqueued, Store } from '../../src/engine/ports.ts';
import { migrate, openStore } from '../../src/store/index.ts';

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
  const database = await makeSqliteDatabase();
  migrated ??= readMigratedFile();
  await writeFile(fileOf(database), await migrated);
  return openOn(database, options);
}

/** A file with all tables, made once per process: a copy opens faster than an empty one. */
let migrated: Promise<Buffer> | undefined;

async function readMigratedFile(): Promise<Buffer> {
  const database = await makeSqliteDatabase();
  try {
    await migrate(database.databaseUrl);
    return await readFile(fileOf(database));
  } finally {
    await database.remove();
  }
}

function fileOf({ databaseUrl }: TestDatabase): string {
  return databaseUrl.slice('file:'.length);
}

export interface TestDatabase {
  databaseUrl: string;
  remove(): Promise<void>;
}

export async function makeSqliteDatabase(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'standdown-store-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  return { databaseUrl: `file:${join(folder, 'test.db')}`, remove };
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
