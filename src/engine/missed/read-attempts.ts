/**
 * Reads what GitHub tried to deliver, from the newest attempt back to where the last look ended, and keeps what never arrived. How far was
 * seen is kept last: a look that is cut short is made again from its beginning.
 */
import type { Deps } from '../deps.ts';
import { githubNow } from '../github-clock.ts';
import type { HookAttempt, SweepReader, Write } from '../ports.ts';
import { KEPT_MS } from './fate.ts';
import { note, notedTime, noteRefusal } from './memory.ts';

/** An attempt that takes long may be listed after younger ones. */
const OVERLAP_MS = 120_000;
/** Of 100 attempts each. What is behind them is left to the sweep. */
const MOST_PAGES = 500;

/** Of the events of others nothing here is used. */
const USED_EVENTS: ReadonlySet<string> = new Set([
  'issues',
  'issue_comment',
  'issue_dependencies',
  'push',
  'installation',
  'installation_repositories',
  'installation_target',
  'repository',
]);

/** GUIDs of those of which any attempt arrived, as far as was read; null: nobody delivers anything. Throws `GitHubError`. */
export async function readAttempts(
  deps: Deps,
  github: Pick<SweepReader, 'hookAttempts'>,
): Promise<ReadonlySet<string> | null> {
  const { store, clock, log } = deps;
  const lookedAt = clock();
  const from = await beginningOf(deps);
  const arrived = new Set<string>();
  let newest = await notedTime(store, 'seenUntil');
  let missed = 0;
  let cursor: string | null = null;
  for (let pages = 1; ; pages += 1) {
    const page = await github.hookAttempts(cursor);
    if (page === null) return null;
    for (const { guid, isOk } of page.attempts) if (isOk) arrived.add(guid);
    newest = page.attempts.reduce((latest, { deliveredAt }) => laterOf(latest, deliveredAt), newest);
    missed += await keepMissed(deps, page.attempts, { arrived, from });
    cursor = page.cursor;
    if (cursor === null || page.attempts.some(({ deliveredAt }) => deliveredAt < from)) break;
    if (pages >= MOST_PAGES) {
      log.warn({ pages }, 'too many deliveries to look through: older ones are left to the sweep');
      break;
    }
  }
  if (missed > 0) log.warn({ deliveries: missed }, 'deliveries missed');
  const now = clock();
  const seen = newest === null ? [] : [note('seenUntil', newest, now)];
  await store.commit([...seen, note('lookedAt', lookedAt, now), noteRefusal(null, now)]);
  return arrived;
}

/** From where on attempts are of interest, by GitHub's clock. By a look that came long after the newest attempt nothing is to be listed late. */
async function beginningOf(deps: Deps): Promise<Date> {
  const oldest = githubNow(deps).getTime() - KEPT_MS;
  const seenUntil = (await notedTime(deps.store, 'seenUntil'))?.getTime() ?? null;
  if (seenUntil === null) return new Date(oldest);
  const lookedAt = (await notedTime(deps.store, 'lookedAt')) ?? new Date(0);
  const looked = githubNow({ ...deps, clock: () => lookedAt }).getTime();
  return new Date(Math.max(oldest, Math.min(seenUntil, Math.max(seenUntil, looked) - OVERLAP_MS)));
}

/** Gives how many are new. */
async function keepMissed(
  { store }: Deps,
  attempts: readonly HookAttempt[],
  { arrived, from }: { arrived: ReadonlySet<string>; from: Date },
): Promise<number> {
  const writes = new Map<string, Write>();
  for (const { id, guid, event, action, deliveredAt, isOk } of attempts) {
    if (isOk || !USED_EVENTS.has(event) || deliveredAt < from || arrived.has(guid) || writes.has(guid)) continue;
    // What GitHub gave up waiting for may be here all the same.
    if ((await store.hasDelivery(guid)) || (await store.missedDelivery(guid)) !== null) continue;
    const missed = {
      guid,
      attemptId: id,
      event,
      action,
      deliveredAt,
      asked: 0,
      askedAt: null,
      state: 'missed',
    } as const;
    writes.set(guid, { write: 'missed.put', missed });
  }
  if (writes.size > 0) await store.commit([...writes.values()]);
  return writes.size;
}

function laterOf(a: Date | null, b: Date): Date {
  return a === null || b > a ? b : a;
}
