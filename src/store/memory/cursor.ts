/** Where a page of a list ended: rows go by creation time, then id, newest first. Opaque to whoever carries it. */
import { InvalidCursor, type Page } from '../../engine/ports.ts';
import { sortBy } from './sort.ts';

interface Place {
  createdAt: Date;
  id: string;
}

export function pageOf<Row extends Place>(
  rows: readonly Row[],
  { cursor, limit }: { cursor?: string; limit: number },
): Page<Row> {
  const newestFirst = sortBy(rows, ({ createdAt, id }) => [createdAt, id]).reverse();
  const rest = cursor === undefined ? newestFirst : newestFirst.filter(olderThan(parseCursor(cursor)));
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  const next = rest.length > limit && last !== undefined ? formatCursor(last) : null;
  return { items: structuredClone(items), next };
}

function olderThan(place: Place): (row: Place) => boolean {
  return ({ createdAt, id }) =>
    createdAt < place.createdAt || (createdAt.getTime() === place.createdAt.getTime() && id < place.id);
}

function formatCursor({ createdAt, id }: Place): string {
  return Buffer.from(`${createdAt.getTime()} ${id}`).toString('base64url');
}

function parseCursor(cursor: string): Place {
  const [, ms, id] = /^(\d{1,15}) ([\w.-]+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (ms === undefined || id === undefined) throw new InvalidCursor('not a cursor of this list');
  return { createdAt: new Date(Number(ms)), id };
}

/** Events are numbered from 1 in the order of their commits; `last` is the newest. */
export function parseEventId(id: string, last: number): number {
  const number = /^\d{1,10}$/.test(id) ? Number(id) : Number.NaN;
  // One that is yet to come was given out by another process's store: its reader must begin anew, not wait.
  if (!(number <= last)) throw new InvalidCursor('not the id of an event');
  return number;
}
