/**
 * Finds what no event has told of: repositories that the App was installed on, and those that it is on no more. A list proves no absence:
 * what is not on it is only looked at.
 */
import { commentsFromNow } from '../commands/take-in.ts';
import type { Deps } from '../deps.ts';
import { accessKey, repositoryKey } from '../keys.ts';
import type { InstalledRepository, RepositoryRef, RepositoryState } from '../ports.ts';
import { followedRepositories } from './followed.ts';
import type { Sweeper } from './sweeper.ts';

/** Over this time those that nothing is tracked in get their turns. */
const SPREAD_MS = 600_000;

/** Throws `GitHubError` where nobody can tell; what is known stays. */
export async function discover(sweeper: Sweeper): Promise<void> {
  const { deps, github, chance } = sweeper;
  const known = new Map((await deps.store.repositoryStates()).map((state) => [state.id, state]));
  const installed = await github.installedRepositories();
  const found = new Map(installed.map((one) => [one.id, one]));
  for (const { archived: _, ...repository } of installed) {
    await keep(sweeper, repository, known.get(repository.id) ?? null);
  }
  const now = deps.clock();
  const followed = new Set(await followedRepositories(deps));
  const looks = [...known.values()].filter((state) => {
    const listed = found.get(state.id);
    return listed === undefined ? isLost(deps, state) : isOtherwise(state, listed, followed.has(state.id));
  });
  const idle = [...new Set([...known.keys(), ...found.keys()])].map((id) => ({
    key: repositoryKey(id),
    dueAt: new Date(now.getTime() + chance() * SPREAD_MS),
  }));
  const turns = sweeper.intervalMs > 0 ? idle : [];
  await deps.store.queue.enqueue([...looks.map(({ id }) => ({ key: accessKey(id), dueAt: now })), ...turns]);
}

async function keep({ deps }: Sweeper, repository: RepositoryRef, known: RepositoryState | null): Promise<void> {
  const { store } = deps;
  const isSame = known?.fullName === repository.fullName && known.installationId === repository.installationId;
  if (!isSame) await store.commit([{ write: 'repository.put', repository }]);
  if (known?.commentsSince == null) await store.commit(await commentsFromNow(deps, repository.id));
}

/** Where there is an App, one that was put by a token has no installation, and is none of the list; a token has no list at all. */
function isLost({ configuredRepository }: Deps, { access, installationId }: RepositoryState): boolean {
  return configuredRepository !== undefined || (access !== 'gone' && installationId !== null);
}

/** Of the many that were archived long ago only those with work matter. */
function isOtherwise({ access }: RepositoryState, { archived }: InstalledRepository, isFollowed: boolean): boolean {
  if (access === 'ok') return archived === true && isFollowed;
  return access !== 'archived' || archived !== true;
}
