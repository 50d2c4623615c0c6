/** Who reopened an issue, from the end of its events. */
import { GitHubError, type RepositoryRef } from '../engine/ports.ts';
import { bodyOf, type GitHubClient, type Reply } from './client.ts';
import { lastPage } from './link.ts';
import { issueEventsSchema } from './schemas.ts';

/** Events between the reopening and now that are looked through: a page holds 100. */
const PAGES = 10;

/**
 * The newest close or reopen decides. Where that is a close, the issue was closed again meanwhile or the events lag behind the
 * reopening that is asked about: an earlier reopener must not stand in for the present one, so this throws `retryable`.
 */
export async function readReopener(
  client: GitHubClient,
  repository: RepositoryRef,
  number: number,
): Promise<string | null> {
  const first = await readPage(client, repository, number, 1);
  const last = lastPage(first);
  for (let page = last; page >= 1 && page > last - PAGES; page -= 1) {
    const reply = page === 1 ? first : await readPage(client, repository, number, page);
    const events = bodyOf(reply, issueEventsSchema);
    const newest = events.findLast(({ event }) => event === 'reopened' || event === 'closed');
    if (newest?.event === 'closed') {
      throw new GitHubError('retryable', `the newest of issue ${number}'s events is a close, and no reopening`);
    }
    if (newest) return newest.actor?.login ?? null;
  }
  return null;
}

function readPage(client: GitHubClient, repository: RepositoryRef, number: number, page: number): Promise<Reply> {
  const parameters = { issue_number: number, per_page: 100, page };
  return client.call(repository, 'GET /repos/{owner}/{repo}/issues/{issue_number}/events', parameters);
}
