import { sqltag as sql } from '@prisma/client/runtime/client';
import type { ScopedHold } from '../../core/hold.ts';
import type { Statements } from '../database.ts';
import { toHoldRow } from '../rows/hold.ts';

/** One statement, because on PostgreSQL a failed insert would end the transaction. */
export async function putHold(tx: Statements, hold: ScopedHold): Promise<void> {
  const { scope, reason, actor, at } = toHoldRow(hold);
  await tx.$executeRaw(sql`
    INSERT INTO holds (scope, reason, actor, at) VALUES (${scope}, ${reason}, ${actor}, ${at})
    ON CONFLICT (scope) DO UPDATE SET reason = excluded.reason, actor = excluded.actor, at = excluded.at`);
}
