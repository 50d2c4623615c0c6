/**
 * Brings a database to this version's tables, once, whoever starts at the same time: the caller holds the lock.
 * A database that a newer version has written, or whose history is another one, is refused and left as it is.
 */
import type { SqlDriverAdapter, SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import type { DiagnoseMigrationHistoryOutput } from '@prisma/schema-engine-wasm/schema_engine_bg';
import { StartRefused } from '../../engine/ports.ts';
import { ALL_TABLES, toMigrationList, withSchemaEngine } from './engine.ts';
import type { MigrationFolder } from './folder.ts';

/** Returns the names of the migrations that were applied. */
export async function applyMigrations(
  factory: SqlMigrationAwareDriverAdapterFactory,
  folder: MigrationFolder,
): Promise<readonly string[]> {
  const history = await readHistory(factory);
  if (history !== null && isUpToDate(history, folder)) return [];
  return withSchemaEngine(factory, folder.schema, async (engine) => {
    const input = { migrationsList: toMigrationList(folder), filters: ALL_TABLES };
    // The engine can't diagnose an SQLite database that has no history yet.
    const found = history && (await engine.diagnoseMigrationHistory({ ...input, optInToShadowDatabase: false }));
    const problem = found && explainProblem(found);
    if (problem !== null) throw new StartRefused(`the database can't be used by this version of Standdown: ${problem}`);
    return (await engine.applyMigrations(input)).appliedMigrationNames;
  });
}

function explainProblem(found: DiagnoseMigrationHistoryOutput): string | null {
  const { history } = found;
  if (history?.diagnostic === 'migrationsDirectoryIsBehind') {
    return `it is newer, having ${history.unpersistedMigrationNames.join(', ')}; start the version that wrote it, or a later one`;
  }
  if (history?.diagnostic === 'historiesDiverge') {
    return `its history differs, having ${history.unpersistedMigrationNames.join(', ')} and lacking ${history.unappliedMigrationNames.join(', ')}`;
  }
  if (found.failedMigrationNames.length > 0) {
    return `the migration ${found.failedMigrationNames.join(', ')} failed halfway; restore a backup`;
  }
  if (found.editedMigrationNames.length > 0) {
    return `it was made by other scripts of ${found.editedMigrationNames.join(', ')}`;
  }
  return null;
}

interface AppliedMigration {
  name: unknown;
  checksum: unknown;
  finished: boolean;
}

function isUpToDate(history: readonly AppliedMigration[], folder: MigrationFolder): boolean {
  const applied = history.map(({ name, checksum, finished }) => `${name} ${checksum} ${finished}`);
  const wanted = folder.migrations.map(({ name, checksum }) => `${name} ${checksum} true`);
  return applied.join() === wanted.join();
}

/** Prisma's own table, read without its engine; null where there is none yet. */
async function readHistory(
  factory: SqlMigrationAwareDriverAdapterFactory,
): Promise<readonly AppliedMigration[] | null> {
  const adapter = await factory.connect();
  try {
    const tables = adapter.provider === 'sqlite' ? 'sqlite_master WHERE name' : 'pg_tables WHERE tablename';
    const found = await query(adapter, `SELECT count(*) FROM ${tables} = '_prisma_migrations'`);
    if (Number(found[0]?.[0]) === 0) return null;
    const rows = await query(
      adapter,
      'SELECT migration_name, checksum, finished_at FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY migration_name',
    );
    return rows.map(([name, checksum, finishedAt]) => ({ name, checksum, finished: finishedAt !== null }));
  } finally {
    await adapter.dispose();
  }
}

async function query(adapter: SqlDriverAdapter, sql: string): Promise<unknown[][]> {
  return (await adapter.queryRaw({ sql, args: [], argTypes: [] })).rows;
}
