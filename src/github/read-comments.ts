/** Issue comments: one, and all of a repository that changed lately. Pull requests have such comments too. */
import { z } from 'zod';
import { makeLru } from '../core/lru.ts';
import type { RepositoryRef, SeenComment } from '../engine/ports.ts';
import { bodyOf, type Condition, type GitHubClient } from './client.ts';
import { commentSchema, toComment } from './comment.ts';
import { hasNextPage } from './link.ts';
import { confirmReadable } from './read-repository.ts';

const COMMENTS = 'GET /repos/{owner}/{repo}/issues/comments';

/** Of 100 comments each. What is beyond is for the next listing, from the last one's time on. */
const PAGES = 50;

/** GitHub doesn't say whether `since` takes the named second in. */
const OVERLAP_MS = 1_000;

/** null: deleted, by GitHub's word in a repository that can be read. */
export async function readComment(
  client: GitHubClient,
  repository: RepositoryRef,
  commentId: string,
): Promise<SeenComment | null> {
  const parameters = { comment_id: commentId };
  const reply = await client.call(repository, 'GET /repos/{owner}/{repo}/issues/comments/{comment_id}', parameters);
  if (reply.status === 404 || reply.status === 410) {
    await confirmReadable(client, repository, reply);
    return null;
  }
  return toComment(bodyOf(reply, commentSchema));
}

/** How far one listing of a repository has come, and the ETag of what was changed last then; without one all is asked for. */
interface Kept {
  since: Date;
  condition?: Condition;
}

export type ReadComments = (repository: RepositoryRef, since: Date) => Promise<readonly SeenComment[]>;

/**
 * The comments since then, the oldest change first. Where somebody comes back for more, what changed last is asked for by its ETag:
 * while all is quiet that costs nothing of the rate limit, however many repositories there are.
 */
export function makeReadComments(client: GitHubClient, remembered: number): ReadComments {
  const kept = makeLru<Kept>(remembered);
  return async (repository, since) => {
    const known = kept.get(repository.id);
    // Who asks from the same place again has not kept what was listed then: nothing is known of what came since.
    const newest = known !== undefined && since > known.since ? await readNewest(client, repository, known) : null;
    if (newest === 'unchanged') {
      kept.set(repository.id, { ...known, since });
      return [];
    }
    const earliest = wholeSecond(since);
    const comments =
      newest !== null && (newest.isAll || newest.comments.some(({ updatedAt }) => updatedAt.getTime() < earliest))
        ? newest.comments.filter(({ updatedAt }) => updatedAt.getTime() >= earliest)
        : await listSince(client, repository, earliest);
    kept.set(repository.id, { since, ...newest?.validator });
    return comments;
  };
}

/** So many show late what GitHub's replicas did not have at once. */
const NEWEST = { sort: 'updated', direction: 'desc', per_page: 30 };

async function readNewest(client: GitHubClient, repository: RepositoryRef, { condition }: Kept) {
  const reply = await client.call(repository, COMMENTS, NEWEST, condition);
  if (reply.status === 304 && condition?.tokenKey === reply.tokenKey) return 'unchanged' as const;
  const comments = bodyOf(reply, z.array(commentSchema)).map(toComment).reverse();
  const { etag } = reply.headers;
  const validator = etag === undefined ? {} : { condition: { etag, tokenKey: reply.tokenKey } };
  return { comments, isAll: !hasNextPage(reply), validator };
}

/** GitHub's times are whole seconds: what was made later in this one bears its beginning. In ms. */
function wholeSecond(since: Date): number {
  return Math.floor(since.getTime() / 1000) * 1000;
}

/**
 * At most 5,000 at once, the oldest ones. A comment that is edited meanwhile moves to the end and all behind it forward, so that
 * numbered pages would skip one: each page begins at the time at which the last one ended.
 */
async function listSince(
  client: GitHubClient,
  repository: RepositoryRef,
  earliest: number,
): Promise<readonly SeenComment[]> {
  const seen = new Map<string, SeenComment>();
  let from = earliest;
  let page = 1;
  for (let pages = 0; pages < PAGES; pages += 1) {
    const { comments, hasMore } = await readPage(client, repository, new Date(from - OVERLAP_MS), page);
    for (const comment of comments) {
      if (comment.updatedAt.getTime() < earliest) continue;
      // Edited since the page before: it belongs where it is now.
      seen.delete(comment.id);
      seen.set(comment.id, comment);
    }
    const end = comments.at(-1)?.updatedAt.getTime();
    if (!hasMore || end === undefined) break;
    // Whole pages of one second are gone through by number.
    page = end > from ? 1 : page + 1;
    if (page === 1) from = end;
  }
  return [...seen.values()];
}

async function readPage(client: GitHubClient, repository: RepositoryRef, since: Date, page: number) {
  const parameters = {
    since: since.toISOString().replace(/\.\d+Z$/, 'Z'),
    sort: 'updated',
    direction: 'asc',
    per_page: 100,
    page,
  };
  const reply = await client.call(repository, COMMENTS, parameters);
  return { comments: bodyOf(reply, z.array(commentSchema)).map(toComment), hasMore: hasNextPage(reply) };
}
