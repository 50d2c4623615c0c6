/** Who reopened an issue, and which close that undid, from the end of its events. */
import { z } from 'zod';
import { GitHubError, type Reopening, type RepositoryRef } from '../engine/ports.ts';
import { bodyOf, type GitHubClient, type Reply } from './client.ts';
import { lastPage } from './link.ts';
import { instant, issueEventSchema, toReason } from './schemas.ts';

/** Events between the close and now that are looked through: a page holds 100. */
const PAGES = 10;

const eventSchema = issueEventSchema.extend({ created_at: instant, state_reason: z.string().nullish() });

type IssueEvent = z.infer<typeof eventSchema>;

/**
 * The newest close or reopen decides. Where that is a close, the issue was closed again meanwhile or the events lag behind the
 * reopening that is asked about: an earlier reopener must not stand in for the present one, so this throws `retryable`.
 */
export async function readReopener(
  client: GitHubClient,
  repository: RepositoryRef,
  number: number,
): Promise<Reopening | null> {
  const first = await readPage(client, repository, number, 1);
  const last = lastPage(first);
  let reopened: IssueEvent | null = null;
  for (let page = last; page >= 1 && page > last - PAGES; page -= 1) {
    const reply = page === 1 ? first : await readPage(client, repository, number, page);
    for (const event of bodyOf(reply, z.array(eventSchema)).toReversed()) {
      if (event.event === 'reopened') reopened ??= event;
      if (event.event !== 'closed') continue;
      if (reopened !== null) return reopeningOf(reopened, event);
      throw new GitHubError('retryable', `the newest of issue ${number}'s events is a close, and no reopening`);
    }
  }
  return reopened && reopeningOf(reopened, null);
}

function reopeningOf(reopened: IssueEvent, closed: IssueEvent | null): Reopening {
  const undone = closed && { ...whoAndWhen(closed), reason: toReason(closed.state_reason) };
  return { ...whoAndWhen(reopened), closed: undone };
}

function whoAndWhen({ actor, created_at }: IssueEvent): { actor: string | null; at: Date } {
  return { actor: actor?.login ?? null, at: created_at };
}

function readPage(client: GitHubClient, repository: RepositoryRef, number: number, page: number): Promise<Reply> {
  const parameters = { issue_number: number, per_page: 100, page };
  return client.call(repository, 'GET /repos/{owner}/{repo}/issues/{issue_number}/events', parameters);
}
