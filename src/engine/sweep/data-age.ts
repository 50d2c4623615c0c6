/** How old what is known of GitHub's issues is, and where it can't be made newer. Asks nobody but the store. */
import type { Deps } from '../deps.ts';
import type { RepositoryState, SweepProblem } from '../ports.ts';
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
}

export async function dataAge(deps: Deps): Promise<DataAge> {
  const followed = new Set(await followedRepositories(deps));
  const states = await deps.store.repositoryStates();
  const swept = states.filter(({ id }) => followed.has(id));
  const [oldest] = swept.toSorted((a, b) => timeOf(a) - timeOf(b));
  return {
    repositories: swept.length,
    oldestAt: oldest?.sweptAt ?? null,
    oldest: oldest?.fullName ?? null,
    problems: states
      .flatMap(({ fullName, sweepProblem }) =>
        sweepProblem === null ? [] : [{ ...sweepProblem, repository: fullName }],
      )
      .toSorted((a, b) => a.since.getTime() - b.since.getTime()),
  };
}

function timeOf({ sweptAt }: RepositoryState): number {
  return sweptAt?.getTime() ?? 0;
}
