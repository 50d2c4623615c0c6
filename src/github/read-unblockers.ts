/** Who took dependencies of an issue away, from the end of its timeline. */
import { z } from 'zod';
import type { RepositoryRef } from '../engine/ports.ts';
import { bodyOf, type GitHubClient, type Reply } from './client.ts';
import { lastPage } from './link.ts';
import { issueEventSchema } from './schemas.ts';

/** Looked through for the removals: a page holds 100 entries. */
const PAGES = 10;

/** An account that is gone keeps its place, so that nobody older stands in for it, and is left out at the end. */
export async function readUnblockers(
  client: GitHubClient,
  repository: RepositoryRef,
  { number, count }: { number: number; count: number },
): Promise<readonly string[]> {
  const first = await readPage(client, repository, number, 1);
  const last = lastPage(first);
  const removals: (string | null)[] = [];
  for (let page = last; page >= 1 && page > last - PAGES && removals.length < count; page -= 1) {
    const reply = page === 1 ? first : await readPage(client, repository, number, page);
    const entries = bodyOf(reply, z.array(issueEventSchema)).filter(({ event }) => event === 'blocked_by_removed');
    removals.push(...entries.reverse().map(({ actor }) => actor?.login ?? null));
  }
  return removals.slice(0, count).filter((login) => login !== null);
}

function readPage(client: GitHubClient, repository: RepositoryRef, number: number, page: number): Promise<Reply> {
  const parameters = { issue_number: number, per_page: 100, page };
  return client.call(repository, 'GET /repos/{owner}/{repo}/issues/{issue_number}/timeline', parameters);
}
