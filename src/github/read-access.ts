/**
 * Whether the App may read a repository, by GitHub's own word alone. The App itself asks where it is installed: with an
 * installation's token every public repository can be read, also one that the App was taken from. Whatever proves nothing throws.
 */
import type { Access, RepositoryRef } from '../engine/ports.ts';
import { GitHubError } from '../engine/ports.ts';
import { isGitHubsWord } from './classify.ts';
import { bodyOf, type GitHubClient, type Parameters, type Reply } from './client.ts';
import type { RepositoryFacts } from './read-repository.ts';
import { installationSchema, repositorySchema } from './schemas.ts';

const BY_NAME = 'GET /repos/{owner}/{repo}';
const BY_ID = 'GET /repositories/{repository_id}';

/** `again`: two answers fit together only if something changed between them; `why` is said where they never do. */
type Look = Access | { again: RepositoryRef; why: GitHubError };

/** `none`: GitHub shows no such repository to who asks. */
type Sight = RepositoryFacts | 'none' | { why: GitHubError };

const LOOKS = 3;

export async function readAccess(client: GitHubClient, repository: RepositoryRef): Promise<Access> {
  const look = client.mode === 'token' ? lookByToken : lookByApp;
  let at = repository;
  for (let looks = 1; ; looks += 1) {
    const found = await look(client, at);
    if ('access' in found) return found;
    if (looks === LOOKS) throw found.why;
    at = found.again;
  }
}

async function lookByToken(client: GitHubClient, repository: RepositoryRef): Promise<Look> {
  const named = await see(client, repository, BY_NAME);
  const isHere = named !== 'none' && ('why' in named || named.id === repository.id);
  const seen = isHere ? named : await see(client, repository, BY_ID);
  if (seen === 'none') return { access: 'gone', why: 'unreachable' };
  if ('why' in seen) throw seen.why;
  return reached(seen, null);
}

async function lookByApp(client: GitHubClient, repository: RepositoryRef): Promise<Look> {
  const reply = await client.callAsApp(repository, 'GET /repos/{owner}/{repo}/installation');
  if (isNone(reply) || isElsewhere(reply, repository)) return lookById(client, repository, null);
  const { id, suspended_at } = bodyOf(reply, installationSchema);
  if (suspended_at != null) return { access: 'suspended', installationId: id };
  const seen = await see(client, { ...repository, installationId: id }, BY_NAME);
  if (seen === 'none') return { again: repository, why: contradiction(reply.call) };
  if ('why' in seen) return { again: repository, why: seen.why };
  return seen.id === repository.id ? reached(seen, id) : lookById(client, repository, id);
}

/** The repository is not at its name. `atName`: the installation on the one that is; null: there is none. */
async function lookById(client: GitHubClient, repository: RepositoryRef, atName: number | null): Promise<Look> {
  const known = await findInstallation(client, repository.installationId);
  if (known?.suspended_at != null) return { access: 'suspended', installationId: known.id };
  const installationId = known?.id ?? atName;
  if (installationId === null) return { access: 'gone', why: 'uninstalled' };
  const seen = await see(client, { ...repository, installationId }, BY_ID);
  if (seen === 'none') return { access: 'gone', why: 'unreachable' };
  if ('why' in seen) return { again: repository, why: seen.why };
  const isRenamed = seen.full_name.toLowerCase() !== repository.fullName.toLowerCase();
  // Everybody reads a public repository; any other is shown to nobody but the installations on it.
  if (!isRenamed && atName === null && !seen.private) return { access: 'gone', why: 'unreachable' };
  return { again: { ...repository, fullName: seen.full_name }, why: contradiction(BY_ID) };
}

/** null: there is none of that id. */
async function findInstallation(client: GitHubClient, installationId: number | null) {
  if (installationId === null) return null;
  const parameters = { installation_id: installationId };
  const reply = await client.callAsApp(null, 'GET /app/installations/{installation_id}', parameters);
  return isNone(reply) ? null : bodyOf(reply, installationSchema);
}

async function see(client: GitHubClient, repository: RepositoryRef, route: typeof BY_NAME | typeof BY_ID) {
  const parameters: Parameters = route === BY_ID ? { repository_id: repository.id } : {};
  const reply = await client.call(repository, route, parameters).catch(whyNoToken);
  return 'why' in reply ? reply : sightOf(reply, repository);
}

/** The installation was suspended or deleted since it was asked about, and gets no token any more. */
function whyNoToken(error: unknown): { why: GitHubError } {
  if (error instanceof GitHubError && (error.status === 403 || error.status === 404)) return { why: error };
  throw error;
}

function sightOf(reply: Reply, repository: RepositoryRef): Sight {
  // The token was cached, and is no good any more: the next one is new.
  if (reply.status === 401) return { why: reply.error() };
  if (isNone(reply) || (reply.call === BY_NAME && isElsewhere(reply, repository))) return 'none';
  const facts = bodyOf(reply, repositorySchema);
  if (reply.call === BY_ID && facts.id !== repository.id) throw contradiction(BY_ID);
  return facts;
}

function isNone(reply: Reply): boolean {
  return reply.status === 404 && isGitHubsWord(reply);
}

/** What had the name last was another one, and has moved away. */
function isElsewhere({ moved }: Reply, { id }: RepositoryRef): boolean {
  return moved !== null && moved.repositoryId !== id;
}

function reached({ id, full_name, archived }: RepositoryFacts, installationId: number | null): Access {
  return { access: 'ok', repository: { id, fullName: full_name, installationId }, archived };
}

function contradiction(call: string): GitHubError {
  return new GitHubError('retryable', `${call}: what GitHub says of the repository does not fit together`);
}
