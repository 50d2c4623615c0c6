/** Which issues a sweep looks after, as statements that answer each of their parts from an index. */
import { empty, join, raw, type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import type { IssueRef } from '../core/issue.ts';
import type { EndedBy } from '../core/plan/reopen.ts';
import { isEnded, TASK_STATES } from '../core/task.ts';
import type { TrackedPage } from '../engine/ports.ts';
import type { Database } from './database.ts';

/** Named one by one, because an index answers for what is asked and not for what is excluded. */
const UNFINISHED_STATES = TASK_STATES.filter((state) => !isEnded(state));

function isEndedBy(endedBy: EndedBy): Sql {
  return endedBy === 'anything' ? empty : sql`AND ended_by_episode_id IS NOT NULL`;
}

/** `UNION ALL`, because SQLite answers a `UNION` in order, and reads the whole index of issues for that. */
export function readTrackedIssues(db: Database, since: Date, endedBy: EndedBy = 'close'): Promise<IssueRef[]> {
  return db.$queryRaw<IssueRef[]>(sql`
    SELECT DISTINCT "repositoryId", "number" FROM (
      SELECT repository_id AS "repositoryId", issue_number AS "number" FROM tasks
      WHERE issue_number IS NOT NULL AND state IN (${join(UNFINISHED_STATES)})
      UNION ALL
      SELECT repository_id, issue_number FROM tasks
      WHERE issue_number IS NOT NULL ${isEndedBy(endedBy)} AND finished_at > ${since}
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

/** Asked of each repository by itself, so that one task is enough to answer. */
export async function readTrackedRepositories(db: Database, since: Date): Promise<string[]> {
  const rows = await db.$queryRaw<{ id: string }[]>(sql`
    SELECT id FROM repositories WHERE ${isTracked(since, 'close')} ORDER BY id`);
  return rows.map(({ id }) => id);
}

export async function readIsTracked(
  db: Database,
  repositoryId: string,
  { since, endedBy = 'close' }: Pick<TrackedPage, 'since' | 'endedBy'>,
): Promise<boolean> {
  const rows = await db.$queryRaw<{ id: string }[]>(sql`
    SELECT id FROM repositories WHERE id = ${repositoryId} AND (${isTracked(since, endedBy)})`);
  return rows.length > 0;
}

/** What blocks issues of its own repository needs no look: that has the unfinished tasks. */
function isTracked(since: Date, endedBy: EndedBy): Sql {
  return sql`
    EXISTS (SELECT 1 FROM tasks WHERE tasks.repository_id = repositories.id
      AND state IN (${join(UNFINISHED_STATES)}) AND issue_number IS NOT NULL)
    OR EXISTS (SELECT 1 FROM tasks WHERE tasks.repository_id = repositories.id
      AND finished_at > ${since} AND issue_number IS NOT NULL ${isEndedBy(endedBy)})
    OR EXISTS (SELECT 1 FROM issue_blockers JOIN tasks ON tasks.repository_id = issue_blockers.repository_id
        AND tasks.issue_number = issue_blockers.issue_number
      WHERE blocker_repository_id = repositories.id AND issue_blockers.repository_id <> blocker_repository_id
        AND tasks.state IN (${join(UNFINISHED_STATES)}))
    OR id IN (SELECT repository_id FROM outbox_items WHERE state = 'locked')`;
}

/** What the column holds. */
const MAX_NUMBER = 2 ** 31 - 1;

/**
 * A full page of unfinished tasks ends where the page ends: of the rest only what lies before is read, so that all pages together read
 * everything once.
 */
export async function readTrackedNumbers(db: Database, repositoryId: string, page: TrackedPage): Promise<number[]> {
  const unfinished = await readUnfinished(db, repositoryId, page);
  const upTo = unfinished.length < page.limit ? MAX_NUMBER : unfinished.at(-1)!;
  const others = await readOthers(db, repositoryId, { ...page, upTo });
  const numbers = new Set([...unfinished, ...others]);
  return [...numbers].sort((a, b) => a - b).slice(0, page.limit);
}

async function readUnfinished(db: Database, repositoryId: string, { after, limit }: TrackedPage): Promise<number[]> {
  // Of each state by itself an index gives them in order.
  const ofStates = UNFINISHED_STATES.map(
    (state) => sql`
      SELECT * FROM (SELECT DISTINCT issue_number AS "number" FROM tasks
        WHERE repository_id = ${repositoryId} AND state = ${state} AND issue_number > ${after}
        ORDER BY issue_number LIMIT ${limit}) AS ${raw(`${state}_ones`)}`,
  );
  return readNumbers(db, join(ofStates, ' UNION ALL '), limit);
}

function readOthers(
  db: Database,
  repositoryId: string,
  { since, endedBy = 'close', after, upTo, limit }: TrackedPage & { upTo: number },
): Promise<number[]> {
  const tracked = sql`
    SELECT issue_number AS "number" FROM tasks
    WHERE repository_id = ${repositoryId} AND finished_at > ${since} ${isEndedBy(endedBy)}
      AND issue_number > ${after} AND issue_number <= ${upTo}
    UNION ALL
    SELECT blocker_number FROM issue_blockers JOIN tasks ON tasks.repository_id = issue_blockers.repository_id
      AND tasks.issue_number = issue_blockers.issue_number
    WHERE blocker_repository_id = ${repositoryId} AND blocker_number > ${after} AND blocker_number <= ${upTo}
      AND tasks.state IN (${join(UNFINISHED_STATES)})
    UNION ALL
    SELECT issue_number FROM outbox_items
    WHERE state = 'locked' AND repository_id = ${repositoryId} AND issue_number > ${after} AND issue_number <= ${upTo}`;
  return readNumbers(db, tracked, limit);
}

async function readNumbers(db: Database, numbers: Sql, limit: number): Promise<number[]> {
  const rows = await db.$queryRaw<{ number: number }[]>(sql`
    SELECT DISTINCT "number" FROM (${numbers}) AS tracked ORDER BY "number" LIMIT ${limit}`);
  return rows.map(({ number }) => Number(number));
}
