/** The database as a file: nobody else may read it, and it has to stay where it was opened. */
import { closeSync, openSync, statSync } from 'node:fs';

/**
 * Makes the file, where there is none, for its owner alone; SQLite gives its companions (-wal, -shm) the same mode. One that
 * is there is never opened here: closing it again would drop the locks that this process holds on it.
 */
export function ensurePrivateFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/**
 * Returns what throws as soon as the path leads elsewhere: SQLite goes on writing to a file that was deleted, and all of it
 * is lost with the process. Some microseconds, beside a commit's milliseconds.
 */
export function makePlaceCheck(file: string): () => void {
  const opened = statSync(file, { bigint: true });

  return () => {
    const there = statSync(file, { bigint: true, throwIfNoEntry: false });
    if (there?.ino === opened.ino && there.dev === opened.dev) return;
    const what = there === undefined ? 'was deleted' : 'was replaced by another file';
    throw new Error(`the database ${file} ${what} while it was open: nothing more is kept in it`);
  };
}
