/**
 * The processes of an attended command: its first one, what descends from it, what carries its mark in its environment, and what was
 * once seen to be one of these. Best effort, as the `scan` level is: a process that was never seen below the command, and has scrubbed
 * its environment, is not found.
 */
import {
  hasVariable,
  type Identity,
  isAlive,
  readStat,
  type Snapshot,
  signalPid,
  takeSnapshot,
  withDescendants,
} from '../proc.ts';

/** Not that of runs: an attended command may be part of one. */
export const ATTENDED_VARIABLE = 'STANDDOWN_ATTENDED';

/** The same of its guard, which is none of the command's processes. Not as a word: anybody may read those. */
export const GUARD_VARIABLE = 'STANDDOWN_GUARDS';

export interface Tree {
  /** Live pids, looked for anew. */
  look(): number[];
  /** To all that live; says to how many. A stopped process is let go on, so that it can obey. */
  signal(signal: NodeJS.Signals): number;
  /** To its first process alone. */
  signalFirst(signal: NodeJS.Signals): void;
  /** One round of KILL. */
  kill(): void;
}

export function makeTree(mark: string, first: Identity | null, boot: string): Tree {
  const assignment = `${ATTENDED_VARIABLE}=${mark}`;
  // By start time: a pid may have become somebody else's.
  const seen = new Map<number, string>();

  function rootsIn(snapshot: Snapshot): number[] {
    const roots = first !== null && isAlive(first, boot) ? [first.pid] : [];
    for (const { pid, start } of snapshot.values()) {
      if (pid !== process.pid && (seen.get(pid) === start || hasVariable(pid, assignment))) roots.push(pid);
    }
    return roots;
  }

  function look(): number[] {
    const snapshot = takeSnapshot();
    const pids = [...withDescendants(rootsIn(snapshot), snapshot)];
    // None is forgotten: a busy machine may hide one that lives from a look.
    for (const pid of pids) seen.set(pid, snapshot.get(pid)?.start ?? '');
    return pids;
  }

  /** Between a look and its signal a pid may pass to another process. */
  function send(pid: number, signal: NodeJS.Signals): void {
    if (readStat(pid)?.start === seen.get(pid)) signalPid(pid, signal);
  }

  return {
    look,
    signal(signal) {
      const pids = look();
      for (const pid of pids) send(pid, signal);
      for (const pid of pids) send(pid, 'SIGCONT');
      return pids.length;
    },
    signalFirst(signal) {
      if (first !== null && isAlive(first, boot)) signalPid(first.pid, signal);
    },
    kill() {
      const pids = look();
      // Stopped first, so that none of them forks while the others die.
      for (const pid of pids) send(pid, 'SIGSTOP');
      for (const pid of pids) send(pid, 'SIGKILL');
    },
  };
}
