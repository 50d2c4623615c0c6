/** Programs for tasks, found and ended by a word that no other process has. */
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { deadline, findByWord, makeMarker, NASTY } from '../support/processes.ts';
import { WAIT } from '../support/world.ts';

export interface Program {
  word: string;
  run: string[];
  /** Fields of the task. */
  [field: string]: unknown;
}

/** A program that works until it is stopped, and the word that finds its processes. */
export function sleeper(): Program {
  const word = makeMarker();
  return { word, run: ['sh', '-c', `echo working; sleep 300; : ${word}`] };
}

/** Pids of the programs themselves; supervisors that carry the words of a program don't count. */
export function pidsOf(word: string): number[] {
  return findByWord(word, isProgram);
}

/** Waits: what is alive may be out of one look's sight on a busy machine, as it is before it has become its program. */
export async function untilAlive(word: string, count = 1): Promise<void> {
  await expect.poll(() => pidsOf(word).length, WAIT).toBe(count);
}

/** One of them. A busy machine may hide a process that lives from one look. */
export async function pidOf(word: string): Promise<number> {
  let pid: number | undefined;
  await expect
    .poll(() => {
      [pid] = pidsOf(word);
      return pid;
    }, WAIT)
    .toBeDefined();
  return pid as number;
}

/** One of the programs that are hard to end; it ends by itself after a minute. */
export function nasty(mode: string, word: string = makeMarker()): Program {
  return { word, run: ['perl', NASTY, mode, word, deadline(60)] };
}

/** A program that ends by itself, with that exit code, when it is sent USR1. */
export function finisher(exitCode: number): Program {
  const word = makeMarker();
  // Not a shell: what it forks looks like itself for a moment, and would be counted.
  return { word, run: ['perl', '-e', `$SIG{USR1} = sub { exit ${exitCode} }; sleep 1 while 1`, word] };
}

/** Not before the program listens: until then the signal would kill it. */
export async function finish(pid: number | undefined): Promise<void> {
  if (pid === undefined) throw new Error('there is no such program');
  await expect.poll(() => catchesUsr1(pid), WAIT).toBe(true);
  process.kill(pid, 'SIGUSR1');
}

function catchesUsr1(pid: number): boolean {
  const caught = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? '0';
  return ((BigInt(`0x${caught}`) >> 9n) & 1n) === 1n;
}

/** Supervisors and launchers go by names of their own. */
function isProgram(commandLine: string): boolean {
  return !commandLine.includes('standdown-');
}

/** As somebody's hand on that machine, past everybody. */
export function killProgram(word: string): void {
  for (const pid of pidsOf(word)) process.kill(pid, 'SIGKILL');
}

/** Watches how many programs with the word are alive at once. */
export function watch(word: string): { most(): number; end(): void } {
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, pidsOf(word).length);
  }, 15);
  return { most: () => most, end: () => clearInterval(timer) };
}
