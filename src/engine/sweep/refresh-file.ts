/** The repository's file, where no push has told of it. */

import type { Deps } from '../deps.ts';
import type { GitHubError, RepositoryRef } from '../ports.ts';
import { refreshFile } from '../repository-file.ts';

/** null: it was read, or there is nobody to read it for. That it may not be read, who needs it is told. */
export async function refreshFileOf(deps: Deps, repository: RepositoryRef): Promise<GitHubError | null> {
  if (deps.github?.readFile === undefined) return null;
  const refreshed = await refreshFile(deps, repository);
  return refreshed.result === 'read' || refreshed.error?.code === 'lost_access' ? null : refreshed.error;
}
