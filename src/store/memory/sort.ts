/** Sorting rows by several columns, as a database does. */

type Column = number | string | Date;

/** A sorted copy, by what `columnsOf` gives: the first that differs decides. */
export function sortBy<Row>(rows: Iterable<Row>, columnsOf: (row: Row) => readonly Column[]): Row[] {
  const keyed = Array.from(rows, (row) => ({ row, columns: columnsOf(row) }));
  return keyed.sort((a, b) => compare(a.columns, b.columns)).map(({ row }) => row);
}

function compare(a: readonly Column[], b: readonly Column[]): number {
  for (const [index, left] of a.entries()) {
    const right = b[index]!;
    if (left < right) return -1;
    if (left > right) return 1;
  }
  return 0;
}
