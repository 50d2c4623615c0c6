/**
 * A run's output: its beginning in `log.head` once the log is full, then the newest parts in `log.previous` and `log`. The
 * supervisor's copier writes them; here they are read.
 */
import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { longestOf, redactedEnd, type Secrets } from './redact.ts';

const DEFAULT_LIMIT = 10 * 1024 * 1024;
const BLOCK = 16_384;
const GAP = '\n[standdown: the log was full, a part of the output is left out here]\n';

/** Bytes after which a part of the log is closed; and how much the copier reads before it looks. */
export interface LogShape {
  segment: number;
  block: number;
  reads: number;
}

/** A part overshoots by at most block × reads, so three parts stay near the limit: within 1.5 times of it. */
export function shapeLog(limit = DEFAULT_LIMIT): LogShape {
  const segment = Math.max(1024, Math.floor(limit / 3));
  const block = Math.min(BLOCK, Math.floor(segment / 2));
  return { segment, block, reads: Math.min(64, Math.max(1, Math.floor(segment / 2 / block))) };
}

export function lastOutputAt(dir: string): Date | null {
  for (const name of ['log', 'log.previous', 'log.head']) {
    const stat = statSync(join(dir, name), { throwIfNoEntry: false });
    if (stat !== undefined && stat.size > 0) return stat.mtime;
  }
  return null;
}

/** The last `bytes` of the output, without secrets. A character that the cut would split is left out. */
export function readLogTail(dir: string, bytes: number, secrets: Secrets): string {
  const parts: Buffer[] = [];
  let wanted = bytes + longestOf(secrets);
  for (const name of ['log', 'log.previous', 'log.head']) {
    if (wanted <= 0) break;
    if (name === 'log.head' && existsSync(join(dir, 'log.gap'))) parts.unshift(Buffer.from(GAP));
    const part = readEnd(join(dir, name), wanted);
    parts.unshift(part);
    wanted -= part.length;
  }
  const all = Buffer.concat(parts);
  const end = redactedEnd(all, bytes, secrets);
  return end.subarray(all.length > bytes ? firstCharacter(end) : 0).toString('utf8');
}

/** Bytes that begin with the bits 10 continue a character whose beginning was cut off. */
function firstCharacter(buffer: Buffer): number {
  let start = 0;
  while (start < 3 && start < buffer.length && ((buffer[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return start;
}

function readEnd(path: string, bytes: number): Buffer {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch {
    return Buffer.alloc(0);
  }
  try {
    const { size } = fstatSync(fd);
    const buffer = Buffer.alloc(Math.min(bytes, size));
    const read = readSync(fd, buffer, 0, buffer.length, size - buffer.length);
    return buffer.subarray(0, read);
  } finally {
    closeSync(fd);
  }
}
