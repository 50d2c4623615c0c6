/** Takes away what is kept no longer, a portion of the oldest rows at a time. */
import { join, sqltag as sql } from '@prisma/client/runtime/client';
import { isEnded, TASK_STATES } from '../core/task.ts';
import type { Retention } from '../engine/ports.ts';
import type { Database } from './database.ts';

const UNFINISHED_STATES = TASK_STATES.filter((state) => !isEnded(state));

/** Each is one statement: what somebody else writes meanwhile either comes before it or after it. */
export function makeRetention(db: Database): Retention {
  return {
    deliveries: (before, limit) =>
      db.$executeRaw(sql`
        DELETE FROM deliveries WHERE seq IN (
          SELECT seq FROM deliveries WHERE received_at < ${before} AND outcome IS NOT NULL
          ORDER BY received_at LIMIT ${limit})`),
    missed: (before, limit) =>
      db.$executeRaw(sql`
        DELETE FROM missed_deliveries WHERE guid IN (
          SELECT guid FROM missed_deliveries WHERE delivered_at < ${before} ORDER BY delivered_at LIMIT ${limit})`),
    events: (before, limit) =>
      db.$executeRaw(sql`
        DELETE FROM events WHERE seq IN (
          SELECT seq FROM events WHERE at < ${before}
            AND NOT EXISTS (SELECT 1 FROM tasks WHERE tasks.id = events.task_id
              AND tasks.state IN (${join(UNFINISHED_STATES)}))
            AND NOT EXISTS (SELECT 1 FROM batches WHERE batches.id = events.batch_id AND batches.state = 'running')
            AND NOT EXISTS (SELECT 1 FROM tasks WHERE tasks.repository_id = events.repository_id
              AND tasks.issue_number = events.issue_number AND tasks.state IN (${join(UNFINISHED_STATES)}))
          ORDER BY at LIMIT ${limit})`),
    comments: (before, limit) =>
      db.$executeRaw(sql`
        DELETE FROM comments WHERE id IN (
          SELECT id FROM comments WHERE created_at < ${before} AND state IN ('handled', 'ignored')
          ORDER BY created_at LIMIT ${limit})`),
  };
}
