/** Migrates the SQLite file. The caller holds the file's lock: two schema engines at once would fail each other. */
import { readMigrationFolder } from '../migrations/folder.ts';
import { applyMigrations } from '../migrations/migrate.ts';
import { makeSqliteFactory } from './connect.ts';
import { ensurePrivateFile } from './database-file.ts';

export async function migrateSqlite(file: string): Promise<readonly string[]> {
  ensurePrivateFile(file);
  return applyMigrations(makeSqliteFactory(file), await readMigrationFolder('sqlite'));
}
