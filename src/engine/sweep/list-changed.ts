/** One repository's issues that changed since the last look: one request, which costs nothing while all is quiet. */
import type { Deps } from '../deps.ts';
import { githubNow } from '../github-clock.ts';
import { GitHubError, type IssueListing, type RepositoryState, type Unreadable } from '../ports.ts';
import { confirmed } from './confirm.ts';
import type { FileOfTurn } from './refresh-file.ts';
import type { Sweeper } from './sweeper.ts';
import { ROWS_AT_ONCE, type Sighting, takeNews } from './take-news.ts';

type Listed = Extract<IssueListing, { found: 'issues' }>;

/** What GitHub's replicas show a moment late is still found by the next listing. */
const OVERLAP_MS = 60_000;
/** A listing of this many costs more to repeat with each change than to begin further on. */
const LONG = 30;

export interface Listing {
  /** Issues that have to be read. */
  changes: number;
  /** False: the rest is for the next look, which should come at once. */
  isWhole: boolean;
}

/**
 * The listing is asked for from the same instant again and again while it is short, because its validator is good for that alone. The
 * cursor moves in one commit with the validator, after what was listed is kept; what was not kept is listed again.
 */
export async function listChanged(
  sweeper: Sweeper,
  state: RepositoryState,
  { since, file }: { since: Date; file: FileOfTurn },
): Promise<Listing> {
  const { deps, github } = sweeper;
  const begun = githubNow(deps);
  const askedAt = deps.clock();
  const listing = await github.listIssues(state, since, validatorOf(sweeper, state, since));
  if (listing.found === 'unchanged') return { changes: 0, isWhole: true };
  const sightings = await sightingsOf(sweeper, state.id, { ...listing, askedAt });
  // The same call once more, and nothing that was kept from the first.
  const again = async () => {
    const askedAt = deps.clock();
    const second = await github.listIssues(state, since, null);
    return second.found === 'issues' ? sightingsOf(sweeper, state.id, { ...second, askedAt }) : [];
  };
  const doubtful = await confirmed(sweeper, state, { sightings, again });
  const changes = await takeNews(sweeper, doubtful.sightings, file);
  // What was not confirmed is listed again from the same place.
  if (doubtful.dropped > 0) throw notConfirmed(doubtful.dropped, state);
  const to = nextCursor(since, listing, begun);
  if (!listing.isWhole && to <= since) {
    throw new GitHubError('retryable', `the issues of ${state.fullName} can't be listed beyond ${since.toISOString()}`);
  }
  const etag = to.getTime() === since.getTime() ? listing.validator : null;
  if (to > since || etag !== state.issuesEtag) {
    const from = state.issuesSince;
    await deps.store.commit([{ write: 'issues.since', repositoryId: state.id, from, to, etag }]);
  }
  if (etag !== null) sweeper.validators.set(state.id, { since: to.getTime(), validator: etag });
  return { changes, isWhole: listing.isWhole };
}

/** As this app listed it last, or else as it is stored. */
function validatorOf({ validators }: Sweeper, { id, issuesEtag }: RepositoryState, since: Date): string | null {
  const own = validators.get(id);
  return own?.since === since.getTime() ? own.validator : issuesEtag;
}

export function notConfirmed(issues: number, { fullName }: RepositoryState): GitHubError {
  return new GitHubError('retryable', `${issues} issues of ${fullName} were over by one answer, and not by the next`);
}

function nextCursor(since: Date, { issues, newest, isWhole, validator }: Listed, begun: Date): Date {
  if (newest === null) return since;
  if (!isWhole) return newest > since ? newest : since;
  if (issues.length < LONG && validator !== null) return since;
  const settled = new Date(Math.min(newest.getTime(), begun.getTime() - OVERLAP_MS));
  return settled > since ? settled : since;
}

/** Where the first listing of a repository begins, if all its issues were looked at just now. */
export function firstCursor({ deps }: Sweeper): Date {
  return new Date(githubNow(deps).getTime() - OVERLAP_MS);
}

/** Whether a listing from the first cursor on misses nothing that came after the look at everything of that time. */
export function reachesBackTo(verifiedAt: Date | null, now: Date): boolean {
  return verifiedAt !== null && now.getTime() - verifiedAt.getTime() < OVERLAP_MS / 2;
}

/** Of the issues that are known here; of the others nothing is asked. */
async function sightingsOf(
  { deps }: Sweeper,
  repositoryId: string,
  { issues, unreadable, askedAt }: Listed & Pick<Sighting, 'askedAt'>,
): Promise<Sighting[]> {
  const unread = await unreadableOf(deps, repositoryId, unreadable);
  const found = unread.map((known): Sighting => ({ known, seen: null, askedAt, isUnanswered: true }));
  for (let at = 0; at < issues.length; at += ROWS_AT_ONCE) {
    const seen = new Map(issues.slice(at, at + ROWS_AT_ONCE).map((issue) => [issue.number, issue]));
    for (const known of await deps.store.issuesOf(repositoryId, [...seen.keys()])) {
      found.push({ known, seen: seen.get(known.number) ?? known, askedAt });
    }
  }
  return found;
}

/** Those that have changed since they were read: what is listed again and again is asked about once. */
async function unreadableOf({ store }: Deps, repositoryId: string, listed: readonly Unreadable[]) {
  const changedAt = new Map(listed.map(({ number, updatedAt }) => [number, updatedAt]));
  const known = changedAt.size === 0 ? [] : await store.issuesOf(repositoryId, [...changedAt.keys()]);
  return known.filter(({ number, updatedAt }) => updatedAt < (changedAt.get(number) ?? updatedAt));
}
