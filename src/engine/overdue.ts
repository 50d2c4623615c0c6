/**
 * A close that waited for its delay, and whose turn comes late: this app, or its machine, was away, and so was whatever tells of a reopen
 * within the delay. Before it is acted on its issue is read.
 */
import type { TrackedIssue } from '../core/issue.ts';
import { isFresh } from '../core/plan/limits.ts';
import type { Deps } from './deps.ts';
import { onOurClock } from './github-clock.ts';

/** An app that is merely busy comes sooner. */
const LATE_MS = 60_000;

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
