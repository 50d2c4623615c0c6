/** The plan of one issue: which close episode its state makes, voids or undoes. Tasks are planned from that, one by one. */
import type { CloseAction, CloseEpisode, TrackedIssue } from '../issue.ts';
import type { Policy } from '../policy.ts';

export type IssueStep =
  /** A close that was not known. `acted` at once, or `pending` while its delay runs. */
  | { step: 'open_episode'; episode: Omit<CloseEpisode, 'id'> }
  /** The delay is over, or the policy has none: tasks act on it from now on, by the policy as it is now. */
  | { step: 'act'; action: CloseAction }
  /** Closed once more within the second of a close that was reopened: the same episode is in force again. */
  | { step: 'renew'; episode: Omit<CloseEpisode, 'id'> }
  /** Reopened within the delay: as if it had not been. */
  | { step: 'void' }
  /** Reopened: tasks that it ended may come back. */
  | { step: 'undo'; actor: string | null }
  | { step: 'recheck'; at: Date };

/** `now`: by GitHub's clock, as the times of closes are. */
export function planIssue(
  issue: TrackedIssue,
  newest: CloseEpisode | null,
  policy: Policy,
  now: Date,
): readonly IssueStep[] {
  if (issue.isPullRequest || issue.presence !== 'present') return [];
  if (issue.state === 'closed') return planClosed(issue, newest, policy, now);
  if (newest === null) return [];
  if (newest.state === 'pending') return [{ step: 'void' }];
  return newest.state === 'acted' ? [{ step: 'undo', actor: issue.actor }] : [];
}

function planClosed(issue: TrackedIssue, newest: CloseEpisode | null, policy: Policy, now: Date): readonly IssueStep[] {
  const { closedAt } = issue;
  // GitHub always tells it of a closed issue; without it the close has no identity, and nothing may be stopped twice.
  if (closedAt === null) return [];
  const actFrom = new Date(closedAt.getTime() + policy.closeDelaySeconds * 1000);
  // Without a delay there is nothing to wait for, also where GitHub's clock is ahead of ours.
  const due = policy.closeDelaySeconds <= 0 || now >= actFrom;
  const known = newest !== null && newest.closedAt.getTime() === closedAt.getTime();
  if (known) {
    if (newest.state === 'acted') return [];
    if (newest.state === 'pending')
      return due ? [{ step: 'act', action: policy.onClose[newest.reason] }] : [{ step: 'recheck', at: actFrom }];
  }
  if (newest !== null && newest.closedAt > closedAt) return [];
  const episode = episodeOf(issue, closedAt, policy, due ? 'acted' : 'pending', now);
  const made: IssueStep = { step: known ? 'renew' : 'open_episode', episode };
  return due ? [made] : [made, { step: 'recheck', at: actFrom }];
}

function episodeOf(
  issue: TrackedIssue,
  closedAt: Date,
  policy: Policy,
  state: 'acted' | 'pending',
  now: Date,
): Omit<CloseEpisode, 'id'> {
  return {
    repositoryId: issue.repositoryId,
    number: issue.number,
    nodeId: issue.nodeId,
    closedAt,
    reason: issue.reason,
    actor: issue.actor,
    // Without a known closer there is nobody whose permission could be read.
    authority: issue.actor === null ? 'unreadable' : 'pending',
    action: policy.onClose[issue.reason],
    state,
    learnedAt: now,
    reopen: null,
  };
}
