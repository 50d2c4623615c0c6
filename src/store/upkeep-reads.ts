/** What is read to keep things up: deliveries that did not arrive, how far listings came, and what may be forgotten. */
import { join, sqltag as sql } from '@prisma/client/runtime/client';
import { isEnded, TASK_STATES } from '../core/task.ts';
import type { MissedDelivery, StoreReads } from '../engine/ports.ts';
import type { Database } from './database.ts';
import { inPortions } from './many-rows.ts';
import { orNull } from './or-null.ts';
import { fromMissedRow } from './rows/missed.ts';

export type UpkeepReads = Pick<
  StoreReads,
  'missedDelivery' | 'missedDeliveries' | 'countMissed' | 'hasDelivery' | 'cursor' | 'forgettableRuns' | 'failingKeys'
>;

const ENDED_STATES = TASK_STATES.filter(isEnded);

export function makeUpkeepReads(db: Database): UpkeepReads {
  return {
    missedDelivery: async (guid) => orNull(await db.missedDelivery.findUnique({ where: { guid } }), fromMissedRow),
    missedDeliveries: async (state, limit) => {
      const rows = await db.missedDelivery.findMany({
        where: { state },
        orderBy: [{ deliveredAt: 'asc' }, { guid: 'asc' }],
        take: limit,
      });
      return rows.map(fromMissedRow);
    },
    countMissed: async () => {
      const counts: Record<MissedDelivery['state'], number> = { missed: 0, recovered: 0, given_up: 0 };
      const groups = await db.missedDelivery.groupBy({ by: ['state'], _count: { _all: true } });
      for (const { state, _count } of groups) counts[state as MissedDelivery['state']] = _count._all;
      return counts;
    },
    hasDelivery: async (id) => (await db.delivery.findUnique({ where: { id }, select: { seq: true } })) !== null,
    cursor: async (name) => (await db.cursor.findUnique({ where: { name } }))?.value ?? null,
    forgettableRuns: async (ids, endedBefore) => {
      const found: string[] = [];
      for (const portion of inPortions(ids)) {
        // As a join, SQLite would read all ended tasks for it.
        const rows = await db.$queryRaw<{ id: string }[]>(sql`
          SELECT id FROM runs WHERE id IN (${join(portion)})
            AND (ended_at < ${endedBefore} OR (ended_at IS NULL AND gone_at < ${endedBefore}))
            AND EXISTS (SELECT 1 FROM tasks WHERE tasks.id = task_id AND tasks.state IN (${join(ENDED_STATES)}))`);
        found.push(...rows.map(({ id }) => id));
      }
      return found;
    },
    failingKeys: async (limit) => {
      const rows = await db.workKey.findMany({
        where: { failingSince: { not: null } },
        orderBy: { failingSince: 'asc' },
        take: limit,
      });
      return rows.map(({ key, failures, lastError, failingSince, dueAt }) => ({
        ...{ key, failures, dueAt },
        error: lastError ?? '',
        since: failingSince ?? dueAt,
      }));
    },
  };
}
