/** Taking the first due message of each issue, inside a transaction that no other claim runs beside. */
import { sqltag as sql } from '@prisma/client/runtime/client';
import type { OutboxLease } from '../../engine/ports.ts';
import type { Statements } from '../database.ts';
import type { OutboxItem } from '../generated/sqlite/client.ts';
import { leaseEnd, PARKED } from '../lease.ts';
import { fromOutboxRow } from '../rows/outbox-item.ts';
import { claimable, holders, type Moment, mayGo, urgency } from './may-go.ts';

interface Claim extends Moment {
  owner: string;
  limit: number;
  leaseMs: number;
}

/** How many due messages are looked at for one claim; more than one may be of the same issue. */
const WINDOW = 200;

/** Whether anything may be there to take, as one statement: mostly nothing is. */
export async function isAnythingDue(statements: Statements, moment: Moment): Promise<boolean> {
  const rows = await statements.$queryRaw<unknown[]>(sql`
    SELECT 1 FROM outbox_items AS item WHERE ${claimable(moment)} LIMIT 1`);
  return rows.length > 0;
}

export async function claimItems(transaction: Statements, claim: Claim): Promise<readonly OutboxLease[]> {
  const waiting = await transaction.$queryRaw<Waiting[]>(sql`
    WITH ${holders(claim)}
    SELECT id, repository_id AS "repositoryId", issue_number AS "issueNumber" FROM outbox_items AS item
    WHERE ${claimable(claim)} AND ${mayGo}
    ORDER BY ${urgency}, created_at, id LIMIT ${Math.max(WINDOW, claim.limit)}`);
  const ids = firstOfEachIssue(waiting)
    .slice(0, claim.limit)
    .map(({ id }) => id);
  if (ids.length === 0) return [];
  const rows = await transaction.outboxItem.findMany({ where: { id: { in: ids } } });
  const chosen = rows.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
  return takeLeases(transaction, chosen, claim);
}

type Waiting = Pick<OutboxItem, 'id' | 'repositoryId' | 'issueNumber'>;

function firstOfEachIssue(items: readonly Waiting[]): Waiting[] {
  const byIssue = new Map<string, Waiting>();
  for (const item of items) {
    const issue = `${item.repositoryId}#${item.issueNumber}`;
    if (!byIssue.has(issue)) byIssue.set(issue, item);
  }
  return [...byIssue.values()];
}

/** A row that its holder released meanwhile has no such fence and lease any more, and is left alone. */
async function takeLeases(
  transaction: Statements,
  chosen: readonly OutboxItem[],
  claim: Claim,
): Promise<OutboxLease[]> {
  const taken = await transaction.outboxItem.updateManyAndReturn({
    where: { state: 'owed', OR: chosen.map(({ id, fence, leaseUntil }) => ({ id, fence, leaseUntil })) },
    data: {
      owner: claim.owner,
      leaseUntil: leaseEnd(claim.leaseClock, claim.leaseMs),
      dueAt: PARKED,
      fence: { increment: 1 },
    },
    select: { id: true, fence: true },
  });
  const fences = new Map(taken.map(({ id, fence }) => [id, Number(fence)]));
  return chosen.flatMap((row) => {
    const fence = fences.get(row.id);
    return fence === undefined ? [] : [{ item: fromOutboxRow(row), fence, takenOver: row.leaseUntil !== null }];
  });
}
