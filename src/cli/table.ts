/** Rows of text in columns that are as wide as they need to be. */
import { line } from '../core/report/text.ts';

export function table(rows: readonly (readonly string[])[]): string {
  return columns(rows)
    .map((row) => `${row}\n`)
    .join('');
}

export function columns(rows: readonly (readonly string[])[]): string[] {
  const flat = rows.map((row) => row.map(line));
  const widths = (flat[0] ?? []).map((_, column) => Math.max(...flat.map((row) => row[column]!.length)));
  return flat.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}
