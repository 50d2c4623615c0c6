/**
 * All tracked issues of a repository, one by one in large batches, for what no listing shows: deleted, transferred and hidden issues,
 * and what blocks them. An issue that GitHub shows no more is only marked to be read: its own answer says what became of it.
 */
import type { IssueBlocker } from '../../core/blockers/blocker.ts';
import type { TrackedIssue } from '../../core/issue.ts';
import { issueKey } from '../keys.ts';
import { GitHubError, type IssueSight, type RepositoryState } from '../ports.ts';
import { readIssue } from '../read-issue.ts';
import { confirmed } from './confirm.ts';
import { endedOf } from './followed.ts';
import { notConfirmed } from './list-changed.ts';
import type { FileOfTurn } from './refresh-file.ts';
import type { Sweeper } from './sweeper.ts';
import { type Sighting, takeNews } from './take-news.ts';

/** GitHub takes so many node ids in one query. */
const AT_ONCE = 100;

/** So many that are not answered for in one batch are no matter of those issues. */
const MOST_UNANSWERED = 10;

/** Gives how many issues have to be read. Throws `GitHubError` where GitHub gave no answer that counts. */
export async function verifyIssues(sweeper: Sweeper, state: RepositoryState, file: FileOfTurn): Promise<number> {
  const { store } = sweeper.deps;
  const ended = await endedOf(sweeper.deps, state.id);
  let changes = 0;
  for (let after = 0; ; ) {
    const numbers = await store.trackedNumbers(state.id, { ...ended, after, limit: AT_ONCE });
    const known = await store.issuesOf(state.id, numbers);
    await readUnknown(sweeper, state, numbers, known);
    const again = () => sightingsOf(sweeper, state, known);
    const doubtful = await confirmed(sweeper, state, { sightings: await again(), again });
    changes += await takeNews(sweeper, doubtful.sightings, file);
    await lookAtPending(sweeper, known);
    if (doubtful.dropped > 0) throw notConfirmed(doubtful.dropped, state);
    const last = numbers.at(-1);
    if (last === undefined || numbers.length < AT_ONCE) return changes;
    after = last;
  }
}

/** A close that waits for its delay is judged by the policy as it is now, which may wait for less. */
async function lookAtPending({ deps }: Sweeper, known: readonly TrackedIssue[]): Promise<void> {
  const { store, clock } = deps;
  for (const issue of known.filter(({ state, presence }) => state === 'closed' && presence === 'present')) {
    if ((await store.newestEpisode(issue.nodeId))?.state !== 'pending') continue;
    await store.queue.enqueue([{ key: issueKey(issue), dueAt: clock() }]);
  }
}

async function sightingsOf(sweeper: Sweeper, state: RepositoryState, known: readonly TrackedIssue[]) {
  const { deps, github } = sweeper;
  const issues = known.filter(({ isPullRequest, presence }) => !isPullRequest && presence === 'present');
  if (issues.length === 0) return [];
  const nodeIds = issues.map(({ nodeId }) => nodeId);
  const askedAt = deps.clock();
  const sights = await github.sightIssues(state, nodeIds);
  const unanswered = issues.filter(({ nodeId }) => !sights.has(nodeId)).length;
  if (unanswered > MOST_UNANSWERED) {
    throw new GitHubError('retryable', `GitHub gave no answer for ${unanswered} of ${issues.length} issues`);
  }
  const numbers = issues.map(({ number }) => number);
  const edges = await deps.store.blockersAmong(state.id, numbers);
  return issues.map((issue): Sighting => {
    const sight = sights.get(issue.nodeId);
    if (sight === undefined) return { known: issue, seen: null, askedAt, isUnanswered: true };
    const own = edges.filter(({ number }) => number === issue.number);
    return { known: issue, ...seenIn(issue, sight, own), askedAt, isUnlisted: isBehind(state, sight) };
  });
}

/** What changed before the place from which issues are listed has been listed by now, or never will be. */
function isBehind({ issuesSince }: RepositoryState, sight: IssueSight): boolean {
  return sight.sight === 'issue' && (issuesSince === null || sight.updatedAt < issuesSince);
}

function seenIn(
  known: TrackedIssue,
  sight: IssueSight,
  edges: readonly IssueBlocker[],
): Pick<Sighting, 'seen' | 'blockersDiffer'> {
  const isHere = sight.sight === 'issue' && sight.repositoryId === known.repositoryId && sight.number === known.number;
  if (!isHere) return { seen: null };
  const { state, reason, closedAt, updatedAt, locked, blockedBy } = sight;
  const blockersDiffer = blockedBy !== null && !sameBlockers(blockedBy, edges);
  return { seen: { state, reason, closedAt, updatedAt, locked }, blockersDiffer };
}

/** What was taken away and is waited for all the same is not among what GitHub tells. */
function sameBlockers(told: readonly string[], edges: readonly IssueBlocker[]): boolean {
  const stored = edges.filter(
    ({ source, state }) => source === 'dependency' && state !== 'kept' && state !== 'leaving',
  );
  const labels = new Set(stored.map(({ label }) => label.toLowerCase()));
  return (
    labels.size === new Set(told.map((label) => label.toLowerCase())).size &&
    told.every((label) => labels.has(label.toLowerCase()))
  );
}

/** Linked, and never read: the app was interrupted before it could. A failure is that issue's own. */
async function readUnknown(
  { deps }: Sweeper,
  { id }: RepositoryState,
  numbers: readonly number[],
  known: readonly TrackedIssue[],
): Promise<void> {
  const rows = new Set(known.map(({ number }) => number));
  for (const number of numbers.filter((number) => !rows.has(number))) {
    try {
      await readIssue(deps, { repositoryId: id, number });
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      deps.log.warn({ issue: number, code: error.code, problem: error.message }, 'issue not read');
    }
  }
}
