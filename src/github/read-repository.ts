/** Reads of the repository itself, and what it says about an answer that alone proves nothing. */
import type { z } from 'zod';
import type { RepositoryRef } from '../engine/ports.ts';
import { GitHubError } from '../engine/ports.ts';
import { isGitHubsWord } from './classify.ts';
import { bodyOf, type GitHubClient, type Reply, type Target } from './client.ts';
import { installationSchema, repositorySchema } from './schemas.ts';

export type RepositoryFacts = z.infer<typeof repositorySchema>;

export async function readRepository(client: GitHubClient, repository: Target): Promise<RepositoryFacts> {
  return bodyOf(await client.call(repository, 'GET /repos/{owner}/{repo}'), repositorySchema);
}

/**
 * The repository, once `reply` made it doubtful what its issue has become. Throws where it can't be reached, and where its
 * issues are switched off: then the reply says nothing about one issue.
 */
export async function confirmReadable(
  client: GitHubClient,
  repository: RepositoryRef,
  reply: Reply,
): Promise<RepositoryFacts> {
  const facts = await confirmReachable(client, repository, reply);
  if (!facts.has_issues) throw lostAccess(reply, 'the repository has no issues');
  return facts;
}

/** The same for what is no issue of it: throws where it can't be read, and where its name now belongs to another one. */
export async function confirmReachable(
  client: GitHubClient,
  repository: RepositoryRef,
  reply: Reply,
): Promise<RepositoryFacts> {
  // A page of a proxy: asking more would not make it an answer.
  if (!isGitHubsWord(reply)) throw reply.error();
  const facts = await readRepository(client, repository);
  if (facts.id !== repository.id) throw lostAccess(reply, 'another repository has this name');
  return facts;
}

function lostAccess(reply: Reply, why: string): GitHubError {
  return new GitHubError('lost_access', `${reply.error().message} (${why})`, { status: reply.status });
}

export async function findRepository(client: GitHubClient, fullName: string): Promise<RepositoryRef | null> {
  if (!/^[^/\s]+\/[^/\s]+$/.test(fullName)) return null;
  const installationId = await findInstallation(client, fullName);
  if (installationId === 'none') return null;
  const reply = await client.call({ id: null, fullName, installationId }, 'GET /repos/{owner}/{repo}');
  if (reply.status === 404 && isGitHubsWord(reply)) return null;
  const facts = bodyOf(reply, repositorySchema);
  return { id: facts.id, fullName: facts.full_name, installationId };
}

async function findInstallation(client: GitHubClient, fullName: string): Promise<number | null | 'none'> {
  if (client.mode === 'token') return null;
  const target = { id: null, fullName, installationId: null };
  const reply = await client.callAsApp(target, 'GET /repos/{owner}/{repo}/installation');
  if (reply.status === 404 && isGitHubsWord(reply)) return 'none';
  return bodyOf(reply, installationSchema).id;
}
