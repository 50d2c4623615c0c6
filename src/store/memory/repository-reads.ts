/** Repositories, their own files, and what people say in their comments. */
import type { StoreReads } from '../../engine/ports.ts';
import { inOrderOfMaking } from '../comment-order.ts';
import { copyOrNull, issueId, nameId, type Tables } from './database.ts';
import { sortBy } from './sort.ts';

type RepositoryReads = Pick<
  StoreReads,
  'repository' | 'repositories' | 'repositoryByName' | 'repositoryFile' | 'commentsSince' | 'comment' | 'dueComments'
>;

export function makeRepositoryReads(tables: Tables): RepositoryReads {
  const { repositories, names, files, commentsSince, comments } = tables;
  return {
    repository: async (id) => copyOrNull(repositories.get(id)),
    repositories: async () => structuredClone(sortBy(repositories.values(), ({ id }) => [id])),
    repositoryByName: async (fullName) => {
      const found = repositories.get(names.get(nameId(fullName)) ?? '');
      // It may have another name by now.
      return found !== undefined && nameId(found.fullName) === nameId(fullName) ? structuredClone(found) : null;
    },
    repositoryFile: async (repositoryId) => copyOrNull(files.get(repositoryId)),
    commentsSince: async (repositoryId) => copyOrNull(commentsSince.get(repositoryId)),
    comment: async (id) => copyOrNull(comments.get(id)),
    dueComments: async (ref) => {
      const ofIssue = [...comments.values()].filter((comment) => issueId(comment) === issueId(ref));
      return structuredClone(inOrderOfMaking(ofIssue.filter(({ state }) => state === 'due')));
    },
  };
}
