/** For statements that write many rows at once, or read many by their ids. */

/**
 * One entry per key, merged where there are more, because a statement may not touch a row twice; sorted by key, so that
 * two transactions lock rows in the same order.
 */
export function mergeByKey<T>(entries: readonly T[], keyOf: (entry: T) => string, merge: (a: T, b: T) => T): T[] {
  const byKey = new Map<string, T>();
  for (const entry of entries) {
    const key = keyOf(entry);
    const known = byKey.get(key);
    byKey.set(key, known === undefined ? entry : merge(known, entry));
  }
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
}

/** The first of two, due at the earlier of both times. */
export function dueEarlier<T extends { dueAt: Date }>(first: T, second: T): T {
  return second.dueAt < first.dueAt ? { ...first, dueAt: second.dueAt } : first;
}

/** Prisma's queries on SQLite take 999 values; statements of our own some ten thousand, and write a few for each row. */
const PORTION = 900;

/** What is more than one statement takes goes in several. */
export function inPortions<T>(entries: readonly T[]): T[][] {
  const portions: T[][] = [];
  for (let i = 0; i < entries.length; i += PORTION) portions.push(entries.slice(i, i + PORTION));
  return portions;
}

/** What is read by ids, one portion after the other: a batch may have more tasks than a statement takes values. No ids, no statement. */
export async function readInPortions<Row>(
  ids: readonly string[],
  read: (portion: string[]) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const portion of inPortions([...new Set(ids)])) {
    for (const row of await read(portion)) rows.push(row);
  }
  return rows;
}
