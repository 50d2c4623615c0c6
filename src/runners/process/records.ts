/**
 * A run's directory and the records in it. Two are made exclusively, by a hard link, so that whoever comes first wins and
 * the content is there with the name: `claim` (who may start the run: its supervisor, or nobody) and `work` (which process
 * is the run: its own first one, or none). `ended` is the exit as soon as it is known, `exit` the same once all is quiet.
 */
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EnvironmentReason } from '../../core/failure.ts';
import { isRunId } from '../../core/run.ts';
import { CONTAINMENTS, type Containment } from './containment/level.ts';
import type { Identity } from './proc.ts';

export type Claim =
  | { by: 'nobody' }
  | { by: 'supervisor'; supervisor: Identity; level: Containment; at: Date; cgroup: string | null };

/** `at` is the supervisor's own clock, read right after the first process ended. `reason`: not there, none is known. */
export interface Exit {
  exitCode: number | null;
  signal: string | null;
  at: Date;
  reason?: EnvironmentReason;
}

/** A record that is there and can't be understood. */
export class UnreadableRecord extends Error {
  override readonly name = 'UnreadableRecord';
}

/** Ids, of tasks too, become names of files and directories. */
export const isFileName = isRunId;

/** A directory that can't be looked at is not absent: that throws. */
export function isThere(dir: string): boolean {
  return statSync(dir, { throwIfNoEntry: false }) !== undefined;
}

/** Whether the run was claimed once, whatever its claim says now: the log is made right after it. */
export function hasBegun(dir: string): boolean {
  return ['log', 'log.head', 'exit'].some((name) => isThere(join(dir, name)));
}

export function readClaim(dir: string): Claim | null {
  const record = readRecord(dir, 'claim');
  if (record === null) return null;
  if (record.fields.get('by') === 'nobody') return { by: 'nobody' };
  const level = CONTAINMENTS.find((known) => known === record.fields.get('level'));
  if (level === undefined)
    throw new UnreadableRecord(`${record.path} names no level of containment that is known here`);
  const cgroup = record.fields.get('cgroup') || null;
  if (level === 'cgroup' && cgroup === null) throw new UnreadableRecord(`${record.path} names no cgroup`);
  return { by: 'supervisor', supervisor: identityIn(record), level, at: timeIn(record), cgroup };
}

/** `nobody`: a cancel came before the first process; there is none and there never will be. */
export function readWork(dir: string): Identity | 'nobody' | null {
  const record = readRecord(dir, 'work');
  if (record === null) return null;
  return record.fields.get('by') === 'nobody' ? 'nobody' : identityIn(record);
}

/** Makes the record on behalf of nobody. False: somebody else was first. */
export function voidRecord(dir: string, name: 'claim' | 'work'): boolean {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const temporary = join(dir, `void-${name}.${process.pid}`);
  writeFileSync(temporary, 'by nobody\nend\n', { flush: true, mode: 0o600 });
  try {
    linkSync(temporary, join(dir, name));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

export function readExit(dir: string, name: 'exit' | 'ended', signalName: (n: number) => string | null): Exit | null {
  const record = readRecord(dir, name);
  if (record === null) return null;
  const status = Number(record.fields.get('status'));
  if (!Number.isInteger(status)) throw new UnreadableRecord(`${record.path} holds no exit status`);
  const signal = record.fields.get('how') === 'exited' || status <= 128 ? null : signalName(status - 128);
  const exit = { exitCode: signal === null ? status : null, signal, at: timeIn(record) };
  return record.fields.get('reason') === 'out_of_memory' ? { ...exit, reason: 'out_of_memory' } : exit;
}

interface RecordFile {
  path: string;
  fields: ReadonlyMap<string, string>;
}

/** Lines of `key value`, the last one `end`: without it the record is still being written and does not exist yet. */
function readRecord(dir: string, name: string): RecordFile | null {
  const path = join(dir, name);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new UnreadableRecord(`${path} can't be read: ${(error as Error).message}`);
  }
  if (name === 'ended' && !text.endsWith('end\n')) return null;
  if (!text.endsWith('end\n')) throw new UnreadableRecord(`${path} is cut short`);
  const fields = text.split('\n').map((line): [string, string] => {
    const space = line.indexOf(' ');
    return space < 0 ? [line, ''] : [line.slice(0, space), line.slice(space + 1)];
  });
  return { path, fields: new Map(fields) };
}

function identityIn({ path, fields }: RecordFile): Identity {
  const pid = Number(fields.get('pid'));
  const start = fields.get('start') ?? '';
  const boot = fields.get('boot') ?? '';
  // 0, 1 and negative numbers would reach far more than one process.
  const valid = Number.isSafeInteger(pid) && pid > 1 && /^\d+$/.test(start) && boot !== '';
  if (!valid) throw new UnreadableRecord(`${path} names no process`);
  return { pid, start, boot };
}

/** Nanoseconds from `date +%s%N`; a `date` that doesn't know %N leaves the record's own time. */
function timeIn({ path, fields }: RecordFile): Date {
  const at = fields.get('at') ?? '';
  return /^\d{16,20}$/.test(at) ? new Date(Number(BigInt(at) / 1_000_000n)) : statSync(path).mtime;
}
