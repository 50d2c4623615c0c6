/** Where a page of a list ended that goes by id, the lowest first. Opaque to whoever carries it. */
import { InvalidCursor, type Page } from '../engine/ports.ts';

/** `rows` holds one more than the page, if there is more. */
export function toIdPage<Row extends { id: string }, T>(
  rows: readonly Row[],
  limit: number,
  from: (row: Row) => T,
): Page<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { items: shown.map(from), next: rows.length > limit && last !== undefined ? formatIdCursor(last.id) : null };
}

/** The id that the page ended with. */
export function parseIdCursor(cursor: string): string {
  const [, id] = /^after ([\w.-]{1,100})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (id === undefined) throw new InvalidCursor('not a cursor of this list');
  return id;
}

function formatIdCursor(id: string): string {
  return Buffer.from(`after ${id}`).toString('base64url');
}
