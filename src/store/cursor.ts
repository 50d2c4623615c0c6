/** Where a page of a list ended: rows go by creation time, then id, newest first. Opaque to whoever carries it. */
import { InvalidCursor, type Page } from '../engine/ports.ts';

interface Place {
  createdAt: Date;
  id: string;
}

export const NEWEST_FIRST = [{ createdAt: 'desc' as const }, { id: 'desc' as const }];

/** The condition for what comes after the cursor. */
export function olderThan(cursor: string | undefined): object {
  if (cursor === undefined) return {};
  const { createdAt, id } = parseCursor(cursor);
  return { AND: [{ OR: [{ createdAt: { lt: createdAt } }, { createdAt, id: { lt: id } }] }] };
}

/** `rows` holds one more than the page, if there is more. */
export function toPage<Row extends Place, T>(rows: readonly Row[], limit: number, from: (row: Row) => T): Page<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { items: shown.map(from), next: rows.length > limit && last !== undefined ? formatCursor(last) : null };
}

function formatCursor({ createdAt, id }: Place): string {
  return Buffer.from(`${createdAt.getTime()} ${id}`).toString('base64url');
}

function parseCursor(cursor: string): Place {
  const [, ms, id] = /^(\d{1,15}) ([\w.-]+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (ms === undefined || id === undefined) throw new InvalidCursor('not a cursor of this list');
  return { createdAt: new Date(Number(ms)), id };
}

/** Events are numbered from 1 in the order of their commits. */
export function parseEventId(id: string): number {
  const seq = /^\d{1,10}$/.test(id) ? Number(id) : Number.NaN;
  if (!(seq <= 2 ** 31 - 1)) throw new InvalidCursor('not the id of an event');
  return seq;
}
