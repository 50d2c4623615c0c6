/** Which repositories are looked after at each sweep: those with unfinished tasks, or with tasks that a reopen could still bring back. */
import type { Deps } from '../deps.ts';

const DAY_MS = 86_400_000;

/** A task of that repository that a close ended before then stays ended. */
export async function endedSince({ policyOf, clock }: Deps, repositoryId: string): Promise<Date> {
  const { reopenWindowDays } = await policyOf(repositoryId);
  return new Date(clock().getTime() - reopenWindowDays * DAY_MS);
}

/** By id. Where windows differ, one that is too long costs a look that finds nothing. */
export async function followedRepositories(deps: Deps): Promise<readonly string[]> {
  const { store, policyOf, clock } = deps;
  let longest = 0;
  for (const { id } of await store.repositories()) {
    longest = Math.max(longest, (await policyOf(id)).reopenWindowDays);
  }
  return store.trackedRepositories(new Date(clock().getTime() - longest * DAY_MS));
}
