/**
 * One Standdown per data directory: a lock on a file in it, held as long as the process lives. The lock is of the open file, which
 * nobody inherits, so the system frees it when the process dies, however it dies; what runs there outlives it. The file stays:
 * to remove it would let two have the lock, each on its own.
 */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StartRefused } from '../../engine/ports.ts';
import { type Environment, supervisorEnvironment } from './environment.ts';
import { readStat } from './proc.ts';
import { makePassage } from './working-directory.ts';

const FILE = 'standdown.lock';
/** As long as a process that was just killed may have the lock: until what it was about to start has begun. */
const WAIT_MS = 2_000;
const TRY_AGAIN_MS = 50;
/** How `flock` says that somebody else has it, without a word; BusyBox's says so of everything else, too, but in words. */
const TAKEN = 1;

/** Makes the directory where it is missing. Returns the function that lets go; again it does nothing. Throws one error that names who has it. */
export async function lockDataDirectory(dataDir: string, processEnv: Environment): Promise<() => void> {
  makePassage(dataDir);
  const file = join(dataDir, FILE);
  const fd = openLock(file);
  try {
    for (let waited = 0; !tryLock(fd, file, processEnv); waited += TRY_AGAIN_MS) {
      if (waited >= WAIT_MS)
        throw new StartRefused(`${holderIn(file)} uses the data directory ${dataDir}: each needs its own`);
      await delay(TRY_AGAIN_MS);
    }
    noteHolder(fd);
    return closeOnce(fd);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Its number may be another file's by the second time. */
function closeOnce(fd: number): () => void {
  let isOpen = true;
  return () => {
    if (isOpen) closeSync(fd);
    isOpen = false;
  };
}

function openLock(file: string): number {
  try {
    return openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600);
  } catch (error) {
    throw new StartRefused(`the data directory can't be locked: ${(error as Error).message}`);
  }
}

/** By a program, for Node.js can't: what it locks is our open file, and stays so when it has ended. */
function tryLock(fd: number, file: string, processEnv: Environment): boolean {
  const env = supervisorEnvironment(processEnv);
  const { status, error, stderr } = spawnSync('flock', ['-n', '3'], { env, stdio: ['ignore', 'ignore', 'pipe', fd] });
  if (status === 0) return true;
  const words = String(stderr ?? '').trim();
  if (status === TAKEN && words === '') return false;
  throw new StartRefused(`the data directory can't be locked: ${reasonOf(error, words, file)}`);
}

function reasonOf(error: SpawnSyncReturns<Buffer>['error'], words: string, file: string): string {
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT')
    return 'the program flock is missing (util-linux)';
  return `${file}: ${error?.message ?? words.split('\n')[0]}`;
}

function noteHolder(fd: number): void {
  try {
    ftruncateSync(fd);
    writeSync(fd, `${process.pid} ${hostname()}\n`, 0);
  } catch {
    // A full disk: then nobody is told who has it.
  }
}

/** Whoever has it may not have said so yet: then what is there was said by the one before, who is gone. */
function holderIn(file: string): string {
  const [, pid, host] = /^(\d+) (\S+)\n$/.exec(readFileSync(file, 'utf8')) ?? [];
  const isGone = pid === undefined || (host === hostname() && readStat(Number(pid)) === null);
  return isGone ? 'another Standdown' : `another Standdown, process ${pid} on ${host},`;
}
