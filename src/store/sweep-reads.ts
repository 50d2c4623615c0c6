/** What the sweep reads: what is known of each repository, and its tracked issues in pages. */
import { isEnded, TASK_STATES } from '../core/task.ts';
import type { StoreReads } from '../engine/ports.ts';
import type { Database } from './database.ts';
import { orNull } from './or-null.ts';
import { fromBlockerRow } from './rows/blocker.ts';
import { fromIssueRow } from './rows/issue.ts';
import { fromStateRow } from './rows/repository.ts';
import { fromTaskRow } from './rows/task.ts';
import { readIsTracked, readTrackedNumbers, readTrackedRepositories } from './tracked-issues.ts';

export type SweepReads = Pick<
  StoreReads,
  | 'repositoryState'
  | 'repositoryStates'
  | 'trackedRepositories'
  | 'isTracked'
  | 'trackedNumbers'
  | 'issuesOf'
  | 'blockersAmong'
  | 'unfinishedTasks'
>;

const UNFINISHED_STATES = TASK_STATES.filter((state) => !isEnded(state));

export function makeSweepReads(db: Database): SweepReads {
  return {
    repositoryState: async (id) => orNull(await db.repository.findUnique({ where: { id } }), fromStateRow),
    repositoryStates: async () => (await db.repository.findMany({ orderBy: { id: 'asc' } })).map(fromStateRow),
    trackedRepositories: (since) => readTrackedRepositories(db, since),
    isTracked: (repositoryId, since, endedBy = 'close') => readIsTracked(db, repositoryId, { since, endedBy }),
    trackedNumbers: (repositoryId, page) => readTrackedNumbers(db, repositoryId, page),
    issuesOf: async (repositoryId, numbers) => {
      const rows = await db.issue.findMany({ where: { repositoryId, number: { in: [...numbers] } } });
      return rows.map(fromIssueRow);
    },
    blockersAmong: async (repositoryId, numbers) => {
      const rows = await db.issueBlocker.findMany({ where: { repositoryId, issueNumber: { in: [...numbers] } } });
      return rows.map(fromBlockerRow);
    },
    unfinishedTasks: async (repositoryId, limit) => {
      const where = { repositoryId, state: { in: UNFINISHED_STATES } };
      const rows = await db.task.findMany({ where, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }], take: limit });
      return rows.map(fromTaskRow);
    },
  };
}
