/** Finds a program as `execvp` would, so that one that is missing is refused before anything starts. */
import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';

/** The program's absolute path, or the reason why it can't be run. A name with a slash counts from the working directory. */
export function findProgram(name: string, path: string, cwd: string): { path: string } | { problem: string } {
  const shown = JSON.stringify(name);
  if (name === '') return { problem: 'the command is empty' };
  if (name.includes('/')) {
    const file = resolve(cwd, name);
    const problem = problemOf(file);
    return problem === null ? { path: file } : { problem: `program ${shown} ${problem}` };
  }
  const candidates = path.split(':').map((dir) => (isAbsolute(dir) ? join(dir, name) : resolve(cwd, dir, name)));
  const found = candidates.find((file) => problemOf(file) === null);
  if (found !== undefined) return { path: found };
  const present = candidates.find((file) => problemOf(file) !== 'does not exist');
  return {
    problem: present
      ? `program ${shown} ${problemOf(present)}`
      : `program ${shown} is in no directory of the run's PATH`,
  };
}

export function hasProgram(name: string, path: string): boolean {
  return 'path' in findProgram(name, path, '/');
}

function problemOf(file: string): string | null {
  try {
    if (!statSync(file).isFile()) return 'is no file';
  } catch {
    return 'does not exist';
  }
  try {
    accessSync(file, constants.X_OK);
    return null;
  } catch {
    return 'is not executable';
  }
}
