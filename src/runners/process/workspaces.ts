/**
 * Removes the directories that tasks have of their own, once nobody needs them. One is first given a name that no task can have, which
 * happens at once or not at all; what is under such a name is removed in the background, listed under its task until it is gone, and
 * removed again when that is asked for. Nothing that a run put there leads out: links are not followed, and where the runs have an
 * account of their own, it is that account that removes.
 */
import { execFile } from 'node:child_process';
import { lstatSync, readdirSync, realpathSync, renameSync, rmdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Logger } from '../../engine/ports/environment.ts';
import { becomeAccount } from './account.ts';
import { isOccupied } from './occupied.ts';
import { isFileName } from './records.ts';
import type { Places } from './working-directory.ts';

const REMOVED = '.removed-';

export interface Workspaces {
  /** Tasks that have a directory here, or of whose directory something is left. */
  list(): readonly string[];
  /** False: there is none, it is in use or no directory of the task's own, or something of an earlier one is still being removed. */
  remove(taskId: string): boolean;
  /** Goes on with what was being removed when a process ended. */
  goOn(): void;
}

export function makeWorkspaces(places: Places, { env, log }: { env: NodeJS.ProcessEnv; log: Logger }): Workspaces {
  const { tasks } = places;
  /** Those that are being removed, and whether that was asked for again meanwhile: the next one may have that name by now. */
  const going = new Map<string, { again: boolean }>();

  function removeLeftover(taskId: string): void {
    const known = going.get(taskId);
    if (known !== undefined) {
      known.again = true;
      return;
    }
    const removal = { again: false };
    going.set(taskId, removal);
    removeTree(places, join(tasks, `${REMOVED}${taskId}`), env)
      .catch((error: unknown) => log.warn({ task: taskId, err: error }, "task's directory not removed"))
      .finally(() => {
        going.delete(taskId);
        if (removal.again) removeLeftover(taskId);
      });
  }

  function leftovers(): string[] {
    const names = readdirSync(tasks).filter((name) => name.startsWith(REMOVED));
    return names.map((name) => name.slice(REMOVED.length)).filter(isFileName);
  }

  return {
    list: () => [...new Set([...readdirSync(tasks).filter(isFileName), ...leftovers()])],
    remove(taskId) {
      if (!isFileName(taskId) || !isOwnPlace(tasks)) return false;
      const removed = join(tasks, `${REMOVED}${taskId}`);
      if (lstatSync(removed, { throwIfNoEntry: false }) !== undefined) {
        removeLeftover(taskId);
        return false;
      }
      const directory = join(tasks, taskId);
      // An earlier run may have put a file or a link in its place.
      if (!lstatSync(directory, { throwIfNoEntry: false })?.isDirectory()) return false;
      // Whoever asked may not know of a run that has begun since.
      if (isOccupied(directory)) return false;
      renameSync(directory, removed);
      removeLeftover(taskId);
      return true;
    },
    goOn() {
      if (isOwnPlace(tasks)) leftovers().forEach(removeLeftover);
    },
  };
}

/** A link on the way there leads to where nothing may be removed. */
function isOwnPlace(tasks: string): boolean {
  return realpathSync(tasks) === tasks;
}

async function removeTree({ account }: Places, path: string, env: NodeJS.ProcessEnv): Promise<void> {
  if (account === null) return rm(path, { recursive: true, force: true });
  // The account has no right to the name itself, which is the last thing to go: whether all else is gone, that tells.
  const [setpriv = '', ...words] = [...becomeAccount(account), 'rm', '-rf', '--', path];
  const failed = await promisify(execFile)(setpriv, words, { env, cwd: '/' }).then(
    () => null,
    (error: unknown) => error,
  );
  try {
    rmdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw failed ?? error;
  }
}
