/**
 * What lives of a run whose records are gone or garbled, by its own doing or by whoever tidied up: found by what its processes
 * carry. Missing records alone are no proof that nothing lives. Not for a run whose records can be read.
 */
import { join } from 'node:path';
import { processesIn } from './containment/cgroup.ts';
import { marksOf } from './containment/scan.ts';
import { argumentsOf, type Snapshot, signalPid, withDescendants } from './proc.ts';

/** The names that a run's own shells go by; the directory of its records follows. */
export const SUPERVISOR_NAME = 'standdown-supervisor';
const FIRST_NAME = 'standdown-init';
const LOG_NAME = 'standdown-log';
const OWN_NAMES = [SUPERVISOR_NAME, FIRST_NAME, LOG_NAME];

interface Places {
  runs: string;
  /** Where runs get their control groups; null: they have none. */
  groups: string | null;
}

export interface Remnants {
  /** All that lives of it. Empty where no program lives: a supervisor alone has not begun yet, or is about to end. */
  pids: ReadonlySet<number>;
  /** Those that TERM is for. */
  programs: ReadonlySet<number>;
  /** Of `pids`, those that record its end: its supervisor, and what copies its output. */
  helpers: ReadonlySet<number>;
  supervised: boolean;
}

export function findRemnants({ runs, groups }: Places, runId: string, snapshot: Snapshot): Remnants {
  const carriers = carriersIn(snapshot).get(join(runs, runId)) ?? [];
  const programs = new Set(groups === null ? [] : processesIn(join(groups, runId)));
  const firsts = new Set<number>();
  const helpers = new Set<number>();
  let supervised = false;
  for (const { pid, name } of carriers) {
    supervised ||= name === SUPERVISOR_NAME;
    if (name === FIRST_NAME) firsts.add(pid);
    else if (name === SUPERVISOR_NAME || name === LOG_NAME) helpers.add(pid);
    else programs.add(pid);
  }
  if (programs.size === 0 && firsts.size === 0) return { pids: new Set(), programs, helpers, supervised };
  const pids = withDescendants([...programs, ...firsts, ...helpers], snapshot);
  for (const pid of programs) pids.add(pid);
  // The first process of a namespace hands TERM on to all others in it.
  const told = firsts.size > 0 ? firsts : new Set([...pids].filter((pid) => !helpers.has(pid)));
  return { pids, programs: told, helpers: new Set([...helpers].filter((pid) => !programs.has(pid))), supervised };
}

/** One round. */
export function endRemnants({ pids, programs }: Remnants, mode: 'term' | 'kill'): void {
  if (mode === 'term') {
    for (const pid of programs) signalPid(pid, 'SIGTERM');
    for (const pid of programs) signalPid(pid, 'SIGCONT');
    return;
  }
  // Stopped first, so that none of them forks while the others die.
  for (const pid of pids) signalPid(pid, 'SIGSTOP');
  for (const pid of pids) signalPid(pid, 'SIGKILL');
}

/** A process that carries the directory of a run's records; null: in its environment, not as one of the run's own shells. */
interface Carrier {
  pid: number;
  name: string | null;
}

/** By that directory. Read once for each snapshot: many runs may be asked about at once. */
const carriersOf = new WeakMap<Snapshot, ReadonlyMap<string, readonly Carrier[]>>();

function carriersIn(snapshot: Snapshot): ReadonlyMap<string, readonly Carrier[]> {
  const known = carriersOf.get(snapshot);
  if (known !== undefined) return known;
  const found = new Map<string, Carrier[]>();
  const add = (dir: string, carrier: Carrier): void => {
    const others = found.get(dir);
    if (others === undefined) found.set(dir, [carrier]);
    else others.push(carrier);
  };
  for (const { pid } of snapshot.values()) {
    if (pid === process.pid) continue;
    const own = ownShell(pid);
    if (own !== null) add(own.dir, { pid, name: own.name });
    for (const dir of marksOf(pid, snapshot)) if (dir !== own?.dir) add(dir, { pid, name: null });
  }
  carriersOf.set(snapshot, found);
  return found;
}

function ownShell(pid: number): { dir: string; name: string } | null {
  const [, option, , name = '', dir] = argumentsOf(pid);
  return option === '-c' && OWN_NAMES.includes(name) && dir !== undefined ? { dir, name } : null;
}
