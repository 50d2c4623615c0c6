/** The repository's file, where no push has told of it. */

import type { Deps } from '../deps.ts';
import type { GitHubError, RepositoryRef } from '../ports.ts';
import { refreshFile } from '../repository-file.ts';

/** The file in one turn of its repository. */
export interface FileOfTurn {
  /**
   * Before what GitHub told of issues counts: a policy that was pushed before an issue was closed is that close's, so it is read after
   * the answer that shows the close.
   */
  beforeNews(): Promise<void>;
  /** Once in the turn, news or not. Gives why it could not be read. */
  atLast(): Promise<GitHubError | null>;
}

/** Of a repository whose pushes are told. */
export const TOLD_FILE: FileOfTurn = { beforeNews: async () => {}, atLast: async () => null };

export function makeFileOfTurn(deps: Deps, repository: RepositoryRef): FileOfTurn {
  let read: { unread: GitHubError | null } | null = null;
  async function refresh() {
    read = { unread: await refreshFileOf(deps, repository) };
    return read;
  }
  return {
    async beforeNews() {
      await refresh();
    },
    atLast: async () => (read ?? (await refresh())).unread,
  };
}

/** null: it was read, or there is nobody to read it for. That it may not be read, who needs it is told. */
async function refreshFileOf(deps: Deps, repository: RepositoryRef): Promise<GitHubError | null> {
  if (deps.github?.readFile === undefined) return null;
  const refreshed = await refreshFile(deps, repository);
  return refreshed.result === 'read' || refreshed.error?.code === 'lost_access' ? null : refreshed.error;
}
