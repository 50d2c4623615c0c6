/**
 * Whoever attends a command, as seen from this process. A pid means something in one pid namespace of one boot of a machine: elsewhere
 * nothing is seen, which is no evidence of anything.
 */
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Attendant, AttendedRun, SeenAttendant } from '../../../core/attended.ts';
import { argumentsOf, bootId, hasVariable, readStat, signalPid, takeSnapshot, withDescendants } from '../proc.ts';
import { ATTENDED_VARIABLE } from './tree.ts';

export type Place = Pick<Attendant, 'host' | 'boot' | 'pidNamespace'>;

/** null: this system has no /proc, as Linux has it. */
export function placeOfSelf(): Place | null {
  try {
    const [pidNamespace = ''] = /\d+/.exec(readlinkSync('/proc/self/ns/pid')) ?? [];
    return { host: hostname(), boot: bootId(), pidNamespace };
  } catch {
    return null;
  }
}

export function attendantOfSelf(): Attendant {
  const place = placeOfSelf();
  const start = readStat(process.pid)?.start;
  if (place === null || start === undefined) throw new Error('it takes /proc, as Linux has it, to be known by');
  return { ...place, pid: process.pid, start };
}

/** False where it can't be told. */
export function seesAlive(attendant: Attendant, here: Place | null): boolean {
  return isSamePlace(attendant, here) && readStat(attendant.pid)?.start === attendant.start;
}

/** Throws the system's error where it is too short of something to look. */
export function look({ attendant, isVisible, session, end }: AttendedRun, here: Place | null): SeenAttendant {
  // What was not seen when it was alive for certain can't be seen to be gone.
  if (!isVisible || !isSamePlace(attendant, here)) return { alive: null, left: [] };
  const alive = seesAlive(attendant, here);
  if (end !== null) return { alive, left: end.survivors.filter((pid) => readStat(pid) !== null) };
  if (alive) return { alive, left: [] };
  const { members, guards } = remnants(session);
  return { alive, left: [...members, ...guards] };
}

/** KILL to what is left of the command of an attendant that is gone. While its guard lives, that ends it, and gives it its grace. */
export function killRemnants(session: string): void {
  const { members, guards } = remnants(session);
  if (guards.length === 0) for (const pid of members) signalPid(pid, 'SIGKILL');
}

interface Remnants {
  members: readonly number[];
  /** The guard carries the mark as a word, and may be seen where the command's environment can't be read. */
  guards: readonly number[];
}

function remnants(session: string): Remnants {
  const mark = `${ATTENDED_VARIABLE}=${session}`;
  const snapshot = takeSnapshot();
  const pids = [...snapshot.keys()];
  const guards = withDescendants(
    pids.filter((pid) => argumentsOf(pid).includes(mark)),
    snapshot,
  );
  const members = withDescendants(
    pids.filter((pid) => hasVariable(pid, mark)),
    snapshot,
  );
  return { members: [...members].filter((pid) => !guards.has(pid)), guards: [...guards] };
}

function isSamePlace({ host, boot, pidNamespace }: Place, here: Place | null): boolean {
  return here !== null && here.host === host && here.boot === boot && here.pidNamespace === pidNamespace;
}
