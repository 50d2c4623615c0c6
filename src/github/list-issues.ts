/** Issues that changed since an instant, by one conditional listing: while nothing changes it costs nothing of the rate limit. */
import { z } from 'zod';
import type { IssueSnapshot } from '../core/issue.ts';
import type { IssueListing, RepositoryRef } from '../engine/ports.ts';
import { bodyOf, type Condition, type GitHubClient, type Reply } from './client.ts';
import { hasNextPage } from './link.ts';
import { confirmReadable } from './read-repository.ts';
import { instant, issueSchema, toSnapshot } from './schemas.ts';

const ISSUES = 'GET /repos/{owner}/{repo}/issues';
const PER_PAGE = 100;
/** Of one call. What is beyond is for the next one, from the newest that was listed on. */
const PAGES = 10;
/** GitHub doesn't say whether `since` takes the named second in. */
const OVERLAP_MS = 1_000;

/** What every item has to have for its place in the order to be known. */
const datedSchema = z.object({ updated_at: instant });

interface Page {
  items: readonly Item[];
  hasMore: boolean;
}

/** `issue` null: a pull request, or what can't be read as an issue (`isBroken`). */
interface Item {
  updatedAt: Date;
  issue: IssueSnapshot | null;
  isBroken: boolean;
}

export async function listIssues(
  client: GitHubClient,
  repository: RepositoryRef,
  { since, validator }: { since: Date; validator: string | null },
): Promise<IssueListing> {
  const condition = toCondition(validator);
  const reply = await askPage(client, repository, { from: since.getTime(), page: 1 }, condition);
  if (reply.status === 304 && condition?.tokenKey === reply.tokenKey) return { found: 'unchanged' };
  const first = await pageOf(client, repository, reply);
  const isOnePage = !first.hasMore && first.items.length < PER_PAGE;
  const pages = isOnePage ? { items: first.items, isWhole: true } : await followingOf(client, repository, since, first);
  return listingOf(pages, isOnePage ? validatorOf(reply) : null);
}

/**
 * An issue that changes meanwhile moves to the end and all behind it forward, so that numbered pages would skip one: each page begins
 * at the time at which the last one ended. Whole pages of one second are gone through by number.
 */
async function followingOf(client: GitHubClient, repository: RepositoryRef, since: Date, first: Page) {
  const items = [...first.items];
  let from = since.getTime();
  let page = 1;
  let last = first;
  for (let pages = 1; last.hasMore; pages += 1) {
    if (pages === PAGES) return { items, isWhole: false };
    const end = last.items.at(-1)?.updatedAt.getTime() ?? from;
    page = end > from ? 1 : page + 1;
    if (page === 1) from = end;
    last = await pageOf(client, repository, await askPage(client, repository, { from, page }));
    items.push(...last.items);
  }
  return { items, isWhole: true };
}

function askPage(
  client: GitHubClient,
  repository: RepositoryRef,
  { from, page }: { from: number; page: number },
  condition?: Condition,
): Promise<Reply> {
  const parameters = {
    state: 'all',
    sort: 'updated',
    direction: 'asc',
    per_page: PER_PAGE,
    page,
    since: new Date(from - OVERLAP_MS).toISOString().replace(/\.\d+Z$/, 'Z'),
  };
  return client.call(repository, ISSUES, parameters, condition);
}

async function pageOf(client: GitHubClient, repository: RepositoryRef, reply: Reply): Promise<Page> {
  // Issues that are switched off are gone without a word about any of them.
  if (reply.status === 410) await confirmReadable(client, repository, reply);
  return { items: bodyOf(reply, z.array(datedSchema.loose())).map(itemOf), hasMore: hasNextPage(reply) };
}

function itemOf(item: z.infer<typeof datedSchema>): Item {
  const updatedAt = item.updated_at;
  if ('pull_request' in item && item.pull_request != null) return { updatedAt, issue: null, isBroken: false };
  const parsed = issueSchema.safeParse({ ...item, updated_at: updatedAt.toISOString() });
  if (!parsed.success) return { updatedAt, issue: null, isBroken: true };
  return { updatedAt, issue: toSnapshot(parsed.data, null), isBroken: false };
}

/** One that can't be read hides no other, and is asked for again: the listing goes on from before it. */
function listingOf(
  { items, isWhole }: { items: readonly Item[]; isWhole: boolean },
  validator: string | null,
): IssueListing {
  const newestOf = new Map<number, IssueSnapshot>();
  for (const { issue } of items) {
    if (issue === null) continue;
    // Listed twice: it changed in between, and belongs where it is now.
    newestOf.delete(issue.number);
    newestOf.set(issue.number, issue);
  }
  const issues = [...newestOf.values()];
  const broken = items.findIndex(({ isBroken }) => isBroken);
  if (broken === -1) return { found: 'issues', issues, newest: lastOf(items), isWhole, validator };
  return { found: 'issues', issues, newest: lastOf(items.slice(0, broken)), isWhole: false, validator: null };
}

function lastOf(items: readonly Item[]): Date | null {
  const times = items.map(({ updatedAt }) => updatedAt.getTime());
  return times.length === 0 ? null : new Date(Math.max(...times));
}

function validatorOf({ tokenKey, headers }: Reply): string | null {
  return headers.etag ? `${tokenKey} ${headers.etag}` : null;
}

function toCondition(validator: string | null): Condition | undefined {
  if (validator === null) return undefined;
  const space = validator.indexOf(' ');
  return { tokenKey: validator.slice(0, space), etag: validator.slice(space + 1) };
}
