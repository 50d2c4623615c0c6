/**
 * Branches and what they hold. Asked for so rarely, for one start or one lost run, that no answer is kept. Nothing but GitHub's own
 * word, in a repository that can be read, says that a branch isn't there.
 */
import type { BranchReading, RepositoryRef } from '../engine/ports.ts';
import { GitHubError } from '../engine/ports.ts';
import { isGitHubsWord } from './classify.ts';
import { bodyOf, type GitHubClient, type Reply } from './client.ts';
import { confirmReachable, readRepository } from './read-repository.ts';
import { branchSchema, comparisonSchema } from './schemas.ts';

/**
 * A branch that was renamed redirects to the one that it is now, and GitHub also leads from `master` to a default branch that it never
 * was: neither is the branch that was asked for.
 * https://docs.github.com/rest/branches/branches#get-a-branch, https://github.com/github/rest-api-description/issues/7096
 */
export async function readBranchHead(
  client: GitHubClient,
  repository: RepositoryRef,
  branch: string,
): Promise<string | null> {
  const reply = await client.call(repository, 'GET /repos/{owner}/{repo}/branches/{branch}', { branch });
  if (reply.status === 404 || reply.status === 301) {
    await confirmReachable(client, repository, reply);
    return null;
  }
  const { name, commit } = bodyOf(reply, branchSchema);
  return name === branch ? commit.sha : null;
}

export async function readBranch(
  client: GitHubClient,
  repository: RepositoryRef,
  { branch, base }: { branch: string; base: string | null },
): Promise<BranchReading | null> {
  const head = await readBranchHead(client, repository, branch);
  if (head === null) return null;
  const against = base ?? (await readDefaultBranch(client, repository));
  return { head, base: against, aheadBy: await countAhead(client, repository, { base: against, head }) };
}

async function readDefaultBranch(client: GitHubClient, repository: RepositoryRef): Promise<string> {
  const { id, default_branch } = await readRepository(client, repository);
  if (id === repository.id && default_branch != null) return default_branch;
  const message = `GET /repos/{owner}/{repo}: ${repository.fullName} does not tell its default branch`;
  throw new GitHubError('retryable', message);
}

/**
 * The count is of the whole comparison, of whose commits only one is asked for.
 * https://docs.github.com/rest/commits/commits#compare-two-commits
 */
async function countAhead(
  client: GitHubClient,
  repository: RepositoryRef,
  { base, head }: { base: string; head: string },
): Promise<number> {
  const parameters = { basehead: `${base}...${head}`, per_page: 1 };
  const reply = await client.call(repository, 'GET /repos/{owner}/{repo}/compare/{basehead}', parameters);
  if (reply.status === 404 && isGitHubsWord(reply)) throw await whyIncomparable(client, repository, { base, reply });
  return bodyOf(reply, comparisonSchema).ahead_by;
}

/** GitHub says 404 of a base that isn't there, and of one that shares no commit with the branch. */
async function whyIncomparable(
  client: GitHubClient,
  repository: RepositoryRef,
  { base, reply }: { base: string; reply: Reply },
): Promise<GitHubError> {
  const { message, status } = reply.error();
  const isThere = (await readBranchHead(client, repository, base)) !== null;
  const why = isThere ? `it can't be compared with ${base}` : `there is no branch ${base} to compare it with`;
  return new GitHubError('refused', `${message} (${why})`, { status });
}
