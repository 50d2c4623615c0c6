/**
 * What `/proc` tells about processes. A process is named by pid, start time and boot, never by its pid alone: pids are
 * used again.
 */
import { readdirSync, readFileSync } from 'node:fs';

export interface Identity {
  pid: number;
  /** Field 22 of `/proc/PID/stat`: clock ticks between boot and the process's start, as text. */
  start: string;
  /** `/proc/sys/kernel/random/boot_id` */
  boot: string;
}

export interface ProcessStat {
  pid: number;
  ppid: number;
  group: number;
  session: number;
  start: string;
  /** By a signal, as that of Ctrl-Z. */
  isStopped: boolean;
}

/** A shortage of the whole machine, or of this process: what it keeps from being looked at is not gone. */
export function throwIfShort(error: unknown): void {
  if (['EMFILE', 'ENFILE', 'ENOMEM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
}

/** Null: it is gone, or out of our reach. */
function readOf(pid: number, file: string, encoding: 'latin1' | 'utf8'): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, encoding);
  } catch (error) {
    throwIfShort(error);
    return null;
  }
}

/** Null: no such process, or it is dead and only waits to be reaped (states Z and X). */
export function readStat(pid: number): ProcessStat | null {
  const text = readOf(pid, 'stat', 'latin1');
  return text === null ? null : parseStat(pid, text);
}

/** The command's name stands in parentheses and may hold anything, parentheses and spaces too: count from the last one. */
export function parseStat(pid: number, text: string): ProcessStat | null {
  const [state, ppid, group, session, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const start = rest[15];
  if (state === undefined || start === undefined || state === 'Z' || state === 'X') return null;
  return { pid, ppid: Number(ppid), group: Number(group), session: Number(session), start, isStopped: state === 'T' };
}

export function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
}

export function isAlive(identity: Identity, boot: string): boolean {
  return identity.boot === boot && readStat(identity.pid)?.start === identity.start;
}

/** The signal goes out only while the pid still belongs to the process that was recorded. Says whether it went out. */
export function signalExactly(identity: Identity, boot: string, signal: NodeJS.Signals): boolean {
  return isAlive(identity, boot) && signalPid(identity.pid, signal);
}

/** For pids that the kernel has just named as members of a run. */
export function signalPid(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    // Gone since, or out of our reach: whoever asks next sees which.
    return false;
  }
}

/** All live processes, by pid. */
export type Snapshot = ReadonlyMap<number, ProcessStat>;

export function takeSnapshot(): Snapshot {
  const snapshot = new Map<number, ProcessStat>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readStat(Number(name));
    if (stat !== null) snapshot.set(stat.pid, stat);
  }
  return snapshot;
}

/** The given pids and everything below them, those that live. */
export function withDescendants(roots: Iterable<number>, snapshot: Snapshot): Set<number> {
  const members = new Set([...roots].filter((pid) => snapshot.has(pid)));
  for (let grown = -1; grown !== members.size; ) {
    grown = members.size;
    for (const { pid, ppid } of snapshot.values()) if (members.has(ppid)) members.add(pid);
  }
  return members;
}

/** The words that it was started with; none where it is gone. */
export function argumentsOf(pid: number): string[] {
  return readOf(pid, 'cmdline', 'utf8')?.split('\0') ?? [];
}

/** Whether a process was started with this variable. Unreadable means no: it runs as somebody else. */
export function hasVariable(pid: number, assignment: string): boolean {
  return environmentOf(pid).includes(assignment);
}

/** What it was started with under that name. */
export function valuesOf(pid: number, name: string): string[] {
  const start = `${name}=`;
  return environmentOf(pid).flatMap((entry) => (entry.startsWith(start) ? entry.slice(start.length) : []));
}

/** Not that of a process of somebody else, or one that is gone. */
export function isEnvironmentReadable(pid: number): boolean {
  return readOf(pid, 'environ', 'utf8') !== null;
}

function environmentOf(pid: number): string[] {
  return readOf(pid, 'environ', 'utf8')?.split('\0') ?? [];
}
