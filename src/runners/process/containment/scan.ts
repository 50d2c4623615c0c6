/**
 * No containment by the kernel: the run's session and process group, what descends from its first process, and what carries
 * its mark in its environment. Best effort: a process that leaves the session, is orphaned and has scrubbed its environment is not
 * found, nor is one that forks faster than it can be looked for.
 */
import { isAlive, readStat, type Snapshot, signalPid, takeSnapshot, valuesOf, withDescendants } from '../proc.ts';
import type { ClaimedRun, Level } from './level.ts';

/** Its value is the run's directory of records: with the run's id in it, and different for every app of a machine. */
export const MARK_VARIABLE = 'STANDDOWN_RUN_RECORDS';

export const scan: Level = {
  members: (run, snapshot) => [...findMembers(run, snapshot())],
  term(run) {
    // The group first, without looking around: that is nearly always the whole tree.
    const { work } = run;
    const led = work !== null && isAlive(work, run.boot) && signalPid(-work.pid, 'SIGTERM');
    const snapshot = takeSnapshot();
    const members = findMembers(run, snapshot);
    for (const pid of members) {
      const told = led && snapshot.get(pid)?.group === work.pid;
      if (!told) signalPid(pid, 'SIGTERM');
    }
    for (const pid of members) signalPid(pid, 'SIGCONT');
    return led || members.size > 0;
  },
  kill(run) {
    const members = findMembers(run, takeSnapshot());
    // Stopped first, so that none of them forks while the others die.
    for (const pid of members) signalPid(pid, 'SIGSTOP');
    for (const pid of members) signalPid(pid, 'SIGKILL');
  },
};

function findMembers(run: ClaimedRun, snapshot: Snapshot): Set<number> {
  if (run.supervisor.boot !== run.boot) return new Set();
  const inSession = sessionTest(run);
  // For a moment the first process has neither its session nor its environment.
  const roots = run.work !== null && isAlive(run.work, run.boot) ? [run.work.pid] : [];
  for (const stat of snapshot.values()) {
    if (stat.pid === process.pid || stat.pid === run.supervisor.pid) continue;
    if (Number(stat.start) < Number(run.supervisor.start)) continue;
    if (inSession(stat.session, stat.group) || marksOf(stat.pid, snapshot).includes(run.dir)) roots.push(stat.pid);
  }
  return withDescendants(roots, snapshot);
}

/** Read once for each snapshot: thousands of runs may be asked about at once. */
const known = new WeakMap<Snapshot, Map<number, readonly string[]>>();

/** The directories of records that a process carries. */
export function marksOf(pid: number, snapshot: Snapshot): readonly string[] {
  const marks = known.get(snapshot) ?? new Map<number, readonly string[]>();
  known.set(snapshot, marks);
  const found = marks.get(pid) ?? valuesOf(pid, MARK_VARIABLE);
  marks.set(pid, found);
  return found;
}

/**
 * The kernel gives no pid away while a session or group is called by it. So the number is ours while its leader is the process
 * on record, or while there is no such process and the supervisor still is here; otherwise only the mark counts.
 */
function sessionTest({ work, supervisor, boot }: ClaimedRun): (session: number, group: number) => boolean {
  if (work === null) return () => false;
  const leader = readStat(work.pid);
  const ours = leader === null ? isAlive(supervisor, boot) : isAlive(work, boot);
  return (session, group) => ours && (session === work.pid || group === work.pid);
}
