/** Whether a webhook's payload may be believed by itself, or live state has to be read first. */
import type { IssueSnapshot, TrackedIssue } from './issue.ts';

/**
 * A payload that is further behind GitHub's clock than this is old news: redelivered, delayed, or replayed. One that is further
 * ahead is from no clock of GitHub's, and believed, it would be newer than all that GitHub answers from then on.
 */
export const FRESH_MS = 60_000;

export interface JudgedHint {
  action: string;
  issue: IssueSnapshot;
  known: TrackedIssue;
  /** Other deliveries about the same issue wait at the same time. */
  crowded: boolean;
  /** By GitHub's clock; null while its offset to ours is unknown. */
  githubNow: Date | null;
}

/** `accept`: newer than what is stored and fresh. `read`: look at live state. `nothing_new`: it changes nothing here. */
export function judgeHint({ action, issue, known, crowded, githubNow }: JudgedHint): 'accept' | 'read' | 'nothing_new' {
  if (action !== 'closed' && action !== 'reopened') {
    const sameState = issue.state === known.state && action !== 'deleted' && action !== 'transferred';
    return sameState ? 'nothing_new' : 'read';
  }
  // Another issue under the same number is no news of this one.
  if (issue.nodeId !== known.nodeId) return 'read';
  if (crowded || githubNow === null || known.readDue) return 'read';
  // The same second tells no order, an older one is behind what is known.
  if (issue.updatedAt <= known.updatedAt) return 'read';
  return Math.abs(githubNow.getTime() - issue.updatedAt.getTime()) <= FRESH_MS ? 'accept' : 'read';
}
