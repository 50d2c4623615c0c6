/** Looks at, waits for and ends real processes; finds them by a word of their command line that no other has. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, vi } from 'vitest';
import { readStat } from '../../src/runners/process/proc.ts';

export const NASTY = fileURLToPath(new URL('../fixtures/processes/nasty', import.meta.url));

/** A word for command lines. */
export function makeMarker(): string {
  return `marker-${randomBytes(8).toString('hex')}`;
}

/** When fixtures end by themselves, in seconds since 1970. */
export function deadline(seconds = 20): string {
  return String(Math.floor(Date.now() / 1000) + seconds);
}

export function makeTemporaryDirectory(prefix: string): string {
  return mkdtempSync(join(tmpdir(), `standdown-${prefix}-`));
}

export function removeDirectory(dir: string): void {
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
}

/**
 * Pids of live processes (not zombies) that have the word in their command line, and whose command line is wanted: the same look
 * decides both, since what forks and execs has another one a moment later.
 */
export function findByWord(word: string, isWanted: (commandLine: string) => boolean = () => true): number[] {
  const isFound = (text: string) => text.includes(word) && isWanted(text);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && readStat(pid) !== null && isFound(commandLine(pid)));
}

/** Where its page is out of reach for a moment, the kernel gives nothing of a process that lives: it is asked again. */
function commandLine(pid: number): string {
  try {
    for (let look = 0; look < 3; look += 1) {
      const text = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
      if (text !== '') return text;
    }
  } catch {
    // It has ended.
  }
  return '';
}

/** One look is not enough for processes that change their pid. */
export function expectGone(word: string, scans = 40): void {
  for (let scan = 0; scan < scans; scan += 1) expect(findByWord(word)).toEqual([]);
}

/** A condition that is waited for, however busy the machine is. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 20_000, interval: 10 });
}

export function waitUntilGone(word: string): Promise<void> {
  return eventually(() => expectGone(word, 1));
}

/** For the end of a test, whatever happened in it. */
export function endByWord(word: string): void {
  for (let pass = 0, empty = 0; pass < 200 && empty < 5; pass += 1) {
    const pids = findByWord(word);
    for (const pid of pids) signal(pid);
    empty = pids.length === 0 ? empty + 1 : 0;
  }
}

/** As a machine that goes down: what would note the end of the others gets no time for it. */
export function endAtOnce(word: string): Promise<void> {
  const pids = findByWord(word);
  for (const pid of pids) signal(pid, 'SIGSTOP');
  for (const pid of pids) signal(pid);
  return waitUntilGone(word);
}

function signal(pid: number, name: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch {
    // Gone.
  }
}
