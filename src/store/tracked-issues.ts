/** Which issues a sweep looks after, as one statement that answers each of its parts from an index. */
import { join, sqltag as sql } from '@prisma/client/runtime/client';
import type { IssueRef } from '../core/issue.ts';
import { isEnded, TASK_STATES } from '../core/task.ts';
import type { Database } from './database.ts';

/** Named one by one, because an index answers for what is asked and not for what is excluded. */
const UNFINISHED_STATES = TASK_STATES.filter((state) => !isEnded(state));

/** `UNION ALL`, because SQLite answers a `UNION` in order, and reads the whole index of issues for that. */
export function readTrackedIssues(db: Database, since: Date): Promise<IssueRef[]> {
  return db.$queryRaw<IssueRef[]>(sql`
    SELECT DISTINCT "repositoryId", "number" FROM (
      SELECT repository_id AS "repositoryId", issue_number AS "number" FROM tasks
      WHERE issue_number IS NOT NULL AND state IN (${join(UNFINISHED_STATES)})
      UNION ALL
      SELECT repository_id, issue_number FROM tasks
      WHERE issue_number IS NOT NULL AND ended_by_episode_id IS NOT NULL AND finished_at > ${since}
      UNION ALL
      SELECT blocker_repository_id, blocker_number
      FROM tasks JOIN issue_blockers ON issue_blockers.repository_id = tasks.repository_id
        AND issue_blockers.issue_number = tasks.issue_number
      WHERE tasks.state IN (${join(UNFINISHED_STATES)}) AND blocker_repository_id IS NOT NULL
      UNION ALL
      SELECT repository_id, issue_number FROM outbox_items WHERE state = 'locked'
    ) AS tracked
    ORDER BY "repositoryId", "number"`);
}
