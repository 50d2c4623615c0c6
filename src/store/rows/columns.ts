/** Small helpers for turning domain values into columns and back. */

/** Of the row's columns, those whose name is a key of `given`: what a partial change touches. */
export function pickGiven<Row extends object>(row: Row, given: object): Partial<Row> {
  const entries = Object.entries(row).filter(([column]) => column in given);
  return Object.fromEntries(entries) as Partial<Row>;
}

export function toJson(value: unknown): string {
  return JSON.stringify(value);
}

export function toJsonOrNull(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

export function fromJson<T>(column: string): T {
  return JSON.parse(column) as T;
}

export function fromJsonOrNull<T>(column: string | null): T | null {
  return column === null ? null : (JSON.parse(column) as T);
}

/** In JSON every date is text; this gives `at` its type back. */
export function withDate<T extends { at: Date }>(value: T): T {
  return { ...value, at: new Date(value.at) };
}
