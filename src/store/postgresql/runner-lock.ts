/**
 * A runner of this machine belongs to one app: another one on the same database would hear "no record" of runs that live here.
 * The lock belongs to a session, so it ends with this process, however that ends.
 */
import pg from 'pg';
import { StartRefused } from '../../engine/ports.ts';
import { LOCK_SPACE } from './locks.ts';

const WAIT_MS = 10_000;
const TRY_AGAIN_MS = 250;

export interface RunnerLock {
  close(): Promise<void>;
}

/** Throws where another app has one of the runners. `onLost`: the session ended, and with it the lock. */
export async function lockRunners(
  url: string,
  names: readonly string[],
  onLost: (error: Error) => void,
): Promise<RunnerLock> {
  const session = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, keepAlive: true });
  let closing = false;
  session.on('error', (error) => {
    if (!closing) onLost(new Error('the database session that owns the runners was lost', { cause: error }));
  });
  await session.connect();
  const close = () => {
    closing = true;
    return session.end();
  };
  try {
    for (const name of names) await lockRunner(session, name);
    return { close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** An app that was killed a moment ago may not be forgotten yet. */
async function lockRunner(session: pg.Client, name: string): Promise<void> {
  const deadline = Date.now() + WAIT_MS;
  while (!(await tryLock(session, name))) {
    if (Date.now() >= deadline)
      throw new StartRefused(`the runner ${name} is driven by another app on the same database`);
    await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS));
  }
}

async function tryLock(session: pg.Client, name: string): Promise<boolean> {
  const statement = 'SELECT pg_try_advisory_lock(hashtextextended($1, $2)) AS locked';
  const { rows } = await session.query<{ locked: boolean }>(statement, [`standdown runner ${name}`, LOCK_SPACE]);
  return rows[0]?.locked === true;
}
