/** Putting keys into the work queue: one statement that both databases know. */
import { join, sqltag as sql } from '@prisma/client/runtime/client';
import type { Statements } from './database.ts';
import { firstFence } from './lease.ts';
import { dueEarlier, inPortions, mergeByKey } from './many-rows.ts';

export interface DueKey {
  key: string;
  dueAt: Date;
}

export async function upsertWorkKeys(statements: Statements, keys: readonly DueKey[]): Promise<void> {
  for (const portion of inPortions(mergeByKey(keys, ({ key }) => key, dueEarlier))) {
    const rows = portion.map(({ key, dueAt }) => sql`(${key}, ${dueAt}, ${firstFence()}, 0)`);
    await statements.$executeRaw(sql`
      INSERT INTO work_keys (key, due_at, fence, failures) VALUES ${join(rows)}
      ON CONFLICT (key) DO UPDATE SET due_at = excluded.due_at WHERE excluded.due_at < work_keys.due_at`);
  }
}
