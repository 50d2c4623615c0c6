/** What the outside reads: pages, newest first, repositories, and the journal. */
import type { Run } from '../core/run.ts';
import type { Queries, TaskCount } from '../engine/ports.ts';
import { NEWEST_FIRST, olderThan, parseEventId, toPage } from './cursor.ts';
import type { Database } from './database.ts';
import { parseIdCursor, toIdPage } from './id-cursor.ts';
import { readInPortions } from './many-rows.ts';
import { fromBatchRow } from './rows/batch.ts';
import { fromEventRow } from './rows/event.ts';
import { fromRepositoryRow, fromStateRow } from './rows/repository.ts';
import { fromRunRow } from './rows/run.ts';
import { fromTaskRow } from './rows/task.ts';

export function makeQueries(db: Database): Queries {
  return {
    batches: async ({ cursor, limit, ...filter }) => {
      const where = { ...filter, ...olderThan(cursor) };
      return toPage(await db.batch.findMany({ where, orderBy: NEWEST_FIRST, take: limit + 1 }), limit, fromBatchRow);
    },
    tasks: async ({ cursor, limit, ...filter }) => {
      const where = { ...filter, ...olderThan(cursor) };
      return toPage(await db.task.findMany({ where, orderBy: NEWEST_FIRST, take: limit + 1 }), limit, fromTaskRow);
    },
    runsOfTasks: async (taskIds) => {
      const rows = await readInPortions(taskIds, (ids) =>
        db.run.findMany({ where: { taskId: { in: ids } }, orderBy: [{ taskId: 'asc' }, { number: 'asc' }] }),
      );
      return groupByTask(taskIds, rows.map(fromRunRow));
    },
    countsOfBatches: async (batchIds) => {
      const groups = await readInPortions(batchIds, (ids) =>
        db.task.groupBy({ by: ['batchId', 'state', 'cause'], where: { batchId: { in: ids } }, _count: true }),
      );
      const byBatch = new Map<string, TaskCount[]>(batchIds.map((id) => [id, []]));
      for (const { batchId, ...group } of groups) byBatch.get(batchId!)?.push(toTaskCount(group));
      return byBatch;
    },
    repositories: async (ids) =>
      new Map((await readRepositories(db, ids)).map((row) => [row.id, fromRepositoryRow(row)])),
    statesOfRepositories: async (ids) =>
      new Map((await readRepositories(db, ids)).map((row) => [row.id, fromStateRow(row)])),
    repositoryStates: async ({ id, cursor, limit }) => {
      const where = { ...(id && { id }), ...(cursor && { AND: [{ id: { gt: parseIdCursor(cursor) } }] }) };
      const rows = await db.repository.findMany({ where, orderBy: { id: 'asc' }, take: limit + 1 });
      return toIdPage(rows, limit, fromStateRow);
    },
    events: async (after, limit) => {
      const where = after === null ? {} : { seq: { gt: parseEventId(after) } };
      return (await db.event.findMany({ where, orderBy: { seq: 'asc' }, take: limit })).map(fromEventRow);
    },
    newestEventId: async () => {
      const newest = await db.event.findFirst({ orderBy: { seq: 'desc' }, select: { seq: true } });
      return newest === null ? null : String(newest.seq);
    },
    backlog: async () => {
      const [deliveries, messages, keys] = await Promise.all([
        db.delivery.count({ where: { outcome: null } }),
        db.outboxItem.count({ where: { state: 'owed', kind: { not: 'status' } } }),
        db.workKey.count(),
      ]);
      return { deliveries, messages, keys };
    },
  };
}

function toTaskCount(group: { state: string; cause: string | null; _count: number }): TaskCount {
  return { state: group.state as TaskCount['state'], cause: group.cause as TaskCount['cause'], count: group._count };
}

function readRepositories(db: Database, ids: readonly string[]) {
  return readInPortions(ids, (portion) => db.repository.findMany({ where: { id: { in: portion } } }));
}

/** Tasks without runs have an empty list. */
function groupByTask(taskIds: readonly string[], runs: readonly Run[]): ReadonlyMap<string, readonly Run[]> {
  const byTask = new Map<string, Run[]>(taskIds.map((id) => [id, []]));
  for (const run of runs) byTask.get(run.taskId)?.push(run);
  return byTask;
}
