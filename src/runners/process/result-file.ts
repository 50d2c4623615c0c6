/**
 * The file in which a run's program says what came of it: there before the program begins, and its account's own. What stands in its place
 * later is the program's doing: nothing of it may hold up a look at the run, or lead elsewhere.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lchownSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type OwnWord, readOwnWord } from '../../core/own-word.ts';
import { throwIfShort } from './proc.ts';
import { makePassage, type Places } from './working-directory.ts';

const MOST_BYTES = 65_536;
/** Not even where it has become a link or a pipe since it was looked at. */
const NO_DETOURS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** What is there already is of the same start, which was cut short or is asked for twice: it keeps what it says. */
export function makeResultFile({ results, account }: Places, runId: string): void {
  makePassage(results);
  const path = join(results, runId);
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  if (account !== null) lchownSync(path, account.uid, account.gid);
}

/** null: it says nothing. Throws only at a shortage, which may hide what is there. */
export function readResultFile(results: string, runId: string): OwnWord | null {
  const path = join(results, runId);
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    // Nearly all are empty: this is all that a look costs then.
    if (stat === undefined || (stat.isFile() && stat.size === 0)) return null;
    return problemOf(stat) ?? readFound(path);
  } catch (error) {
    throwIfShort(error);
    return codeOf(error) === 'ENOENT' ? null : notUnderstood(`can't be read: ${codeOf(error)}`);
  }
}

function readFound(path: string): OwnWord | null {
  const fd = openSync(path, NO_DETOURS);
  try {
    return problemOf(fstatSync(fd)) ?? readOpened(fd);
  } finally {
    closeSync(fd);
  }
}

/** It may grow meanwhile. */
function readOpened(fd: number): OwnWord | null {
  const buffer = Buffer.allocUnsafe(MOST_BYTES + 1);
  let length = 0;
  for (let read = -1; read !== 0 && length < buffer.length; length += read) {
    read = readSync(fd, buffer, length, buffer.length - length, null);
  }
  return length > MOST_BYTES ? TOO_LARGE : readOwnWord(buffer.toString('utf8', 0, length));
}

function problemOf(stat: Stats): OwnWord | null {
  if (!stat.isFile()) return notUnderstood('is no regular file');
  return stat.size > MOST_BYTES ? TOO_LARGE : null;
}

function notUnderstood(problem: string): OwnWord {
  return { result: null, reason: null, until: null, problem };
}

const TOO_LARGE = notUnderstood(`has more than ${MOST_BYTES} bytes`);

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}

/** Those of runs that are not known any more: a run's records come before its result, and are the first to go. */
export async function removeStrayResults({ results, runs }: Pick<Places, 'results' | 'runs'>): Promise<void> {
  const names = readdirSync(results);
  const known = new Set(readdirSync(runs));
  for (const name of names.filter((entry) => !known.has(entry))) {
    await rm(join(results, name), { recursive: true, force: true }).catch(() => {});
  }
}
