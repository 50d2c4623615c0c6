import type { MissedDelivery } from '../../engine/ports.ts';
import type { MissedDelivery as MissedRow } from '../generated/sqlite/client.ts';

export function toMissedRow({ attemptId, ...missed }: MissedDelivery): MissedRow {
  return { ...missed, deliveryId: attemptId };
}

export function fromMissedRow({ deliveryId, ...row }: MissedRow): MissedDelivery {
  return { ...row, attemptId: deliveryId, state: row.state as MissedDelivery['state'] };
}
