/** What the sweep and the upkeep ask of GitHub: what changed, what is still there, and whether the repository is still ours to read. */
import type { CloseReason, IssueSnapshot } from '../../core/issue.ts';
import type { RepositoryRef } from './github.ts';

/** Issues that changed since then, the oldest change first, without pull requests. Who closed one, a listing doesn't tell. */
export type IssueListing =
  /** Nothing but what was listed when the validator was given. Costs nothing of the rate limit. */
  | { found: 'unchanged' }
  | {
      found: 'issues';
      issues: readonly IssueSnapshot[];
      /** Listed in a form that can't be read: their own answers have to tell. A few at most. */
      unreadable: readonly Unreadable[];
      /** Newest change of all that was listed, pull requests too; null: nothing was. By GitHub's clock. */
      newest: Date | null;
      /** False: there is more than one call reads; what is beyond is newer than `newest`. */
      isWhole: boolean;
      /** For the next listing from the same instant; null: that one has to be read whole. Opaque, and good for one token only. */
      validator: string | null;
    };

export interface Unreadable {
  number: number;
  updatedAt: Date;
}

/** What GraphQL shows of one issue, or that it shows none. It proves no absence by itself. */
export type IssueSight =
  | {
      sight: 'issue';
      /** Another one than it is known by: it was transferred. */
      repositoryId: string;
      number: number;
      state: 'open' | 'closed';
      reason: CloseReason;
      closedAt: Date | null;
      updatedAt: Date;
      locked: boolean;
      /** `owner/name#12` of each issue that blocks it, in no order; null: this GitHub doesn't tell. */
      blockedBy: readonly string[] | null;
    }
  | { sight: 'missing' };

/** Whether the App may read the repository, by positive evidence alone; whatever proves nothing throws. */
export type Access =
  | { access: 'ok'; repository: RepositoryRef; archived: boolean }
  | { access: 'suspended'; installationId: number }
  /** `uninstalled`: no installation there. `unreachable`: it is installed, and the repository is not among what it may read, or is deleted. */
  | { access: 'gone'; why: 'uninstalled' | 'unreachable' };

export interface InstalledRepository extends RepositoryRef {
  /** Only where the list says so. */
  archived?: true;
}

/** One attempt of GitHub's to deliver something to the App. */
export interface HookAttempt {
  /** GitHub's id of the attempt; higher is newer. */
  id: string;
  /** Shared by all attempts of the same delivery. */
  guid: string;
  event: string;
  action: string | null;
  deliveredAt: Date;
  isOk: boolean;
}

export interface HookPage {
  /** Newest first. */
  attempts: readonly HookAttempt[];
  /** For the page behind it; null: there is none. */
  cursor: string | null;
}

/** What is left of a rate limit, as the last answer told. */
export interface Quota {
  limit: number;
  remaining: number;
  /** By our clock. */
  resetAt: Date;
}

export interface SweepReader {
  /** `validator`: of an earlier listing from the same instant, or null. Within one second what is listed is whole. */
  listIssues(repository: RepositoryRef, since: Date, validator: string | null): Promise<IssueListing>;
  /**
   * At most 100 issues by node id, in one query. Each is answered for itself: one that is in the answer neither as an issue nor as
   * missing was not answered for.
   */
  sightIssues(repository: RepositoryRef, nodeIds: readonly string[]): Promise<ReadonlyMap<string, IssueSight>>;
  /** Asked anew each time. */
  readAccess(repository: RepositoryRef): Promise<Access>;
  /** All repositories that the App is installed on and may read; empty in token mode. */
  installedRepositories(): Promise<readonly InstalledRepository[]>;
  /** null in token mode: nobody delivers anything. `cursor`: of the page before. */
  hookAttempts(cursor: string | null): Promise<HookPage | null>;
  /** `gone`: GitHub keeps it no longer. */
  askAgain(attemptId: string): Promise<'asked' | 'gone'>;
  /** The tighter one of what the repository's reads use; null: unknown, or this GitHub has no limits. No request. */
  quota(repository: RepositoryRef): Quota | null;
  /** Until when GitHub asked not to be asked by this installation, by our clock; null: it did not. No request. */
  pausedUntil(repository: RepositoryRef): Date | null;
}
