import { join, sqltag as sql } from '@prisma/client/runtime/client';
import type { JournalEvent } from '../../engine/ports.ts';
import type { Dialect, Statements } from '../database.ts';
import { inPortions } from '../many-rows.ts';
import { toEventRow } from '../rows/event.ts';

/** Appends the events in their order. Others that append wait from here until this transaction has ended. */
export async function appendEvents(tx: Statements, dialect: Dialect, events: readonly JournalEvent[]): Promise<void> {
  await dialect.serialiseJournal(tx);
  for (const portion of inPortions(events)) {
    const rows = portion.map(toEventRow).map(
      (row) => sql`(${row.type}, ${row.at}, ${row.repositoryId}, ${row.issueNumber}, ${row.batchId}, ${row.taskId},
        ${row.runId}, ${row.data})`,
    );
    await tx.$executeRaw(sql`
      INSERT INTO events (type, at, repository_id, issue_number, batch_id, task_id, run_id, data)
      VALUES ${join(rows)}`);
  }
}
