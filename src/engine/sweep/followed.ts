/** Which repositories are looked after at each sweep: those with unfinished tasks, or with tasks that a reopen could still bring back. */
import { type EndedBy, endedByOf } from '../../core/plan/reopen.ts';
import type { Deps } from '../deps.ts';

const DAY_MS = 86_400_000;

/** Ended tasks that a reopen could still bring back: what ended before then, or by something else, stays ended. */
export interface Ended {
  since: Date;
  endedBy: EndedBy;
}

export async function endedOf({ policyOf, clock }: Deps, repositoryId: string): Promise<Ended> {
  const policy = await policyOf(repositoryId);
  const since = new Date(clock().getTime() - policy.reopenWindowDays * DAY_MS);
  return { since, endedBy: endedByOf(policy) };
}

/** By id. Where windows differ, one that is too long costs a look that finds nothing. */
export async function followedRepositories(deps: Deps): Promise<readonly string[]> {
  const { store, clock } = deps;
  let earliest = clock();
  const others: string[] = [];
  for (const { id } of await store.repositories()) {
    const { since, endedBy } = await endedOf(deps, id);
    if (since < earliest) earliest = since;
    // For the sake of those the others are not followed for longer.
    if (endedBy === 'anything' && (await store.isTracked(id, since, endedBy))) others.push(id);
  }
  return [...new Set([...(await store.trackedRepositories(earliest)), ...others])].sort();
}
