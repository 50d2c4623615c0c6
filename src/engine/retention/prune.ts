/** Takes away what is kept no longer: a few rows at a time with a breath between, so that nothing waits for it. */
import { setImmediate as breath } from 'node:timers/promises';
import type { Deps } from '../deps.ts';
import { daysBefore, keptDays } from './days.ts';
import { pruneRuns, type Taken } from './prune-runs.ts';
import { pruneWorkspaces } from './prune-workspaces.ts';

const HOUR_MS = 3_600_000;
/** So much of an hour chance moves the next time. */
const JITTER = 0.1;
const ROWS = 200;
/** Then everybody else has a while, before the rest is taken away. */
const MOST_PORTIONS = 100;
const REST_MS = 10_000;

/** Gives when to do it again: in about an hour, sooner where there is more. `chance`: from 0 to 1. */
export async function prune(deps: Deps, chance: () => number = Math.random): Promise<Date> {
  const { store, clock, log } = deps;
  const now = clock();
  const days = keptDays(deps);
  const deliveriesBefore = daysBefore(now, days.deliveriesDays);
  const { retention } = store;
  const takes: Record<string, () => Promise<Taken>> = {
    deliveries: () => inPortions((limit) => retention.deliveries(deliveriesBefore, limit)),
    missed: () => inPortions((limit) => retention.missed(deliveriesBefore, limit)),
    comments: async () => {
      const before = await commentsBefore(deps, deliveriesBefore);
      return inPortions((limit) => retention.comments(before, limit));
    },
    events: () => inPortions((limit) => retention.events(daysBefore(now, days.eventsDays), limit)),
    runs: () => pruneRuns(deps, daysBefore(now, days.logsDays)),
    workspaces: () => pruneWorkspaces(deps),
  };
  const taken: Record<string, number> = {};
  let isMore = false;
  for (const [what, take] of Object.entries(takes)) {
    const { count, rest } = await take();
    if (count > 0) taken[what] = count;
    isMore ||= rest;
  }
  if (Object.keys(taken).length > 0) log.info(taken, 'taken away what is kept no longer');
  return new Date(clock().getTime() + (isMore ? REST_MS : HOUR_MS * (1 - JITTER + 2 * JITTER * chance())));
}

async function inPortions(take: (limit: number) => Promise<number>): Promise<Taken> {
  let count = 0;
  for (let portions = 0; portions < MOST_PORTIONS; portions += 1) {
    const taken = await take(ROWS);
    count += taken;
    if (taken < ROWS) return { count, rest: false };
    await breath();
  }
  return { count, rest: true };
}

/** What a listing may show again has to be known: it was carried out. */
async function commentsBefore({ store }: Deps, before: Date): Promise<Date> {
  const listed = (await store.repositoryStates()).filter(({ access }) => access === 'ok' || access === 'archived');
  const since = listed.flatMap(({ commentsSince }) => (commentsSince === null ? [] : [commentsSince.getTime()]));
  return new Date(Math.min(before.getTime(), ...since));
}
