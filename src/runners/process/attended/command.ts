/**
 * A person's own command, in the foreground of their terminal: it shares standard input, output, error and the process group, so that the
 * terminal treats it as if nothing stood before it. It has no records: a guard ends it where this process is gone.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type Environment, supervisorEnvironment } from '../environment.ts';
import { bootId, readStat } from '../proc.ts';
import { GUARD } from './guard-script.ts';
import { ATTENDED_VARIABLE, GUARD_VARIABLE, makeTree, type Tree } from './tree.ts';

export interface AttendedOrder {
  argv: readonly [string, ...string[]];
  env: Environment;
  /** Between TERM and KILL. */
  graceMs: number;
  /** What its processes are known by; default: a new one. */
  mark?: string;
}

/** One of the two is null. */
export interface CommandEnd {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
}

export interface Stopped {
  forced: boolean;
  /** Pids that outlived KILL. */
  survivors: readonly number[];
}

export interface Attended {
  /** Of its first process. */
  ended: Promise<CommandEnd>;
  tree: Pick<Tree, 'signal' | 'signalFirst'>;
  countLiving(): Promise<number>;
  /** TERM, grace, KILL, until nothing of it is seen. `force` ends the grace. */
  stop(force: AbortSignal): Promise<Stopped>;
  /** Lets its guard end, once that has seen that nothing of it is alive. */
  release(): void;
}

/** How long KILL is repeated before what is left counts as a survivor. */
const KILL_MS = 10_000;
const LOOK_MS = 50;
const EMPTY_LOOKS = 3;

/** Throws the system's error where the program can't be run. Else it waits for nothing, so that no signal comes between. */
export async function startAttended({ argv, env, graceMs, mark = randomUUID() }: AttendedOrder): Promise<Attended> {
  if (!existsSync('/proc/self/stat')) throw new Error('it takes /proc, as Linux has it, to know its processes');
  const guard = startGuard(mark, env, graceMs);
  const release = () => void guard.end();
  try {
    const [program, ...words] = argv;
    const child = spawn(program, words, { stdio: 'inherit', env: { ...env, [ATTENDED_VARIABLE]: mark } });
    const ended = endOf(child);
    if (child.pid === undefined) throw await errorOf(child);
    // It may have ended since.
    const start = readStat(child.pid)?.start;
    const boot = bootId();
    const first = start === undefined ? null : { pid: child.pid, start, boot };
    if (first !== null) guard.write(`first ${first.pid} ${first.start}\n`);
    const tree = makeTree(mark, first, boot);
    tree.look();
    return {
      ended,
      tree,
      countLiving: () => countLiving(tree),
      stop: (force) => stopTree(tree, graceMs, force),
      release,
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** Before the command, so that there is no moment without it. In a session of its own: no terminal's signal is for it. */
function startGuard(mark: string, env: Environment, graceMs: number): Writable {
  const tenths = String(Math.ceil(graceMs / 100));
  const words = ['-c', GUARD, 'standdown-guard', tenths];
  const guard = spawn('sh', words, {
    cwd: '/',
    detached: true,
    env: { ...supervisorEnvironment(env), [GUARD_VARIABLE]: mark },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  if (guard.pid === undefined) {
    guard.on('error', () => {});
    throw new Error('there is no sh to guard it');
  }
  guard.unref();
  // Somebody may have ended it.
  guard.on('error', () => {});
  guard.stdin.on('error', () => {});
  return guard.stdin;
}

function endOf(child: ChildProcess): Promise<CommandEnd> {
  return new Promise((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
  });
}

function errorOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve) => {
    child.once('error', resolve);
  });
}

async function stopTree(tree: Tree, graceMs: number, force: AbortSignal): Promise<Stopped> {
  tree.signal('SIGTERM');
  const until = performance.now() + graceMs;
  while (performance.now() < until && !force.aborted) {
    if ((await countLiving(tree)) === 0) return { forced: false, survivors: [] };
    await delay(LOOK_MS);
  }
  const killUntil = performance.now() + KILL_MS;
  let forced = false;
  while ((await countLiving(tree)) > 0 && performance.now() < killUntil) {
    tree.kill();
    forced = true;
    await delay(LOOK_MS);
  }
  return { forced, survivors: tree.look() };
}

/** One look may miss what forks meanwhile, and on a busy machine what does not. */
async function countLiving(tree: Tree): Promise<number> {
  for (let look = 0; look < EMPTY_LOOKS; look += 1) {
    const { length } = tree.look();
    if (length > 0) return length;
    await delay(2);
  }
  return 0;
}
