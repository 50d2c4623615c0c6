/** A repository by its name: as GitHub has it now, kept from then on, so that its comments are listed. */
import { commentsFromNow } from './commands/take-in.ts';
import type { Deps } from './deps.ts';
import { GitHubError, type RepositoryRef } from './ports.ts';

/** null: it is not there, or out of reach. Throws `GitHubError` where nobody can tell. */
export async function findRepository(deps: Deps, fullName: string): Promise<RepositoryRef | null> {
  const { store, github } = deps;
  const found = (await github?.findRepository(fullName)) ?? null;
  if (found === null) return store.repositoryByName(fullName);
  await store.commit([{ write: 'repository.put', repository: found }]);
  // Somebody else may have set it meanwhile, to the same purpose.
  await store.commit(await commentsFromNow(deps, found.id));
  return found;
}

/**
 * Where no webhook tells that a repository is there, nothing that people say in it would be found before something is submitted. A
 * failure is told in the log alone: it may come back at each sweep.
 */
export async function findConfigured(deps: Deps): Promise<void> {
  const { configuredRepository: repository, store, log } = deps;
  if (repository === undefined || (await store.repositoryByName(repository)) !== null) return;
  try {
    if ((await findRepository(deps, repository)) === null) log.warn({ repository }, 'repository not found');
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    log.warn({ repository, code: error.code, problem: error.message }, 'repository not read');
  }
}
