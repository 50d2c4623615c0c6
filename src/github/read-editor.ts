/** Who wrote an issue's body as it is now. Only GraphQL tells: the REST answers show a body without its editor. */
import type { RepositoryRef } from '../engine/ports.ts';
import { GitHubError } from '../engine/ports.ts';
import { dataOf, type GitHubClient } from './client.ts';
import { bodyEditorSchema } from './schemas.ts';

/** https://docs.github.com/graphql/reference/interfaces#comment */
export const BODY_EDITOR_QUERY = `query ($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) {
    databaseId
    issue(number: $number) {
      lastEditedAt
      editor { __typename login }
      author { __typename login }
    }
  }
}`;

export async function readEditor(
  client: GitHubClient,
  repository: RepositoryRef,
  number: number,
): Promise<string | null> {
  const reply = await client.query(repository, BODY_EDITOR_QUERY, { number });
  const { databaseId, issue } = dataOf(reply, bodyEditorSchema).repository;
  if (databaseId !== repository.id)
    throw new GitHubError('lost_access', `${reply.call}: another repository has this name`);
  // An edited body without an editor was edited by an account that is gone, not by its author.
  return issue.lastEditedAt === null ? issue.author : issue.editor;
}
