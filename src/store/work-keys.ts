/** Keys of the work queue: putting them there, by one statement that both databases know, and who holds one. */
import { join, sqltag as sql } from '@prisma/client/runtime/client';
import type { WorkLease } from '../engine/ports.ts';
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

/** The fence alone tells the holder: it is new with every claim. */
export function held({ key, fence }: Pick<WorkLease, 'key' | 'fence'>) {
  return { key, fence: BigInt(fence), leaseUntil: { not: null } };
}
