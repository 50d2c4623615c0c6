/** Migrates the PostgreSQL database; apps that start at the same time wait for the first. */
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { readMigrationFolder } from '../migrations/folder.ts';
import { applyMigrations } from '../migrations/migrate.ts';
import { LOCK_SPACE, LOCKS } from './locks.ts';

export async function migratePostgresql(url: string): Promise<readonly string[]> {
  const holder = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  // A lost connection shows in the next query too; unheard, this event would end the process.
  holder.on('error', () => {});
  await holder.connect();
  try {
    // Held by this session, which ends with it.
    await holder.query('SELECT pg_advisory_lock($1::int4, $2::int4)', [LOCK_SPACE, LOCKS.migration]);
    // One connection, since the engine's own lock belongs to a session too.
    const factory = new PrismaPg({ connectionString: url, max: 1 });
    return await applyMigrations(factory, await readMigrationFolder('postgresql'));
  } finally {
    await holder.end();
  }
}
