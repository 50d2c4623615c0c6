/** What is read to keep things up: deliveries that did not arrive, how far listings came, and what may be forgotten. */
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
        const where = { id: { in: portion }, endedAt: { lt: endedBefore }, task: { state: { in: ENDED_STATES } } };
        found.push(...(await db.run.findMany({ where, select: { id: true } })).map(({ id }) => id));
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
