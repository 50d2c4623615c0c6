/** Where a run works: the task's own directory, or one that exists below the runner's root. */
import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { Account } from './account.ts';
import { isFileName } from './records.ts';

export interface Places {
  runs: string;
  /** What runs say of themselves. */
  results: string;
  tasks: string;
  /** What `working_directory` counts from. */
  root: string;
  account: Account | null;
}

export type Directory = { path: string } | { problem: string };

export function resolveDirectory(places: Places, taskId: string, asked: string | null): Directory {
  if (asked !== null) return belowRoot(places, asked);
  if (!isFileName(taskId)) return { problem: `${JSON.stringify(taskId)} can't be the name of a task's directory` };
  const path = join(places.tasks, taskId);
  const there = lstatSync(path, { throwIfNoEntry: false });
  // It is kept across runs: an earlier one may have put a file or a link in its place.
  if (there !== undefined && !there.isDirectory()) return { problem: `${path} is no directory any more` };
  if (there === undefined) mkdirSync(path, { recursive: true, mode: 0o700 });
  if (places.account !== null) chownSync(path, places.account.uid, places.account.gid);
  return { path: realpathSync(path) };
}

/**
 * Others may pass through, to reach what is theirs, but not look around. One that is there keeps its mode. One by one: in Node 20
 * `recursive` tries for ever where a directory answers ENOENT for what is to be made in it, as /proc does.
 */
export function makePassage(dir: string): void {
  if (existsSync(dir)) return;
  makePassage(dirname(resolve(dir)));
  mkdirSync(dir, { mode: 0o711 });
  // Whatever the umask: under 077, which keeps all else here from them, it would take the passage away.
  chmodSync(dir, 0o711);
}

/** Links are followed first and judged by where they lead. */
function belowRoot({ root, runs, results, tasks }: Places, asked: string): Directory {
  const shown = `working_directory ${JSON.stringify(asked)}`;
  if (asked === '' || asked.includes('\0')) return { problem: `${shown} is no path` };
  if (isAbsolute(asked)) return { problem: `${shown} is absolute; it must be relative to the runner's root` };
  if (asked.split('/').includes('..')) return { problem: `${shown} must not contain ".."` };
  let path: string;
  let realRoot: string;
  try {
    realRoot = realpathSync(root);
    path = realpathSync(join(realRoot, asked));
    if (!statSync(path).isDirectory()) return { problem: `${shown} is no directory` };
  } catch (error) {
    return { problem: `${shown} can't be entered below the runner's root: ${(error as NodeJS.ErrnoException).code}` };
  }
  if (!contains(realRoot, path)) return { problem: `${shown} leads out of the runner's root` };
  if (contains(realpathSync(runs), path)) return { problem: `${shown} leads to the records of runs` };
  if (contains(results, path)) return { problem: `${shown} leads to the results of runs` };
  if (contains(realpathSync(tasks), path)) return { problem: `${shown} leads to the directories of tasks` };
  return { path };
}

function contains(parent: string, path: string): boolean {
  const way = relative(parent, path);
  return way === '' || (way !== '..' && !way.startsWith('../') && !isAbsolute(way));
}
