/** What GitHub says of deliveries that did not arrive. One statement each, because on PostgreSQL a failed insert would end the transaction. */
import { sqltag as sql } from '@prisma/client/runtime/client';
import type { MissedDelivery } from '../../engine/ports.ts';
import type { Statements } from '../database.ts';
import { toMissedRow } from '../rows/missed.ts';

export async function putMissed(tx: Statements, missed: MissedDelivery): Promise<void> {
  const { guid, deliveryId, event, action, deliveredAt, asked, askedAt, state } = toMissedRow(missed);
  await tx.$executeRaw(sql`
    INSERT INTO missed_deliveries (guid, delivery_id, event, action, delivered_at, asked, asked_at, state)
    VALUES (${guid}, ${deliveryId}, ${event}, ${action}, ${deliveredAt}, ${asked}, ${askedAt}, ${state})
    ON CONFLICT (guid) DO UPDATE SET
      delivery_id = excluded.delivery_id, event = excluded.event, action = excluded.action,
      delivered_at = excluded.delivered_at, asked = excluded.asked, asked_at = excluded.asked_at, state = excluded.state`);
}

export async function putCursor(
  tx: Statements,
  { name, value, at }: { name: string; value: string; at: Date },
): Promise<void> {
  await tx.$executeRaw(sql`
    INSERT INTO cursors (name, value, at) VALUES (${name}, ${value}, ${at})
    ON CONFLICT (name) DO UPDATE SET value = excluded.value, at = excluded.at`);
}
