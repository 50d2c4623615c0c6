/** Issues that changed since an instant, by one conditional listing: while nothing changes it costs nothing of the rate limit. */
import { z } from 'zod';
import type { IssueSnapshot } from '../core/issue.ts';
import { GitHubError, type IssueListing, type RepositoryRef, type Unreadable } from '../engine/ports.ts';
import { bodyOf, type Condition, type GitHubClient, type Reply } from './client.ts';
import { followPages, type Page, PER_PAGE, type Place } from './follow-pages.ts';
import { hasNextPage } from './link.ts';
import { confirmReadable } from './read-repository.ts';
import { instant, issueNumberSchema, issueSchema, toSnapshot } from './schemas.ts';

const ISSUES = 'GET /repos/{owner}/{repo}/issues';
/** GitHub doesn't say whether `since` takes the named second in. */
const OVERLAP_MS = 1_000;
/** So many that can't be read in one listing are no matter of those issues. */
const MOST_BROKEN = 10;

/** What tells an item's place in the order. Without it the answer is no listing. */
const datedSchema = z.object({
  number: issueNumberSchema.optional().catch(undefined),
  updated_at: instant,
  pull_request: z.unknown().optional(),
});

interface Item {
  /** undefined: it can't be read. */
  number: number | undefined;
  updatedAt: Date;
  /** `pull`: a pull request. `broken`: it can't be read as an issue. */
  issue: IssueSnapshot | 'pull' | 'broken';
}

export async function listIssues(
  client: GitHubClient,
  repository: RepositoryRef,
  { since, validator }: { since: Date; validator: string | null },
): Promise<IssueListing> {
  const ask = async (place: Place) => pageOf(client, repository, await askPage(client, repository, place));
  const condition = toCondition(validator);
  const reply = await askPage(client, repository, { from: since, page: 1 }, condition);
  if (reply.status === 304 && condition?.tokenKey === reply.tokenKey) return { found: 'unchanged' };
  const first = await pageOf(client, repository, reply);
  // What changes behind a full page would not show in its ETag.
  const isOnePage = !first.hasMore && first.items.length < PER_PAGE;
  const { items, wholeUntil } = await followPages(ask, since, first);
  const broken = brokenOf(reply, items);
  const nameless = broken.filter(({ number }) => number === undefined);
  return {
    found: 'issues',
    issues: issuesOf(items),
    unreadable: broken.flatMap(toUnreadable),
    newest: newestOf(items, wholeUntil, nameless),
    isWhole: wholeUntil === null,
    validator: isOnePage && nameless.length === 0 ? validatorOf(reply) : null,
  };
}

function askPage(
  client: GitHubClient,
  repository: RepositoryRef,
  { from, page }: Place,
  condition?: Condition,
): Promise<Reply> {
  const parameters = {
    state: 'all',
    sort: 'updated',
    direction: 'asc',
    per_page: PER_PAGE,
    page,
    since: new Date(from.getTime() - OVERLAP_MS).toISOString().replace(/\.\d+Z$/, 'Z'),
  };
  return client.call(repository, ISSUES, parameters, condition);
}

async function pageOf(client: GitHubClient, repository: RepositoryRef, reply: Reply): Promise<Page<Item>> {
  // Said while issues are switched off, and then of none of them in particular.
  if (reply.status === 410) await confirmReadable(client, repository, reply);
  const dated = bodyOf(reply, z.array(datedSchema));
  const whole = bodyOf(reply, z.array(z.unknown()));
  return { items: dated.map((item, index) => itemOf(item, whole[index])), hasMore: hasNextPage(reply) };
}

function itemOf({ number, updated_at, pull_request }: z.infer<typeof datedSchema>, whole: unknown): Item {
  const place = { number, updatedAt: updated_at };
  if (pull_request != null) return { ...place, issue: 'pull' };
  const parsed = issueSchema.safeParse(whole);
  return { ...place, issue: parsed.success ? toSnapshot(parsed.data, null) : 'broken' };
}

/** The oldest change first. One that is listed twice changed in between, and belongs where it is now. */
function issuesOf(items: readonly Item[]): IssueSnapshot[] {
  const issues = new Map<number, IssueSnapshot>();
  for (const { issue } of items) {
    if (issue === 'pull' || issue === 'broken') continue;
    issues.delete(issue.number);
    issues.set(issue.number, issue);
  }
  return [...issues.values()];
}

/** A few are a matter of those issues alone: they hide no other. */
function brokenOf(reply: Reply, items: readonly Item[]): Item[] {
  const broken = items.filter(({ issue }) => issue === 'broken');
  const count = new Set(broken.map(({ number, updatedAt }) => `${number} ${updatedAt.getTime()}`)).size;
  if (count <= MOST_BROKEN) return broken;
  throw new GitHubError('retryable', `${reply.call}: ${count} of the issues are not as promised`);
}

function toUnreadable({ number, updatedAt }: Item): Unreadable[] {
  return number === undefined ? [] : [{ number, updatedAt }];
}

/** From before what can't even be named: it is asked for again until it can. */
function newestOf(items: readonly Item[], wholeUntil: Date | null, nameless: readonly Item[]): Date | null {
  const end = wholeUntil?.getTime() ?? Number.POSITIVE_INFINITY;
  const firstNameless = Math.min(...nameless.map(({ updatedAt }) => updatedAt.getTime()));
  const times = items.map(({ updatedAt }) => updatedAt.getTime()).filter((time) => time <= end && time < firstNameless);
  return times.length === 0 ? null : new Date(Math.max(...times));
}

/** Opaque to others: whose it is, and what GitHub gave. */
function validatorOf({ tokenKey, headers }: Reply): string | null {
  return headers.etag ? `${tokenKey} ${headers.etag}` : null;
}

function toCondition(validator: string | null): Condition | undefined {
  const [, tokenKey, etag] = /^(\S+) (.+)$/.exec(validator ?? '') ?? [];
  return tokenKey === undefined || etag === undefined ? undefined : { tokenKey, etag };
}
