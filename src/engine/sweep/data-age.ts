/** How old what is known of GitHub's issues is, and where it can't be made newer. Asks nobody but the store. */
import type { Deps } from '../deps.ts';
import type { RepositoryAccess, RepositoryState, SweepProblem } from '../ports.ts';
import { followedRepositories } from './followed.ts';

export interface DataAge {
  /** How many repositories have tasks that hang on their issues. */
  repositories: number;
  /** When the one that was looked at longest ago was; null: there is none, or one was never looked at. */
  oldestAt: Date | null;
  /** `owner/name` of that one. */
  oldest: string | null;
  /** Of all repositories, the one that lasts longest first. */
  problems: readonly (SweepProblem & { repository: string })[];
  /** Those with unfinished tasks that hang on their issues, and that GitHub says can't be used, the one that lasts longest first. */
  outOfReach: readonly { repository: string; access: Exclude<RepositoryAccess, 'ok'>; since: Date }[];
}

export async function dataAge(deps: Deps): Promise<DataAge> {
  const followed = new Set(await followedRepositories(deps));
  // What ended has nothing to lose any more.
  const unfinished = new Set(await deps.store.trackedRepositories(deps.clock()));
  const states = await deps.store.repositoryStates();
  // A reopen can't bring back what is gone, and nobody looks at it: its age would only grow.
  const swept = states.filter(({ id, access }) => followed.has(id) && (access !== 'gone' || unfinished.has(id)));
  const [oldest] = swept.toSorted((a, b) => timeOf(a) - timeOf(b));
  return {
    repositories: swept.length,
    oldestAt: oldest?.sweptAt ?? null,
    oldest: oldest?.fullName ?? null,
    problems: states
      .flatMap(({ fullName, sweepProblem }) =>
        sweepProblem === null ? [] : [{ ...sweepProblem, repository: fullName }],
      )
      .toSorted(lastingLongest),
    outOfReach: states
      .filter(({ id }) => unfinished.has(id))
      .flatMap(({ fullName, access, accessSince }) =>
        access === 'ok' || accessSince === null ? [] : [{ repository: fullName, access, since: accessSince }],
      )
      .toSorted(lastingLongest),
  };
}

function lastingLongest(a: { since: Date }, b: { since: Date }): number {
  return a.since.getTime() - b.since.getTime();
}

function timeOf({ sweptAt }: RepositoryState): number {
  return sweptAt?.getTime() ?? 0;
}
