/**
 * Live state of one issue. Deleted and transferred are only told on positive evidence; whatever proves nothing throws.
 * Answers are kept with their ETag, because a 304 costs nothing of the rate limit.
 */

import { type Lru, makeLru } from '../core/lru.ts';
import type { IssueReading, RepositoryRef } from '../engine/ports.ts';
import { GitHubError } from '../engine/ports.ts';
import { bodyOf, type Condition, type GitHubClient, type Moved, type Reply } from './client.ts';
import { confirmReadable } from './read-repository.ts';
import { issueSchema, toSnapshot } from './schemas.ts';

interface Kept extends Condition {
  reading: IssueReading;
}

export type ReadIssue = (repository: RepositoryRef, number: number) => Promise<IssueReading>;

export function makeReadIssue(client: GitHubClient, remembered: number): ReadIssue {
  const kept = makeLru<Kept>(remembered);
  return async (repository, number) => {
    const key = `${repository.id}#${number}`;
    const known = kept.get(key);
    const parameters = { issue_number: number };
    const reply = await client.call(repository, 'GET /repos/{owner}/{repo}/issues/{issue_number}', parameters, known);
    if (reply.status === 304 && known?.tokenKey === reply.tokenKey) return known.reading;
    if (reply.status === 404 || reply.status === 410) return confirmDeleted(client, repository, reply);
    if (reply.status >= 300 && reply.status < 400) return confirmTransferred(client, repository, reply);
    return remember(kept, key, reply, readingOf(reply, number));
  };
}

function readingOf(reply: Reply, number: number): IssueReading {
  const issue = bodyOf(reply, issueSchema);
  if (issue.number !== number) throw new GitHubError('retryable', `${reply.call}: the answer is about another issue`);
  const actor = issue.state === 'closed' ? (issue.closed_by?.login ?? null) : null;
  return { found: 'issue', issue: toSnapshot(issue, actor) };
}

function remember(kept: Lru<Kept>, key: string, { headers, tokenKey }: Reply, reading: IssueReading): IssueReading {
  if (headers.etag) kept.set(key, { etag: headers.etag, tokenKey, reading });
  return reading;
}

/** 410 is also said of every issue while a repository's issues are switched off, and 404 of all that can't be read. */
async function confirmDeleted(client: GitHubClient, repository: RepositoryRef, reply: Reply): Promise<IssueReading> {
  await confirmReadable(client, repository, reply);
  return { found: 'deleted' };
}

/** The issue's own redirect leads to another repository, while its old repository still answers under its name. */
async function confirmTransferred(
  client: GitHubClient,
  repository: RepositoryRef,
  reply: Reply,
): Promise<IssueReading> {
  if (reply.moved === null || reply.moved.repositoryId === repository.id) throw reply.error();
  await confirmReadable(client, repository, reply);
  return { found: 'transferred', to: await placeOf(client, repository, reply.moved) };
}

/** null: who asks may not see it there, or gets no answer. That it was transferred is known without it. */
async function placeOf(
  client: GitHubClient,
  repository: RepositoryRef,
  { href, repositoryId }: Moved,
): Promise<string | null> {
  const number = /\/issues\/(\d+)$/.exec(href)?.[1];
  if (number === undefined) return null;
  const parameters = { repository_id: repositoryId, issue_number: number };
  try {
    const reply = await client.call(repository, 'GET /repositories/{repository_id}/issues/{issue_number}', parameters);
    return bodyOf(reply, issueSchema).html_url;
  } catch (error) {
    if (error instanceof GitHubError) return null;
    throw error;
  }
}
