/** A batch by its tasks: only what it goes by of each, and only of those that are asked for. */
import { join, type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import type { BatchMember } from '../core/plan/batch.ts';
import type { StoreReads, TaskCount } from '../engine/ports.ts';
import type { Database } from './database.ts';
import { inPortions } from './many-rows.ts';
import { fromJson } from './rows/columns.ts';

type MemberReads = Pick<StoreReads, 'membersOfBatch' | 'members' | 'needsOfBatch' | 'needsDueOf' | 'outlineOfBatch'>;

export function makeMemberReads(db: Database): MemberReads {
  return {
    membersOfBatch: (batchId) => readMembers(db, sql`batch_id = ${batchId} ORDER BY position, id`),
    members: async (ids) => {
      const found: BatchMember[] = [];
      for (const portion of inPortions(ids)) found.push(...(await readMembers(db, sql`id IN (${join(portion)})`)));
      return found;
    },
    needsOfBatch: async (batchId) => {
      const rows = await db.$queryRaw<{ id: string; key: string; needs: string }[]>(sql`
        SELECT id, key, needs FROM tasks WHERE batch_id = ${batchId}`);
      return rows.map(({ id, key, needs }) => ({ id, key, needs: fromJson<string[]>(needs) }));
    },
    needsDueOf: (batchId, limit) =>
      db.task.findMany({
        where: { batchId, OR: [{ needsDue: true }, { needsDue: null }] },
        select: { id: true, key: true, version: true },
        take: limit,
      }),
    // One statement, and so one moment: a task that starts between two would seem neither to run nor to be ready.
    outlineOfBatch: async (batchId) => {
      const rows = await db.$queryRaw<OutlineRow[]>(sql`
        SELECT state, cause, COUNT(*) AS count, (
          SELECT COUNT(*) FROM (
            SELECT 1 FROM tasks WHERE batch_id = ${batchId} AND state = 'ready' AND hold IS NULL LIMIT 1
          ) AS ready
        ) AS startable
        FROM tasks WHERE batch_id = ${batchId} GROUP BY state, cause`);
      return {
        counts: rows.map(({ state, cause, count }) => ({ state, cause, count: Number(count) })),
        startable: rows.some(({ startable }) => Number(startable) > 0),
      };
    },
  };
}

type OutlineRow = Pick<TaskCount, 'state' | 'cause'> & { count: number | bigint; startable: number | bigint };

type MemberRow = Omit<BatchMember, 'stopping'> & {
  stopping: number | bigint;
};

async function readMembers(db: Database, which: Sql): Promise<BatchMember[]> {
  const rows = await db.$queryRaw<MemberRow[]>(sql`
    SELECT id, key, state, cause,
      CASE WHEN target IS NULL THEN 0 ELSE 1 END AS stopping
    FROM tasks WHERE ${which}`);
  return rows.map(({ stopping, ...plain }) => ({
    ...plain,
    stopping: Number(stopping) === 1,
  }));
}
