/**
 * What Standdown knows of a GitHub issue, and what a close of it meant. A snapshot is one answer or payload of GitHub;
 * the tracked issue is the newest snapshot that was accepted; a close episode is one close, however often it was heard of.
 */

export interface IssueRef {
  /** GitHub's numeric repository id, as a string: names change, ids don't. */
  repositoryId: string;
  number: number;
}

/** GitHub's `state_reason` of a closed issue; `unknown` where none was given. */
export type CloseReason = 'completed' | 'not_planned' | 'duplicate' | 'unknown';

export interface IssueSnapshot {
  nodeId: string;
  number: number;
  title: string;
  url: string;
  state: 'open' | 'closed';
  /** Only meaningful while `state` is `closed`. */
  reason: CloseReason;
  closedAt: Date | null;
  /** GitHub's own version of the issue, in whole seconds. */
  updatedAt: Date;
  /** Login of the issue's author; null for a deleted account. */
  author: string | null;
  /** Login of who closed or reopened it last, where the source tells. */
  actor: string | null;
  locked: boolean;
  isPullRequest: boolean;
  /** What lines of its body name as what it depends on: `#12`, or `owner/name#12` of another repository. */
  dependsOn: readonly string[];
  /** How many issues block it by GitHub's own dependencies, open and closed; null where the source doesn't tell. */
  blockedByCount: number | null;
}

export interface TrackedIssue extends IssueRef, IssueSnapshot {
  /** `deleted` and `transferred` only on GitHub's positive word (410, 301, or 404 in a readable repository). */
  presence: 'present' | 'deleted' | 'transferred';
  /** Web address of a transferred issue at its new place; null: it was not transferred, or nobody here may see where to. */
  movedTo: string | null;
  /** A hint came that could not be believed by itself: live state has to be read. */
  readDue: boolean;
  /** What blocks it has changed, or was never read. */
  blockersDue: boolean;
  /** When GitHub was last asked for what confirmed this state, by our clock. */
  observedAt: Date;
  /** Guard for conditional updates. */
  version: number;
}

/** Whether an actor was seen to hold the permission that the like command needs. `unreadable`: GitHub did not tell. */
export type Authority = 'pending' | 'granted' | 'denied' | 'unreadable';

/** Who told: a webhook or a sweep (`github`), a person or program at our own doors (`manual`), a runner. */
export type Source = 'github' | 'manual' | 'runner';

export type CloseAction = 'done' | 'cancel' | 'let_finish' | 'ignore';

export type EpisodeState = 'pending' | 'acted' | 'voided' | 'undone';

/** One close of one issue, keyed by (issue node id, `closedAt`). Every effect of a close carries its id. */
export interface CloseEpisode extends IssueRef {
  id: string;
  nodeId: string;
  closedAt: Date;
  reason: CloseReason;
  actor: string | null;
  /** Whether the closer holds `done`'s permission: without it a completed close ends tasks `cancelled`. */
  authority: Authority;
  action: CloseAction;
  state: EpisodeState;
  learnedAt: Date;
  /** The reopen that undid it, once there is one. */
  reopen: { actor: string | null; authority: Authority; at: Date } | null;
}
