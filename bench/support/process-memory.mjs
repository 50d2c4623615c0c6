// Memory of processes that can't be asked: as the kernel counts it.
import { readFileSync } from 'node:fs';

/**
 * Bytes of that text of `/proc/PID/smaps_rollup`: pages that processes share count for each of them by its share, so that a sum of
 * many is what they take together. null: it doesn't say.
 */
export function proportionalIn(text) {
  const [, kB] = /^Pss:\s+(\d+) kB$/m.exec(text) ?? [];
  return kB === undefined ? null : Number(kB) * 1_024;
}

/** Bytes of all of them; null: not to be told of one of them. */
export function proportionalOf(pids) {
  let sum = 0;
  for (const pid of pids) {
    const bytes = proportionalOfOne(pid);
    if (bytes === null) return null;
    sum += bytes;
  }
  return sum;
}

function proportionalOfOne(pid) {
  try {
    return proportionalIn(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'));
  } catch {
    return null;
  }
}
