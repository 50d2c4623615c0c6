/**
 * A close that waited for its delay, and whose turn comes late: this app, or its machine, was away, and so was whatever tells of a reopen
 * within the delay. Before it is acted on its issue is read, but no stop is left to GitHub's silence: where it does not tell, what is known
 * is acted on, and the sweep finds a reopen.
 */
import type { TrackedIssue } from '../core/issue.ts';
import { isFresh } from '../core/plan/limits.ts';
import type { Deps } from './deps.ts';
import { onOurClock } from './github-clock.ts';
import { GitHubError } from './ports.ts';
import { readIssue } from './read-issue.ts';
import { withinMs } from './within-ms.ts';

/** An app that is merely busy comes sooner. */
const LATE_MS = 60_000;
/** Longer than a network takes to come back with its machine: by the worker's back-off the last try is made after 7.5 s, if each fails at once. */
const TRIES = 5;
const READ_MS = 5_000;

/** False where it was read lately. */
export async function isOverdue(deps: Deps, issue: TrackedIssue): Promise<boolean> {
  const { state, closedAt, nodeId, repositoryId, observedAt } = issue;
  const now = deps.clock();
  if (state !== 'closed' || closedAt === null || isFresh(observedAt, now)) return false;
  if ((await deps.store.newestEpisode(nodeId))?.state !== 'pending') return false;
  const { closeDelaySeconds } = await deps.policyOf(repositoryId);
  const actFrom = onOurClock(deps, new Date(closedAt.getTime() + closeDelaySeconds * 1_000));
  return now.getTime() - actFrom.getTime() > LATE_MS;
}

/** `failures`: how often its look failed before. Throws as long as it is to be tried again. */
export async function readOverdue(deps: Deps, issue: TrackedIssue, failures: number): Promise<TrackedIssue | null> {
  try {
    return await withinMs(READ_MS, readIssue(deps, issue));
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    // The silence that GitHub asks for may be long, and to ask on is no way to wait for it.
    if (failures + 1 < TRIES && error.retryAfterSeconds === null) throw error;
    deps.log.warn({ issue: issue.number, code: error.code }, 'late close acted on unread');
    return issue;
  }
}
