/** Finds processes by a marker in their argument vector: a word of a test's own, so that nobody else's are counted. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { WAIT } from './world.ts';

/** Pids of living `sh` processes whose last argument is the marker; supervisors carry it among theirs and don't count. */
export function pidsOf(marker: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => isMarked(pid, marker))
    .map(Number);
}

export async function untilAlive(marker: string, count = 1): Promise<void> {
  await expect.poll(() => pidsOf(marker).length, WAIT).toBe(count);
}

function isMarked(pid: string, marker: string): boolean {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean);
    const state = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .charAt(0);
    return words.length === 4 && words[1] === '-c' && words[3] === marker && state !== 'Z';
  } catch {
    // It ended while it was looked at.
    return false;
  }
}
