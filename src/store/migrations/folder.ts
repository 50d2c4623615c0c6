/** Reads the migrations that this version of the app brings, in Prisma's layout. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { DatabaseLocation } from '../database-url.ts';

export interface MigrationFolder {
  path: string;
  schema: string;
  lockfile: string;
  /** In the order of their names, which begin with a time. */
  migrations: readonly { name: string; script: string; checksum: string }[];
}

/** Both `src/store/migrations` and `dist/store/migrations` lie three below the package's root. */
export async function readMigrationFolder(dialect: DatabaseLocation['dialect']): Promise<MigrationFolder> {
  const base = new URL(`../../../prisma/${dialect}/`, import.meta.url);
  const entries = await readdir(new URL('migrations/', base), { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return {
    path: fileURLToPath(new URL('migrations', base)),
    schema: await readFile(new URL('schema.prisma', base), 'utf8'),
    lockfile: await readFile(new URL('migrations/migration_lock.toml', base), 'utf8'),
    migrations: await Promise.all(names.sort().map((name) => readMigration(base, name))),
  };
}

async function readMigration(base: URL, name: string): Promise<MigrationFolder['migrations'][number]> {
  const script = await readFile(new URL(`migrations/${name}/migration.sql`, base), 'utf8');
  return { name, script, checksum: createHash('sha256').update(script).digest('hex') };
}
