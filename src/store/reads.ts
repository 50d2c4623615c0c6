/** What the engine reads, each as one statement. */
import { join, sqltag as sql } from '@prisma/client/runtime/client';
import { LIVE_RUN_STATES } from '../core/run.ts';
import type { LiveRun, StoreReads } from '../engine/ports.ts';
import { makeAttendedReads } from './attended-reads.ts';
import { makeBlockerReads } from './blocker-reads.ts';
import type { Database } from './database.ts';
import { makeMemberReads } from './member-reads.ts';
import { orNull } from './or-null.ts';
import { makeRepositoryReads } from './repository-reads.ts';
import { fromBatchRow } from './rows/batch.ts';
import { fromEpisodeRow } from './rows/episode.ts';
import { fromEventRow } from './rows/event.ts';
import { fromIssueRow } from './rows/issue.ts';
import { fromRunRow } from './rows/run.ts';
import { fromTaskRow } from './rows/task.ts';
import { makeSweepReads } from './sweep-reads.ts';
import { readTrackedIssues } from './tracked-issues.ts';
import { makeUpkeepReads } from './upkeep-reads.ts';

export function makeReads(db: Database): StoreReads {
  return {
    ...makeRepositoryReads(db),
    ...makeIssueReads(db),
    ...makeBlockerReads(db),
    ...makeTaskReads(db),
    ...makeMemberReads(db),
    ...makeRunReads(db),
    ...makeAttendedReads(db),
    ...makeBatchReads(db),
    ...makeSweepReads(db),
    ...makeUpkeepReads(db),
  };
}

type IssueReads = Pick<StoreReads, 'issue' | 'trackedIssues' | 'newestEpisode' | 'episode' | 'countRequeues'>;

function makeIssueReads(db: Database): IssueReads {
  return {
    issue: async ({ repositoryId, number }) => {
      const where = { repositoryId_number: { repositoryId, number } };
      return orNull(await db.issue.findUnique({ where }), fromIssueRow);
    },
    trackedIssues: (since, endedBy) => readTrackedIssues(db, since, endedBy),
    newestEpisode: async (nodeId) =>
      orNull(await db.closeEpisode.findFirst({ where: { nodeId }, orderBy: { closedAt: 'desc' } }), fromEpisodeRow),
    episode: async (id) => orNull(await db.closeEpisode.findUnique({ where: { id } }), fromEpisodeRow),
    countRequeues: async ({ repositoryId, number }, since, except) => {
      const type = 'RECONCILIATION_TASK_REQUEUED';
      const rows = await db.event.findMany({ where: { repositoryId, issueNumber: number, type, at: { gte: since } } });
      // One reopen requeues every task that its close ended; what an issue that blocked it requeued has no episode.
      const episodes = new Set(rows.map((row) => fromEventRow(row).data.episode));
      episodes.delete(except);
      episodes.delete(null);
      return episodes.size;
    },
  };
}

type TaskReads = Pick<StoreReads, 'task' | 'tasksOfIssue' | 'tasksOfBatch' | 'startable' | 'nextNotBefore'>;

function makeTaskReads(db: Database): TaskReads {
  return {
    task: async (id) => orNull(await db.task.findUnique({ where: { id } }), fromTaskRow),
    tasksOfIssue: async ({ repositoryId, number }) => {
      const where = { repositoryId, issueNumber: number };
      const rows = await db.task.findMany({
        where,
        orderBy: [{ createdAt: 'asc' }, { position: 'asc' }, { id: 'asc' }],
      });
      return rows.map(fromTaskRow);
    },
    tasksOfBatch: async (batchId) => {
      const rows = await db.task.findMany({ where: { batchId }, orderBy: [{ position: 'asc' }, { id: 'asc' }] });
      return rows.map(fromTaskRow);
    },
    startable: async (now, limit, { batchIds, repositoryIds }) => {
      const due = { OR: [{ notBefore: null }, { notBefore: { lte: now } }] };
      const ofOtherBatches = { OR: [{ batchId: null }, { batchId: { notIn: [...batchIds] } }] };
      const rows = await db.task.findMany({
        where: {
          ...{ state: 'ready', hold: null, repositoryId: { notIn: [...repositoryIds] } },
          AND: batchIds.length === 0 ? [due] : [due, ofOtherBatches],
        },
        orderBy: [{ priority: 'desc' }, { createdAt: 'asc' }, { position: 'asc' }, { key: 'asc' }],
        take: limit,
      });
      return rows.map(fromTaskRow);
    },
    nextNotBefore: async (now) => {
      const where = { state: 'ready', notBefore: { gt: now } };
      return (await db.task.aggregate({ where, _min: { notBefore: true } }))._min.notBefore;
    },
  };
}

function makeRunReads(db: Database): Pick<StoreReads, 'newestRun' | 'run' | 'liveRuns' | 'unseenRuns'> {
  return {
    // A run's row and its task's `runNumber` are written together: the highest number is that one.
    newestRun: async (taskId) =>
      orNull(await db.run.findFirst({ where: { taskId }, orderBy: { number: 'desc' } }), fromRunRow),
    run: async (id) => orNull(await db.run.findUnique({ where: { id } }), fromRunRow),
    liveRuns: () =>
      db.$queryRaw<LiveRun[]>(sql`
        SELECT runs.id, task_id AS "taskId", runner, runs.state, repository_id AS "repositoryId", batch_id AS "batchId"
        FROM runs JOIN tasks ON tasks.id = task_id
        WHERE runs.state IN (${join(LIVE_RUN_STATES)})
        ORDER BY runs.created_at, runs.id`),
    unseenRuns: async () => (await db.run.findMany({ where: { state: 'lost', goneAt: null } })).map(fromRunRow),
  };
}

function makeBatchReads(db: Database): Pick<StoreReads, 'batch' | 'newestBatch' | 'batchesOfIssue'> {
  const newestFirst = [{ createdAt: 'desc' as const }, { id: 'desc' as const }];
  return {
    batch: async (id) => orNull(await db.batch.findUnique({ where: { id } }), fromBatchRow),
    newestBatch: async (repositoryId, name) =>
      orNull(await db.batch.findFirst({ where: { repositoryId, name }, orderBy: newestFirst }), fromBatchRow),
    batchesOfIssue: async ({ repositoryId, number }, limit) => {
      const where = { repositoryId, issueNumber: number };
      return (await db.batch.findMany({ where, orderBy: newestFirst, take: limit })).map(fromBatchRow);
    },
  };
}
