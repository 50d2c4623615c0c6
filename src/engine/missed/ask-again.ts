/**
 * Asks GitHub to send again what did not arrive: a few at a time and one by one, as GitHub wishes for whatever changes something. Each
 * ask is counted before it is made: a process that dies between the two has spent it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Deps } from '../deps.ts';
import { githubNow } from '../github-clock.ts';
import { GitHubError, type MissedDelivery, type SweepReader, type Write } from '../ports.ts';
import { fateOf } from './fate.ts';
import { note } from './memory.ts';

/** Also how long a process that is told to stop may have to wait for this, in pauses. */
const AT_ONCE = 5;
const LOOKED_THROUGH = 400;
/** What was asked for is here soon, or fails again. */
const RECHECK_MS = 30_000;

type Asker = Pick<SweepReader, 'askAgain'>;

/** Gives when to look at them again; null: none is missed. Throws `GitHubError` where GitHub does not take the wish. */
export async function askForMissed(
  deps: Deps,
  github: Asker,
  { arrived, gapMs }: { arrived: ReadonlySet<string>; gapMs: number },
): Promise<Date | null> {
  const { store, clock } = deps;
  const nexts: number[] = [];
  let asks = 0;
  for (const missed of await store.missedDeliveries('missed', LOOKED_THROUGH)) {
    if (missed.asked === 0 && asks >= AT_ONCE) {
      nexts.push(clock().getTime() + gapMs);
      continue;
    }
    const isHere = arrived.has(missed.guid) || (await store.hasDelivery(missed.guid));
    const found = fateOf(missed, { arrived: isHere, now: clock(), githubNow: githubNow(deps) });
    if (found.fate === 'wait') nexts.push(found.until.getTime());
    else if (found.fate === 'recovered') await store.commit([put(missed, { state: 'recovered' })]);
    else if (found.fate === 'given_up') await giveUp(deps, missed);
    else if (asks >= AT_ONCE) nexts.push(clock().getTime() + gapMs);
    else {
      if (asks > 0) await delay(gapMs);
      asks += 1;
      await ask(deps, github, missed);
      nexts.push(clock().getTime() + RECHECK_MS);
    }
  }
  return nexts.length === 0 ? null : new Date(Math.min(...nexts));
}

/** Somebody may have it sent again by hand, however late. */
export async function recoverGivenUp({ store }: Deps, arrived: ReadonlySet<string>): Promise<void> {
  if (arrived.size === 0) return;
  for (const missed of await store.missedDeliveries('given_up', LOOKED_THROUGH)) {
    if (arrived.has(missed.guid)) await store.commit([put(missed, { state: 'recovered' })]);
  }
}

async function ask(deps: Deps, github: Asker, missed: MissedDelivery): Promise<void> {
  const { store, clock, log } = deps;
  const counted = { asked: missed.asked + 1, askedAt: clock() };
  await store.commit([put(missed, counted)]);
  try {
    const answer = await github.askAgain(missed.attemptId);
    log.info({ delivery: missed.guid, event: missed.event, asked: counted.asked, answer }, 'missed delivery asked for');
    if (answer === 'gone') await giveUp(deps, { ...missed, ...counted });
  } catch (error) {
    if (isRefusal(error)) await store.commit([put(missed, {})]);
    throw error;
  }
}

/** GitHub said itself that it did nothing: the ask is not spent. */
function isRefusal(error: unknown): boolean {
  return error instanceof GitHubError && (error.code === 'throttled' || error.code === 'lost_access');
}

async function giveUp({ store, clock, log }: Deps, missed: MissedDelivery): Promise<void> {
  const { guid, event, action, asked } = missed;
  const now = clock();
  await store.commit([put(missed, { state: 'given_up' }), note('gaveUpAt', now, now)]);
  log.warn({ delivery: guid, event, action, asked }, 'missed delivery given up: the sweep finds what it told');
}

function put(missed: MissedDelivery, set: Partial<MissedDelivery>): Write {
  return { write: 'missed.put', missed: { ...missed, ...set } };
}
