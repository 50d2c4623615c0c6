/** What a write that GitHub refused means for what was to be written. */
import type { RepositoryRef } from '../engine/ports.ts';
import { GitHubError } from '../engine/ports.ts';
import { bodyOf, type GitHubClient, type Reply } from './client.ts';
import { readComment } from './read-comments.ts';
import { confirmReadable } from './read-repository.ts';
import { issueSchema } from './schemas.ts';

/** What was written to. */
export type Target = { number: number } | { commentId: string };

/**
 * The error that a failed call means. 403, 404 and a redirect alone don't tell an issue that takes nothing any more (`refused`,
 * or `locked` for as long as it is) from a repository that we may not reach now (`lost_access`): reads do.
 */
export async function explain(
  client: GitHubClient,
  repository: RepositoryRef,
  target: Target,
  reply: Reply,
): Promise<GitHubError> {
  const error = reply.error();
  const gone = reply.status === 404 || (reply.moved !== null && reply.moved.repositoryId !== repository.id);
  const forbidden = reply.status === 403 && error.code === 'lost_access';
  if (!gone && !forbidden) return error;
  const { archived } = await confirmReadable(client, repository, reply);
  if (gone) return as('refused', error);
  // Until it is not any more.
  if (archived) return error;
  return (await isLocked(client, repository, target)) ? as('locked', error) : error;
}

function as(code: 'refused' | 'locked', { message, status }: GitHubError): GitHubError {
  return new GitHubError(code, message, { status });
}

async function isLocked(client: GitHubClient, repository: RepositoryRef, target: Target): Promise<boolean> {
  const number = await numberOf(client, repository, target);
  if (number === null) return false;
  const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}';
  return bodyOf(await client.call(repository, route, { issue_number: number }), issueSchema).locked;
}

async function numberOf(client: GitHubClient, repository: RepositoryRef, target: Target): Promise<number | null> {
  if ('number' in target) return target.number;
  return (await readComment(client, repository, target.commentId))?.number ?? null;
}
