/**
 * An issue that another issue is blocked by, and whether it still keeps that one's tasks from starting. Pure: an edge says
 * that there is something to wait for, the blocking issue's own state says whether there still is.
 */
import type { CloseEpisode, IssueRef, TrackedIssue } from '../issue.ts';
import type { Task } from '../task.ts';

/** GitHub's own dependencies, or a line of the issue's body. */
export type BlockerSource = 'dependency' | 'body';

/**
 * - `pending`: a line whose author's permission is not read yet. It blocks.
 * - `active`.
 * - `refused`: the line of someone who may not block. It never blocks.
 * - `leaving`: gone from GitHub; whether whoever took it away may unblock is not read yet. It blocks.
 * - `kept`: gone from GitHub by someone who may not unblock. It blocks until a person's `release`, or its issue is resolved.
 */
export type EdgeState = 'pending' | 'active' | 'refused' | 'leaving' | 'kept';

/** `repositoryId` and `number` are those of the issue that is blocked. */
export interface IssueBlocker extends IssueRef {
  source: BlockerSource;
  /** What blocks, as `owner/name#12`. */
  label: string;
  /** null: its repository can't be read here. */
  blocker: { repositoryId: string | null; number: number };
  state: EdgeState;
  addedBy: string | null;
  removedBy: string | null;
  /** Of its state. */
  at: Date;
}

/**
 * What an edge comes to now. Only `resolved` and `refused` let tasks start; what is not `open` or `judging` needs a person.
 * - `open`: the blocking issue is open, or its close still waits out its delay.
 * - `judging`: whether its closer, or whoever took the edge away, may unblock is being read.
 * - `resolved`: closed as completed by someone who may say so.
 * - `not_completed`: closed as not planned or as a duplicate.
 * - `not_permitted`: closed as completed, or taken away, by someone who may not unblock.
 * - `absent`: deleted or transferred, or there never was such an issue.
 * - `unreadable`: its repository can't be read here.
 * - `refused`: the line doesn't count.
 */
export type BlockerStatus =
  | 'open'
  | 'judging'
  | 'resolved'
  | 'not_completed'
  | 'not_permitted'
  | 'absent'
  | 'unreadable'
  | 'refused';

export interface BlockerView {
  label: string;
  source: BlockerSource;
  status: BlockerStatus;
  /** Who closed it, or took it away. */
  actor: string | null;
  /** When the blocking issue was last seen to be reopened. */
  reopenedAt: Date | null;
}

/** `issue` and `episode` are those of the blocking issue; null: not known here. */
export function viewBlocker(edge: IssueBlocker, issue: TrackedIssue | null, episode: CloseEpisode | null): BlockerView {
  const { label, source } = edge;
  const reopenedAt = episode?.reopen?.at ?? null;
  const view = (status: BlockerStatus, actor: string | null = null) => ({ label, source, status, actor, reopenedAt });
  if (edge.state === 'refused') return view('refused', edge.addedBy);
  // A pull request is no issue, wherever it is named.
  if (issue?.isPullRequest) return view('refused');
  const status = statusOf(edge, issue, episode);
  // What is resolved blocks nothing, whoever took the edge away.
  if (status === 'resolved') return view(status, episode?.actor ?? null);
  if (edge.state === 'leaving') return view('judging', edge.removedBy);
  // With an issue its dependencies go, too, and nobody took them away.
  if (edge.state === 'kept' && status !== 'absent') return view('not_permitted', edge.removedBy);
  return view(status, episode?.actor ?? null);
}

function statusOf(edge: IssueBlocker, issue: TrackedIssue | null, episode: CloseEpisode | null): BlockerStatus {
  if (edge.blocker.repositoryId === null) return 'unreadable';
  if (issue === null || issue.presence !== 'present') return 'absent';
  return statusOfIssue(issue, episode);
}

function statusOfIssue(issue: TrackedIssue, episode: CloseEpisode | null): BlockerStatus {
  if (issue.state === 'open') return 'open';
  if (episode === null || episode.closedAt.getTime() !== issue.closedAt?.getTime()) return 'judging';
  if (episode.state === 'pending') return 'open';
  if (episode.state !== 'acted') return 'judging';
  if (episode.reason === 'not_planned' || episode.reason === 'duplicate') return 'not_completed';
  if (episode.authority === 'pending') return 'judging';
  return episode.authority === 'granted' ? 'resolved' : 'not_permitted';
}

/** Those that keep a task from starting now. */
export function blocking(
  { released }: Pick<Task, 'released'>,
  blockers: readonly BlockerView[],
): readonly BlockerView[] {
  return blockers.filter((blocker) => {
    if (blocker.status === 'resolved' || blocker.status === 'refused') return false;
    const release = released.find(({ blocker: label }) => sameLabel(label, blocker.label));
    if (release === undefined) return true;
    // Said before it was reopened: the person knew nothing of that.
    return blocker.status === 'open' && blocker.reopenedAt !== null && blocker.reopenedAt > release.at;
  });
}

/** Nothing is known yet that would need a person: time will tell whether a task starts or is blocked. */
export function isBeingJudged(blocking: readonly BlockerView[]): boolean {
  return blocking.length > 0 && blocking.every(({ status }) => status === 'judging');
}

/** GitHub compares names without regard to case. */
export function sameLabel(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
