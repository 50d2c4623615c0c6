/** Deliveries, kept before they are answered. One statement, outside any transaction. */
import { sqltag as sql } from '@prisma/client/runtime/client';
import type { Inbox } from '../engine/ports.ts';
import type { Database } from './database.ts';

export function makeInbox(db: Database): Inbox {
  return {
    // GitHub waits for this one: written out, it takes half the time that the query builder takes.
    insert: async ({ id, event, payload, receivedAt }) => {
      const inserted = await db.$executeRaw(sql`
        INSERT INTO deliveries (id, event, payload, received_at) VALUES (${id}, ${event}, ${payload}, ${receivedAt})
        ON CONFLICT (id) DO NOTHING`);
      return inserted === 1 ? 'stored' : 'duplicate';
    },
    pending: (limit) =>
      db.delivery.findMany({
        where: { outcome: null },
        orderBy: { seq: 'asc' },
        take: limit,
        select: { id: true, event: true, payload: true, receivedAt: true },
      }),
  };
}
