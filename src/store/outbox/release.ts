/** Giving a message back with what came of it, and with it all that it told. */
import type { OutboxLease, OutboxResult } from '../../engine/ports.ts';
import { appendEvents } from '../commit/journal.ts';
import type { Dialect, Statements } from '../database.ts';
import { PARKED } from '../lease.ts';

/** False if the lease was lost. To be called in a transaction. `now`: when it is due where the result does not say. */
export async function releaseItem(
  transaction: Statements,
  dialect: Dialect,
  { lease, result, now }: { lease: OutboxLease; result: OutboxResult; now: Date },
): Promise<boolean> {
  const { state, dueAt = now, error, sentAt, journal = [] } = result;
  const data = { ...changeOf(result), owner: null, leaseUntil: null };
  const settled = await transaction.outboxItem.updateMany({
    where: { ...held(lease), dueAt: PARKED },
    data: { ...data, state, dueAt },
  });
  if (settled.count === 0) {
    // Owed again meanwhile: due as it was asked for, but not before a failure's back-off is over.
    const backOff = error === undefined ? {} : { dueAt };
    const where = held(lease);
    const again = await transaction.outboxItem.updateMany({ where, data: { ...data, ...backOff, state: 'owed' } });
    if (again.count === 0) return false;
  } else if (state !== 'owed') {
    const told = { state, ...(sentAt === undefined ? {} : { sentAt }) };
    await transaction.outboxItem.updateMany({ where: { mergedInto: lease.item.id }, data: told });
  }
  if (journal.length > 0) await appendEvents(transaction, dialect, journal);
  return true;
}

/** A failure that may have left a comment behind is remembered until the message is sent. */
function changeOf({ state, remoteId, bodyHash, error, sentAt }: OutboxResult) {
  return {
    ...(remoteId === undefined ? {} : { remoteId }),
    ...(bodyHash === undefined ? {} : { bodyHash }),
    ...(sentAt === undefined ? {} : { sentAt }),
    ...(state === 'sent' ? { failures: 0, lastError: null } : {}),
    ...(error === undefined ? {} : { failures: { increment: 1 }, lastError: error }),
  };
}

export function held({ item, fence }: OutboxLease): { id: string; fence: bigint; leaseUntil: { not: null } } {
  return { id: item.id, fence: BigInt(fence), leaseUntil: { not: null } };
}
