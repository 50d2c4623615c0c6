/**
 * Whoever attends a command, as seen from this process. A pid means something in one pid namespace of one boot of a machine: elsewhere
 * nothing is seen, which is no evidence of anything.
 */
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import {
  type Attendant,
  type AttendedRun,
  type Hearing,
  isUnheard,
  type SeenAttendant,
} from '../../../core/attended.ts';
import {
  bootId,
  hasVariable,
  type Identity,
  isEnvironmentReadable,
  readStat,
  signalExactly,
  takeSnapshot,
  withDescendants,
} from '../proc.ts';
import { ATTENDED_VARIABLE, GUARD_VARIABLE } from './tree.ts';

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

/** Whether its command would be seen, too: that of another account carries a mark that can't be read here. */
export function seesAll(attendant: Attendant, here: Place | null): boolean {
  return seesAlive(attendant, here) && isEnvironmentReadable(attendant.pid);
}

/** Throws the system's error where it is too short of something to look. */
export function look(run: AttendedRun, here: Place | null, hearing: Hearing): SeenAttendant {
  const { attendant, isVisible, session, end } = run;
  // What was not seen when it was alive for certain can't be seen to be gone.
  if (!isVisible || !isSamePlace(attendant, here)) return { alive: null, unheard: false, left: [] };
  const stat = readStat(attendant.pid);
  const alive = stat?.start === attendant.start;
  const unheard = alive && isUnheard(run, stat.isStopped, hearing);
  if (end !== null) return { alive, unheard, left: end.survivors.filter((pid) => mayBeOf(session, pid)) };
  if (alive && !unheard) return { alive, unheard, left: [] };
  const { members, guards } = belongings(run);
  const left = members.map(({ pid }) => pid);
  return { alive, unheard, left: alive ? left : [...left, ...guards] };
}

/** A told pid may be somebody else's since. What can't be read may have outlived KILL just because it runs with other rights. */
function mayBeOf(session: string, pid: number): boolean {
  if (readStat(pid) === null) return false;
  return !isEnvironmentReadable(pid) || hasVariable(pid, markOf(session));
}

/**
 * To the command, and to nothing else of its attendant's. Says whether it went out: where that is gone, its guard ends the command for as
 * long as it lives, and gives it its grace.
 */
export function signalCommand(run: AttendedRun, signal: 'SIGTERM' | 'SIGKILL', alive: boolean): boolean {
  const { members, guards } = belongings(run);
  if (members.length === 0 || (!alive && guards.length > 0)) return false;
  // Between that look and its signal a pid may pass to another process.
  for (const member of members) signalExactly(member, member.boot, signal);
  // Stopped as its attendant, it could not obey.
  for (const member of members) signalExactly(member, member.boot, 'SIGCONT');
  return true;
}

interface Belongings {
  members: readonly Identity[];
  guards: readonly number[];
}

function belongings({ session, attendant }: AttendedRun): Belongings {
  const snapshot = takeSnapshot();
  const boot = bootId();
  const pids = [...snapshot.keys()];
  const guards = withDescendants(
    pids.filter((pid) => hasVariable(pid, `${GUARD_VARIABLE}=${session}`)),
    snapshot,
  );
  const isThere = snapshot.get(attendant.pid)?.start === attendant.start;
  const mark = markOf(session);
  const roots = [...snapshot.values()].filter(
    ({ pid, ppid }) => hasVariable(pid, mark) || (isThere && ppid === attendant.pid),
  );
  const found = withDescendants(
    roots.map(({ pid }) => pid),
    snapshot,
  );
  const members = [...snapshot.values()].filter(({ pid }) => found.has(pid) && !guards.has(pid));
  return { members: members.map(({ pid, start }) => ({ pid, start, boot })), guards: [...guards] };
}

function markOf(session: string): string {
  return `${ATTENDED_VARIABLE}=${session}`;
}

function isSamePlace({ host, boot, pidNamespace }: Place, here: Place | null): boolean {
  return here !== null && here.host === host && here.boot === boot && here.pidNamespace === pidNamespace;
}
