/** Takes away what is kept no longer, a portion of the oldest rows at a time. */
import { join, sqltag as sql } from '@prisma/client/runtime/client';
import { replyEffect } from '../core/comment.ts';
import { isEnded, TASK_STATES } from '../core/task.ts';
import type { MissedDelivery, Retention } from '../engine/ports.ts';
import type { Database } from './database.ts';
import { retryConflicts } from './errors.ts';

const UNFINISHED = join(TASK_STATES.filter((state) => !isEnded(state)));
/** Named, because the index goes by state first. */
const MISSED_STATES: readonly MissedDelivery['state'][] = ['missed', 'recovered', 'given_up'];

/** Each is one statement: what somebody else writes meanwhile either comes before it or after it. */
export function makeRetention(db: Database): Retention {
  // Two apps may take the same rows away, in different orders.
  const remove = (statement: ReturnType<typeof sql>) => retryConflicts(() => db.$executeRaw(statement));
  return {
    deliveries: (before, limit) =>
      remove(sql`
        DELETE FROM deliveries WHERE seq IN (
          SELECT seq FROM deliveries WHERE received_at < ${before} AND outcome IS NOT NULL
          ORDER BY received_at LIMIT ${limit})`),
    missed: (before, limit) =>
      remove(sql`
        DELETE FROM missed_deliveries WHERE guid IN (
          SELECT guid FROM missed_deliveries WHERE state IN (${join(MISSED_STATES)}) AND delivered_at < ${before}
          ORDER BY delivered_at LIMIT ${limit})`),
    events: (before, limit) =>
      remove(sql`
        DELETE FROM events WHERE seq IN (
          SELECT seq FROM events WHERE at < ${before}
            AND NOT EXISTS (SELECT 1 FROM tasks WHERE tasks.id = events.task_id AND tasks.state IN (${UNFINISHED}))
            AND NOT EXISTS (SELECT 1 FROM batches WHERE batches.id = events.batch_id AND batches.state = 'running')
            AND NOT EXISTS (SELECT 1 FROM tasks WHERE tasks.repository_id = events.repository_id
              AND tasks.issue_number = events.issue_number AND tasks.state IN (${UNFINISHED}))
          ORDER BY at LIMIT ${limit})`),
    // A reply that is owed, or may be changed by how a task of it ends, is made from the comment.
    comments: (before, limit) =>
      remove(sql`
        DELETE FROM comments WHERE id IN (
          SELECT id FROM comments WHERE state IN ('handled', 'ignored') AND created_at < ${before}
            AND NOT EXISTS (SELECT 1 FROM outbox_items WHERE key = ${replyEffect('')} || comments.id
              AND state IN ('owed', 'locked'))
            AND NOT EXISTS (SELECT 1 FROM outbox_lines JOIN tasks ON tasks.id = task_id
              WHERE item_key = ${replyEffect('')} || comments.id AND tasks.state IN (${UNFINISHED}))
          ORDER BY created_at LIMIT ${limit})`),
  };
}
