import { sqltag as sql } from '@prisma/client/runtime/client';
import type { IssueBlocker } from '../../core/blockers/blocker.ts';
import type { Statements } from '../database.ts';
import { toBlockerRow } from '../rows/blocker.ts';

/** One statement, because on PostgreSQL a failed insert would end the transaction. */
export async function putBlocker(tx: Statements, edge: IssueBlocker): Promise<void> {
  const row = toBlockerRow(edge);
  await tx.$executeRaw(sql`
    INSERT INTO issue_blockers (repository_id, issue_number, source, label, blocker_repository_id, blocker_number,
      state, added_by, removed_by, at)
    VALUES (${row.repositoryId}, ${row.issueNumber}, ${row.source}, ${row.label}, ${row.blockerRepositoryId},
      ${row.blockerNumber}, ${row.state}, ${row.addedBy}, ${row.removedBy}, ${row.at})
    ON CONFLICT (repository_id, issue_number, source, label) DO UPDATE SET
      blocker_repository_id = excluded.blocker_repository_id, blocker_number = excluded.blocker_number,
      state = excluded.state, added_by = excluded.added_by, removed_by = excluded.removed_by, at = excluded.at`);
}
