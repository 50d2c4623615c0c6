export function orNull<Row, Value>(row: Row | null, from: (row: Row) => Value): Value | null {
  return row === null ? null : from(row);
}
