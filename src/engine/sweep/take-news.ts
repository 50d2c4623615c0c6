/**
 * What a listing or a sight says of issues, kept: an issue with news is marked to be read and its look is owed, in one commit. So
 * whatever comes of it is found by the issue's own look, from the issue's own answer, however this process ends.
 */

import type { IssueSnapshot, TrackedIssue } from '../../core/issue.ts';
import { newsOf, type Seen, wouldStop } from '../../core/issue-news.ts';
import type { Deps } from '../deps.ts';
import { issueEvent } from '../journal.ts';
import { issueKey } from '../keys.ts';
import { isRefused } from '../later-reopen.ts';
import { isUnfinished } from '../looks.ts';
import { GitHubError, type Write } from '../ports.ts';
import type { FileOfTurn } from './refresh-file.ts';
import type { Sweeper } from './sweeper.ts';

/** `seen` null: GitHub shows no such issue where it was, or gave no answer for it; its own answer has to say what is the matter. */
export interface Sighting {
  known: TrackedIssue;
  seen: (Seen & Partial<IssueSnapshot>) | null;
  /** When GitHub was asked, by our clock. */
  askedAt: Date;
  isUnanswered?: boolean;
  /** No listing is to come that tells of this change all that a sight does not, as what its text says. */
  isUnlisted?: boolean;
  /** It is blocked by others than are known. */
  blockersDiffer?: boolean;
}

/** At most so many rows are asked for with one statement. */
export const ROWS_AT_ONCE = 400;

/** How many tasks would be stopped. */
export async function countStops({ deps }: Sweeper, sightings: readonly Sighting[]): Promise<number> {
  let stops = 0;
  for (const { known, seen, isUnanswered } of sightings) {
    const isGone = isUnanswered !== true && absence(known) === 'read';
    const over = seen === null ? isGone : wouldStop(known, seen);
    if (over) stops += (await deps.store.tasksOfIssue(known)).filter(isUnfinished).length;
  }
  return stops;
}

/** Gives how many issues have to be read. */
export async function takeNews(
  sweeper: Sweeper,
  sightings: readonly Sighting[],
  { beforeNews }: Pick<FileOfTurn, 'beforeNews'>,
): Promise<number> {
  const now = sweeper.deps.clock();
  const isNews = (sighting: Sighting) => writesOf(sighting, now).some(({ write }) => write === 'work.enqueue');
  if (sightings.some(isNews)) await beforeNews();
  let due = 0;
  for (const sighting of sightings) if (await take(sweeper, sighting)) due += 1;
  return due;
}

/** What moves the row meanwhile may be older than what was seen here: it is compared anew. */
async function take({ deps }: Sweeper, sighting: Sighting): Promise<boolean> {
  const { store } = deps;
  let known: TrackedIssue | null = sighting.known;
  for (let attempt = 0; attempt < 5 && known !== null; attempt += 1) {
    const writes = writesOf({ ...sighting, known }, deps.clock());
    if (writes.length === 0) return false;
    const looks = writes.length > 1 ? [] : await looksAtRefused(deps, known);
    if (await store.commit([...writes, ...looks])) return writes.length > 1;
    known = await store.issue(known);
  }
  if (known === null) return false;
  // Nobody may take it for kept.
  throw new GitHubError('retryable', `issue ${known.number} kept changing while it was marked to be read`);
}

/** Open as before, it may have been closed and reopened in between, by somebody who may start what a reopen before did not. */
async function looksAtRefused({ store, clock }: Deps, issue: TrackedIssue): Promise<Write[]> {
  if (issue.state !== 'open' || issue.readDue) return [];
  const episode = await store.newestEpisode(issue.nodeId);
  return episode !== null && isRefused(episode)
    ? [{ write: 'work.enqueue', key: issueKey(issue), dueAt: clock() }]
    : [];
}

function writesOf({ known, seen, askedAt, isUnlisted = false, blockersDiffer = false }: Sighting, now: Date): Write[] {
  const { repositoryId, number, version } = known;
  const ref = { repositoryId, number };
  const told = seen === null ? absence(known) : newsOf(known, seen);
  const news = told === 'touched' && isUnlisted ? 'read' : told;
  const update = (set: Extract<Write, { write: 'issue.update' }>['set']): Write => ({
    write: 'issue.update',
    ref,
    version,
    set,
  });
  const look: Write = { write: 'work.enqueue', key: issueKey(ref), dueAt: now };
  // It could not be read so far: now is a good time to try again.
  if (known.readDue) return [look];
  const blockers = blockersDiffer && !known.blockersDue ? { blockersDue: true, blockedByCount: null } : {};
  if (news === 'read') {
    const event = issueEvent('RECONCILIATION_ISSUE_CHANGED', now, ref, { state: seen?.state ?? 'missing' });
    return [update({ readDue: true, ...blockers }), look, event];
  }
  if (blockersDiffer && !known.blockersDue) return [update(blockers), look];
  return news === 'touched' && seen !== null ? [update({ ...touched(seen), observedAt: askedAt })] : [];
}

function absence(known: TrackedIssue): 'read' | 'none' {
  return known.presence === 'present' && !known.readDue ? 'read' : 'none';
}

function touched({ updatedAt, title, url }: Seen & Partial<IssueSnapshot>): Partial<TrackedIssue> {
  return { updatedAt, ...(title === undefined ? {} : { title }), ...(url === undefined ? {} : { url }) };
}
