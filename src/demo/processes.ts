/** Finds the demo's processes in /proc by what they were started with, and ends them. It knows nothing of the app's own records. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const LOOK_MS = 20;

/** Pids of live processes whose environment holds an assignment that begins like this. */
export function findMarked(assignment: string): number[] {
  return pids().filter((pid) => wordsOf(pid, 'environ').some((word) => word.startsWith(assignment)));
}

/** Pids of live processes with that text in their command line: the supervisors of runs name their directory there. */
function findByCommandLine(text: string): number[] {
  return pids().filter((pid) => wordsOf(pid, 'cmdline').some((word) => word.includes(text)));
}

export interface Trace {
  /** Beginning of an assignment that every program of a run inherits. */
  mark: string;
  /** A directory that supervisors have in their command lines. */
  dir: string;
}

function findAll({ mark, dir }: Trace): number[] {
  return [...new Set([...findMarked(mark), ...findByCommandLine(dir)])];
}

/** KILL to the programs until none is left; their supervisors then end by themselves. Returns what is alive after `ms`. */
export async function endAll(trace: Trace, ms: number): Promise<number[]> {
  const until = Date.now() + ms;
  for (;;) {
    killMarked(trace.mark);
    const alive = findAll(trace);
    if (alive.length === 0 || Date.now() >= until) return alive;
    await delay(LOOK_MS);
  }
}

/** The same without giving anybody else a turn, for a process that is about to exit. */
export function endAllBlocking(trace: Trace, ms: number): void {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  for (const until = Date.now() + ms; findAll(trace).length > 0 && Date.now() < until; ) {
    killMarked(trace.mark);
    Atomics.wait(clock, 0, 0, LOOK_MS);
  }
}

function killMarked(mark: string): void {
  for (const pid of findMarked(mark)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone since.
    }
  }
}

function pids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid);
}

/** Nothing for a process that is gone, dead, or somebody else's. */
function wordsOf(pid: number, file: 'environ' | 'cmdline'): string[] {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1').split('\0');
  } catch {
    return [];
  }
}
