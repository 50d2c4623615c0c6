import { sqltag as sql } from '@prisma/client/runtime/client';
import type { Clock } from '../engine/ports.ts';
import type { Database } from './database.ts';

/** Writes one row for real: a database that only answers reads (a full disk, a standby) is not ready. */
export function makeCheck(db: Database, now: Clock): () => Promise<void> {
  return async () => {
    await db.$executeRaw(
      sql`INSERT INTO probes (id, at) VALUES (1, ${now()}) ON CONFLICT (id) DO UPDATE SET at = excluded.at`,
    );
  };
}
