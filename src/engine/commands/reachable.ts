/** The repository of comments, as GitHub knows it: whose word on a comment counts. */
import type { Deps } from '../deps.ts';
import { GitHubError, type RepositoryRef } from '../ports.ts';
import { repositoryOf } from '../read-issue.ts';
import { orError } from './patience.ts';

/**
 * GitHub is asked for comments and permissions by the repository's name, through an installation of the App. Neither is taken from a
 * webhook's word: the repository's own one names no installation, an App may have been installed anew, and another repository may
 * bear the name by now. null: it is not there under that name, or the App is not, so that nobody can be asked and nobody answered.
 * Throws `GitHubError` while asking again may help.
 */
export async function reachable(deps: Deps, repositoryId: string, failures: number): Promise<RepositoryRef | null> {
  const known = await repositoryOf(deps, repositoryId);
  const { github, store } = deps;
  if (github === null) return known;
  const found = await orError(failures, () => github.findRepository(known.fullName));
  // What is asked next then gets no answer either, and says so.
  if (found instanceof GitHubError) return known;
  if (found === null || found.id !== known.id) return null;
  if (found.installationId !== known.installationId || found.fullName !== known.fullName) {
    await store.commit([{ write: 'repository.put', repository: found }]);
  }
  return found;
}
