/** What the engine reads. */
import type { Batch } from '../../core/batch.ts';
import { isUnseen } from '../../core/plan/orphan.ts';
import { isLive } from '../../core/run.ts';
import type { Task } from '../../core/task.ts';
import type { StoreReads } from '../../engine/ports.ts';
import { makeAttendedReads } from './attended-reads.ts';
import { makeBlockerReads } from './blocker-reads.ts';
import { copyOrNull, issueId, type Tables } from './database.ts';
import { earliest } from './lease.ts';
import { makeMemberReads } from './member-reads.ts';
import { makeRepositoryReads } from './repository-reads.ts';
import { sortBy } from './sort.ts';
import { makeSweepReads } from './sweep-reads.ts';
import { readTrackedIssues } from './tracked-issues.ts';
import { makeUpkeepReads } from './upkeep-reads.ts';

export function makeReads(tables: Tables): StoreReads {
  return {
    ...makeRepositoryReads(tables),
    ...makeIssueReads(tables),
    ...makeBlockerReads(tables),
    ...makeTaskReads(tables),
    ...makeMemberReads(tables),
    ...makeRunReads(tables),
    ...makeAttendedReads(tables),
    ...makeBatchReads(tables),
    ...makeSweepReads(tables),
    ...makeUpkeepReads(tables),
  };
}

type IssueReads = Pick<StoreReads, 'issue' | 'trackedIssues' | 'newestEpisode' | 'episode' | 'countRequeues'>;

function makeIssueReads(tables: Tables): IssueReads {
  const { issues, episodes, journal } = tables;
  return {
    issue: async (ref) => copyOrNull(issues.get(issueId(ref))),
    trackedIssues: async (since, endedBy) => readTrackedIssues(tables, since, endedBy),
    newestEpisode: async (nodeId) => {
      const ofIssue = [...episodes.values()].filter((episode) => episode.nodeId === nodeId);
      return copyOrNull(sortBy(ofIssue, ({ closedAt }) => [closedAt]).at(-1));
    },
    episode: async (id) => copyOrNull(episodes.get(id)),
    countRequeues: async ({ repositoryId, number }, since, except) => {
      const requeues = journal.events.filter(
        (event) =>
          event.type === 'RECONCILIATION_TASK_REQUEUED' &&
          event.repositoryId === repositoryId &&
          event.issueNumber === number &&
          event.at >= since,
      );
      // One reopen requeues every task that its close ended; what an issue that blocked it requeued has no episode.
      const reopened = new Set(requeues.map(({ data }) => data.episode));
      reopened.delete(except);
      reopened.delete(null);
      return reopened.size;
    },
  };
}

type TaskReads = Pick<StoreReads, 'task' | 'tasksOfIssue' | 'tasksOfBatch' | 'startable' | 'nextNotBefore'>;

function makeTaskReads({ tasks }: Tables): TaskReads {
  const where = (matches: (task: Task) => boolean) => [...tasks.values()].filter(matches);
  return {
    task: async (id) => copyOrNull(tasks.get(id)),
    tasksOfIssue: async ({ repositoryId, number }) => {
      const found = where((task) => task.repositoryId === repositoryId && task.issueNumber === number);
      return structuredClone(sortBy(found, ({ createdAt, position, id }) => [createdAt, position, id]));
    },
    tasksOfBatch: async (batchId) => {
      const found = where((task) => task.batchId === batchId);
      return structuredClone(sortBy(found, ({ position, id }) => [position, id]));
    },
    startable: async (now, limit, { batchIds, repositoryIds }) => {
      const found = where(
        ({ state, hold, notBefore, batchId, repositoryId }) =>
          state === 'ready' &&
          hold === null &&
          (notBefore === null || notBefore <= now) &&
          !(batchId !== null && batchIds.includes(batchId)) &&
          !repositoryIds.includes(repositoryId),
      );
      const inOrder = sortBy(found, ({ priority, createdAt, position, key }) => [-priority, createdAt, position, key]);
      return structuredClone(inOrder.slice(0, limit));
    },
    nextNotBefore: async (now) => {
      const later = where(({ state, notBefore }) => state === 'ready' && notBefore !== null && notBefore > now);
      return earliest(later.map(({ notBefore }) => notBefore));
    },
  };
}

function makeRunReads({ runs, tasks }: Tables): Pick<StoreReads, 'newestRun' | 'run' | 'liveRuns' | 'unseenRuns'> {
  const liveOldestFirst = () => sortBy([...runs.values()].filter(isLive), ({ createdAt, id }) => [createdAt, id]);
  return {
    // A run's row and its task's `runNumber` are written together: the highest number is that one.
    newestRun: async (taskId) => {
      const ofTask = [...runs.values()].filter((run) => run.taskId === taskId);
      return copyOrNull(sortBy(ofTask, ({ number }) => [number]).at(-1));
    },
    run: async (id) => copyOrNull(runs.get(id)),
    liveRuns: async () =>
      liveOldestFirst().map(({ id, taskId, runner, state }) => {
        const { repositoryId, batchId } = tasks.get(taskId)!;
        return { id, taskId, runner, state, repositoryId, batchId };
      }),
    unseenRuns: async () => [...runs.values()].filter(isUnseen).map((run) => structuredClone(run)),
  };
}

function makeBatchReads({ batches }: Tables): Pick<StoreReads, 'batch' | 'newestBatch' | 'batchesOfIssue'> {
  const newestFirst = (matches: (batch: Batch) => boolean) =>
    sortBy([...batches.values()].filter(matches), ({ createdAt, id }) => [createdAt, id]).reverse();
  return {
    batch: async (id) => copyOrNull(batches.get(id)),
    newestBatch: async (repositoryId, name) =>
      copyOrNull(newestFirst((batch) => batch.repositoryId === repositoryId && batch.name === name)[0]),
    batchesOfIssue: async ({ repositoryId, number }, limit) => {
      const ofIssue = newestFirst((batch) => batch.repositoryId === repositoryId && batch.issueNumber === number);
      return structuredClone(ofIssue.slice(0, limit));
    },
  };
}
