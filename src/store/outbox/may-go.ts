/** Which messages may be taken at a moment, as conditions on a row called `item`. */
import { empty, join, raw, type Sql, sqltag as sql } from '@prisma/client/runtime/client';

export interface Moment {
  now: Date;
  leaseClock: Date;
  /** Scopes of installations that may not be written to just now. */
  paused: readonly string[];
}

/** Due, or left behind by a holder that is gone; and neither told by another message nor of an installation that is paused. */
export function claimable({ now, leaseClock, paused }: Moment): Sql {
  return sql`item.state = 'owed' AND item.merged_into IS NULL
    AND ((item.lease_until IS NULL AND item.due_at <= ${now}) OR item.lease_until <= ${leaseClock})
    ${notPaused(paused)}`;
}

/** The scopes are those of `writeScope`. */
function notPaused(scopes: readonly string[]): Sql {
  if (scopes.length === 0) return empty;
  return sql`AND item.repository_id NOT IN (
    SELECT id FROM repositories WHERE COALESCE('installation:' || installation_id, 'token') IN (${join([...scopes])}))`;
}

/**
 * What others are held back by: messages in somebody's hands, and comments that failed and back off. They are few, and looked for
 * once. To be named before the statement that asks `mayGo`.
 */
export function holders({ leaseClock }: Moment): Sql {
  return sql`held AS MATERIALIZED (
      SELECT ${issueOf('outbox_items')} AS issue FROM outbox_items WHERE lease_until > ${leaseClock}),
    failing AS MATERIALIZED (
      SELECT ${issueOf('outbox_items')} AS issue, id, created_at FROM outbox_items
      WHERE state = 'owed' AND merged_into IS NULL AND failures > 0 AND kind IN ('outcome', 'reply', 'notice'))`;
}

/**
 * Nobody has a message of its issue in hand, and none of those before it has to go first. Whole issues are asked for first: that
 * is one look into a hash, where to compare messages would be a look at each.
 */
export const mayGo = sql`
  ${issueOf('item')} NOT IN (SELECT issue FROM held)
  AND (item.kind NOT IN ('outcome', 'reply', 'notice')
    OR ${issueOf('item')} NOT IN (SELECT issue FROM failing)
    OR NOT EXISTS (SELECT 1 FROM failing WHERE failing.issue = ${issueOf('item')} AND ${beforeIt('failing')}))
  AND (item.kind <> 'close' OR NOT EXISTS (
    SELECT 1 FROM outbox_items AS said
    WHERE said.repository_id = item.repository_id AND said.issue_number = item.issue_number AND ${beforeIt('said')}
      AND said.state = 'owed' AND said.merged_into IS NULL AND said.kind IN ('outcome', 'reply')))`;

/** As one value: SQLite looks only such a one up in a hash. */
function issueOf(row: string): Sql {
  return raw(`${row}.repository_id || '#' || ${row}.issue_number`);
}

function beforeIt(other: string): Sql {
  return raw(
    `(${other}.created_at < item.created_at OR (${other}.created_at = item.created_at AND ${other}.id < item.id))`,
  );
}

/** How tasks are can wait for the word about what happened. */
export const urgency = sql`CASE WHEN item.kind = 'status' THEN 1 ELSE 0 END`;
