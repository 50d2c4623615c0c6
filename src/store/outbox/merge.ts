/** Messages that are told by another one of the same issue. */
import { join, sqltag as sql } from '@prisma/client/runtime/client';
import type { Outbox } from '../../engine/ports.ts';
import type { Connection } from '../database.ts';
import type { Prisma } from '../generated/sqlite/client.ts';
import { viewItems } from './view.ts';

const inOrder: Prisma.OutboxItemOrderByWithRelationInput[] = [{ createdAt: 'asc' }, { id: 'asc' }];

/** Nobody has tried it, and it tells nothing besides its own. */
const untried = {
  kind: 'outcome',
  state: 'owed',
  leaseUntil: null,
  remoteId: null,
  sentAt: null,
  failures: 0,
  mergedInto: null,
} satisfies Prisma.OutboxItemWhereInput;

export function makeMerging({ db }: Pick<Connection, 'db'>): Pick<Outbox, 'mergeable' | 'merge' | 'mergedInto'> {
  return {
    mergeable: ({ id, repositoryId, number }, limit) => {
      const where = { ...untried, repositoryId, issueNumber: number, id: { not: id } };
      return viewItems(db, { where, orderBy: inOrder, take: limit });
    },
    // One statement: whoever has lost the lease merges nothing. What was told together once stays together.
    merge: async ({ item, fence }, ids) => {
      await db.$executeRaw(sql`
        UPDATE outbox_items SET merged_into = ${item.id}
        WHERE id IN (${join([...ids])}) AND id <> ${item.id}
          AND kind = 'outcome' AND state = 'owed' AND lease_until IS NULL AND remote_id IS NULL AND sent_at IS NULL
          AND failures = 0 AND merged_into IS NULL
          AND EXISTS (SELECT 1 FROM outbox_items AS holder
            WHERE holder.id = ${item.id} AND holder.fence = ${BigInt(fence)} AND holder.lease_until IS NOT NULL)
          AND NOT EXISTS (SELECT 1 FROM outbox_items AS told WHERE told.merged_into = outbox_items.id)`);
    },
    mergedInto: (itemId) => viewItems(db, { where: { mergedInto: itemId }, orderBy: inOrder }),
  };
}
