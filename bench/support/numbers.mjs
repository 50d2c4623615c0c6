// What is told of many measurements, and how.

/** The smallest value that at least `percent` of all values do not exceed. */
export function percentile(values, percent) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
}

export function median(values) {
  return percentile(values, 50);
}

export function ms(value) {
  return `${value < 10 ? value.toFixed(2) : value.toFixed(1)} ms`;
}

export function mb(bytes) {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

/** Aligned columns: the first to the left, the others to the right. */
export function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `  ${line}`)
    .join('\n');
}
