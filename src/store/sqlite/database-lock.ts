/**
 * One app per SQLite file: an exclusive lock on a small database beside it, held for as long as the app lives. The system
 * frees it when the process dies, however it dies.
 */
import { setTimeout as delay } from 'node:timers/promises';
import BetterSqlite3 from 'better-sqlite3';
import { StartRefused } from '../../engine/ports.ts';
import { ensurePrivateFile } from './database-file.ts';

const RETRY_MS = 50;

/** Waits up to `waitMs` for another holder to let go; then throws. Returns the function that frees it. */
export async function lockDatabase(file: string, waitMs: number): Promise<() => void> {
  for (let waited = 0; ; waited += RETRY_MS) {
    const release = tryLock(`${file}.lock`);
    if (release !== null) return release;
    if (waited >= waitMs) {
      throw new StartRefused(
        `another Standdown uses the database ${file}: one SQLite file serves one app (PostgreSQL many)`,
      );
    }
    await delay(RETRY_MS);
  }
}

function tryLock(lockFile: string): (() => void) | null {
  ensurePrivateFile(lockFile);
  const lock = new BetterSqlite3(lockFile, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return () => lock.close();
  } catch (error) {
    lock.close();
    if (error instanceof BetterSqlite3.SqliteError && error.code.startsWith('SQLITE_BUSY')) return null;
    throw error;
  }
}
