/** Owing messages to GitHub: one row per cause, and one line per task that the cause concerned. */
import { join, sqltag as sql } from '@prisma/client/runtime/client';
import type { Write } from '../../engine/ports.ts';
import type { Statements } from '../database.ts';
import { firstFence } from '../lease.ts';
import { dueEarlier, inPortions, mergeByKey } from '../many-rows.ts';

type Owed = Extract<Write, { write: 'outbox.owe' }>['item'];
type Line = Extract<Write, { write: 'outbox.line' }>;
type Unlock = Extract<Write, { write: 'outbox.unlock' }>;

/**
 * A key that is there already is owed again: if it was owed, at the earlier of both times (while it is held its own time
 * is parked, so the new one stands); if it was sent or refused, at the new time.
 */
export async function oweItems(tx: Statements, items: readonly Owed[]): Promise<void> {
  for (const portion of inPortions(mergeByKey(items, ({ key }) => key, dueEarlier))) {
    const rows = portion.map(
      (item) => sql`(${item.id}, ${item.key}, ${item.kind}, ${item.repositoryId}, ${item.number}, 'owed',
        ${item.dueAt}, 0, ${item.createdAt}, ${firstFence()})`,
    );
    await tx.$executeRaw(sql`
      INSERT INTO outbox_items (id, key, kind, repository_id, issue_number, state, due_at, failures, created_at, fence)
      VALUES ${join(rows)}
      ON CONFLICT (key) DO UPDATE SET
        due_at = CASE
          WHEN outbox_items.state = 'owed' AND outbox_items.due_at < excluded.due_at THEN outbox_items.due_at
          ELSE excluded.due_at
        END,
        state = 'owed'`);
    await oweTellers(tx, portion);
  }
}

/** A message that is told by another one is owed by owing that one: both at the earliest time that is asked for. */
async function oweTellers(tx: Statements, told: readonly Owed[]): Promise<void> {
  const { dueAt } = told.reduce(dueEarlier);
  await tx.$executeRaw(sql`
    UPDATE outbox_items SET
      due_at = CASE WHEN state = 'owed' AND due_at < ${dueAt} THEN due_at ELSE ${dueAt} END,
      state = 'owed'
    WHERE id IN (SELECT merged_into FROM outbox_items
      WHERE key IN (${join(told.map(({ key }) => key))}) AND merged_into IS NOT NULL)`);
}

export async function putLines(tx: Statements, lines: readonly Line[]): Promise<void> {
  const nameOf = ({ key, line }: Line) => `${key} ${line.taskId}`;
  for (const portion of inPortions(mergeByKey(lines, nameOf, (_, last) => last))) {
    const rows = portion.map(
      ({ key, line }) => sql`(${key}, ${line.taskId}, ${line.runId}, ${line.effect}, ${line.result})`,
    );
    await tx.$executeRaw(sql`
      INSERT INTO outbox_lines (item_key, task_id, run_id, effect, result) VALUES ${join(rows)}
      ON CONFLICT (item_key, task_id) DO UPDATE SET
        run_id = excluded.run_id, effect = excluded.effect, result = excluded.result`);
  }
}

/** One that is held may be about to come back as locked: it is owed again, as above. */
export async function unlockItems(tx: Statements, { ref, dueAt }: Unlock): Promise<void> {
  await tx.$executeRaw(sql`
    UPDATE outbox_items SET
      due_at = CASE WHEN state = 'owed' AND due_at < ${dueAt} THEN due_at ELSE ${dueAt} END,
      state = 'owed'
    WHERE repository_id = ${ref.repositoryId} AND issue_number = ${ref.number}
      AND (state = 'locked' OR (state = 'owed' AND lease_until IS NOT NULL))`);
}
