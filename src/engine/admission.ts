/** Whether a task may start now: by its issue, as that was just read, and what blocks it; and by what was forbidden meanwhile. */
import { type BlockerView, blocking, isBeingJudged, sameLabel } from '../core/blockers/blocker.ts';
import { covers } from '../core/hold.ts';
import type { IssueRef, TrackedIssue } from '../core/issue.ts';
import { forbidsStarts } from '../core/plan/batch.ts';
import { isFresh } from '../core/plan/limits.ts';
import { age } from '../core/report/text.ts';
import type { SeenBlocker } from '../core/report/waiting.ts';
import type { Task } from '../core/task.ts';
import { nextPurpose } from '../core/verify.ts';
import { isOutOfReach } from './access/index.ts';
import type { Deps } from './deps.ts';
import { GitHubError } from './ports.ts';
import { readIssue } from './read-issue.ts';
import { BLOCKERS_UNJUDGED, BLOCKERS_UNREAD, canBeBlocked } from './reconcile-blockers.ts';
import { viewBlockersOf } from './view-blockers.ts';

const DEFAULT_MAX_DATA_AGE_SECONDS = 600;

/**
 * - `issue`: a look at the issue is what goes on with the task, or with what is known of the issue.
 * - `blocked`: by these issues.
 */
export type Obstacle = { by: 'issue'; reason: string } | { by: 'blocked'; labels: readonly string[] };

/** Throws `GitHubError` where what the answer hangs on can't be read. */
export async function obstacleOf(deps: Deps, task: Task, issue: TrackedIssue): Promise<Obstacle | null> {
  if (issue.isPullRequest) return { by: 'issue', reason: `#${issue.number} is a pull request, not an issue` };
  if (!(await isOpenFor(deps, task, issue))) return { by: 'issue', reason: 'its issue is closed' };
  if (issue.blockersDue && canBeBlocked(deps, issue)) return { by: 'issue', reason: BLOCKERS_UNREAD };
  const known = await viewBlockersOf(deps, issue);
  if (known.length === 0) return null;
  const obstacle = blockedBy(task, known);
  if (obstacle !== null) return obstacle;
  await refreshBlockers(deps, issue);
  const seen = await viewBlockersOf(deps, issue);
  return blockedBy(task, seen) ?? tooOld(deps, task, seen);
}

/** Resolved as it was seen, and nobody could tell for long whether it still is. A person may release the task from it. */
function tooOld({ clock, limits }: Deps, task: Task, seen: readonly SeenBlocker[]): Obstacle | null {
  const maxMs = (limits.maxDataAgeSeconds ?? DEFAULT_MAX_DATA_AGE_SECONDS) * 1_000;
  const now = clock();
  for (const { label, status, observedAt } of seen) {
    if (status !== 'resolved' || observedAt === null || task.released.some(({ blocker }) => sameLabel(blocker, label)))
      continue;
    if (Math.abs(now.getTime() - observedAt.getTime()) <= maxMs) continue;
    return {
      by: 'issue',
      reason: `what is known of ${label} is ${age(observedAt, now)} old, and it can't be read now`,
    };
  }
  return null;
}

/** To be asked again where GitHub was waited for since the task was chosen: a hold, a cancel or a failure may have come. */
export async function isForbidden({ store }: Deps, task: Task): Promise<boolean> {
  if ((await store.holds()).some((hold) => covers(hold, task))) return true;
  if (await isOutOfReach({ store }, task.repositoryId)) return true;
  const batch = task.batchId === null ? null : await store.batch(task.batchId);
  if (batch === null) return false;
  return forbidsStarts(batch, batch.onFailure === 'stop' ? (await store.outlineOfBatch(batch.id)).counts : []);
}

/** `on_close: ignore` lets a task run for a closed issue, for that one close; `let_finish` its verify run alone. */
async function isOpenFor({ store }: Deps, task: Task, issue: TrackedIssue): Promise<boolean> {
  if (issue.presence !== 'present') return false;
  if (issue.state === 'open') return true;
  const episode = await store.newestEpisode(issue.nodeId);
  if (episode === null || task.exemptEpisodeId !== episode.id) return false;
  if (episode.action === 'let_finish') return nextPurpose(task, await store.newestRun(task.id)) === 'verify';
  return episode.action === 'ignore';
}

function blockedBy(task: Task, blockers: readonly BlockerView[]): Obstacle | null {
  const views = blocking(task, blockers);
  if (isBeingJudged(views)) return { by: 'issue', reason: BLOCKERS_UNJUDGED };
  return views.length > 0 ? { by: 'blocked', labels: views.map(({ label }) => label) } : null;
}

/** An issue that blocked once may have been reopened while nothing waited for it, and so nobody looked after it. */
async function refreshBlockers(deps: Deps, ref: IssueRef): Promise<void> {
  if (deps.github === null) return;
  for (const { blocker, state } of await deps.store.blockersOf(ref)) {
    const { repositoryId, number } = blocker;
    if (repositoryId !== null && state !== 'refused') await refresh(deps, { repositoryId, number });
  }
}

async function refresh(deps: Deps, ref: IssueRef): Promise<void> {
  const known = await deps.store.issue(ref);
  if (known !== null && isFresh(known.observedAt, deps.clock())) return;
  try {
    await readIssue(deps, ref);
  } catch (error) {
    // That it can't be read any more says nothing against what it was seen to be.
    const isLost = error instanceof GitHubError && (error.code === 'lost_access' || error.code === 'refused');
    if (!isLost) throw error;
  }
}
