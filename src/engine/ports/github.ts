/**
 * What the engine asks of GitHub. Adapters translate; they decide nothing. A read that gives no trustworthy answer throws
 * `GitHubError`, classified once: it never becomes a state.
 */
import type { CloseReason, IssueRef, IssueSnapshot } from '../../core/issue.ts';
import type { Permission } from '../../core/policy.ts';

export interface RepositoryRef {
  id: string;
  /** `owner/name` as last seen. */
  fullName: string;
  /** null in token mode. */
  installationId: number | null;
}

/**
 * - `retryable`: 5xx, timeouts, dropped connections, garbage. Try again.
 * - `throttled`: a rate limit; `retryAfterSeconds` says when.
 * - `lost_access`: 401, 403 by scope, 404 of an unreadable repository. Say so, stop nothing.
 * - `locked`: the issue takes no comment while it is locked.
 * - `refused`: 4xx that will not change by itself (422, 410 of a comment's issue).
 */
export type GitHubErrorClass = 'retryable' | 'throttled' | 'lost_access' | 'locked' | 'refused';

export class GitHubError extends Error {
  override readonly name = 'GitHubError';
  readonly code: GitHubErrorClass;
  readonly status: number | null;
  readonly retryAfterSeconds: number | null;
  /** The message without what was asked, for who is told of what in other words. */
  readonly said: string;

  constructor(
    code: GitHubErrorClass,
    message: string,
    detail: { status?: number | null; retryAfterSeconds?: number | null; said?: string; cause?: unknown } = {},
  ) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.code = code;
    this.status = detail.status ?? null;
    this.retryAfterSeconds = detail.retryAfterSeconds ?? null;
    this.said = detail.said ?? message;
  }
}

/** `deleted` and `transferred` only on positive evidence: 410; 301; 404 while the repository itself answers 200. */
export type IssueReading =
  | { found: 'issue'; issue: IssueSnapshot }
  | { found: 'deleted' }
  /** `to`: its web address at the new place; null: who asks may not see it. */
  | { found: 'transferred'; to: string | null };

/** One of GitHub's own issue dependencies. */
export interface Dependency {
  /** null: the App can't read it. */
  repository: RepositoryRef | null;
  /** `owner/name#12`, as GitHub spells it. */
  label: string;
  number: number;
  /** The blocking issue as this very answer shows it. */
  issue: IssueSnapshot;
}

/** A file of the default branch. `none`: the repository can be read, and has no such file. */
export type FileReading =
  | { found: 'file'; text: string; sha: string; etag: string | null }
  /** It is there and can't be used: a directory, a link, no text, too large. */
  | { found: 'unusable'; sha: string; etag: string | null; problem: string }
  | { found: 'none'; etag: string | null }
  /** As it was when that ETag was given. */
  | { found: 'unchanged' };

/** An issue comment as GitHub shows it. Pull requests have such comments too. */
export interface SeenComment {
  id: string;
  number: number;
  author: string | null;
  isBot: boolean;
  /** Slug of the App that it was made through; null: none. */
  app: string | null;
  body: string;
  createdAt: Date;
  /** Later than `createdAt`: it was edited. */
  updatedAt: Date;
}

export interface Reopening {
  actor: string | null;
  at: Date;
  /** The close that it undid; null: not among the events that were looked through. */
  closed: { at: Date; actor: string | null; reason: CloseReason } | null;
}

export interface GitHubReader {
  /** Live state of one issue, with who closed it last. Conditional where an ETag is held. */
  readIssue(repository: RepositoryRef, number: number): Promise<IssueReading>;
  /** The last reopening of the issue, from its events; null where they don't tell. Throws `retryable` where the newest is a close. */
  readReopener(repository: RepositoryRef, number: number): Promise<Reopening | null>;
  /** By `role_name`; a login that is no collaborator is `none`; a bot's `issues: write` counts as write. */
  readPermission(repository: RepositoryRef, login: string): Promise<Permission>;
  /** What the issue is blocked by, whole; none where this GitHub knows no dependencies. */
  readDependencies(repository: RepositoryRef, number: number): Promise<readonly Dependency[]>;
  /** Who wrote the issue's body as it is now: its last editor, else its author; null for a deleted account. */
  readEditor(repository: RepositoryRef, number: number): Promise<string | null>;
  /** Who took the newest `count` dependencies of the issue away, newest first; fewer where GitHub tells of fewer. */
  readUnblockers(repository: RepositoryRef, number: number, count: number): Promise<readonly string[]>;
  /** null: unknown, or not installed there. */
  findRepository(fullName: string): Promise<RepositoryRef | null>;
  /** Throws where there is no answer, or who asks is refused. Nothing but a warning at the start depends on it. */
  check?(): Promise<void>;
  /** GitHub's clock minus ours in ms, from the last answer's `Date`; null before the first answer. */
  clockOffsetMs(): number | null;
}

/** What commands take besides. Without it nobody commands by comments, and every repository's file is unknown. */
export interface CommandReader {
  /** Of the default branch. `etag`: of an earlier answer. */
  readFile(repository: RepositoryRef, path: string, etag: string | null): Promise<FileReading>;
  /** null: it was deleted. */
  readComment(repository: RepositoryRef, commentId: string): Promise<SeenComment | null>;
  /** All issue comments of the repository that were made or edited at `since` or later, the oldest change first. */
  readComments(repository: RepositoryRef, since: Date): Promise<readonly SeenComment[]>;
  /** Who we are: the App's bot and its slug, or the token's owner, who has no slug. */
  self(): Promise<{ login: string; app: string | null }>;
}

/** What a branch holds that its base does not. */
export interface BranchReading {
  /** Git's id of its newest commit. */
  head: string;
  /** By its name, also where that was not given. */
  base: string;
  /** Commits. */
  aheadBy: number;
}

/** What evidence of lost runs is found by. Without it none is. A branch that is asked for by a former name is not there. */
export interface BranchReader {
  /** Git's id of its newest commit; null: there is no such branch. Throws `GitHubError`. */
  readBranchHead(repository: RepositoryRef, branch: string): Promise<string | null>;
  /** `base` null: the default branch. null: there is no such branch. Throws `GitHubError`: `refused` where there is no such base. */
  readBranch(repository: RepositoryRef, branch: string, base: string | null): Promise<BranchReading | null>;
}

/** By GitHub's names of them. */
export type Reaction = 'eyes' | 'rocket' | 'confused';

/** One request each, no retry, no throttling of its own: the outbox is the only pacer. */
export interface GitHubWriter {
  /** Looks through all pages for a comment of ours whose body starts with the marker. */
  findComment(repository: RepositoryRef, number: number, marker: string): Promise<string | null>;
  createComment(repository: RepositoryRef, number: number, body: string): Promise<string>;
  /** `gone`: the comment was deleted meanwhile. */
  updateComment(repository: RepositoryRef, commentId: string, body: string): Promise<'updated' | 'gone'>;
  /** One reaction of ours, however often it is asked for. `gone`: the comment was deleted. */
  react(repository: RepositoryRef, commentId: string, content: Reaction): Promise<'done' | 'gone'>;
  /** As completed; harmless where it is closed already. */
  closeIssue(repository: RepositoryRef, number: number): Promise<void>;
}

/** What one delivery says, as far as it is used. `ignored` costs nothing; `malformed` lacks what its event promises. */
export type Hint =
  | {
      kind: 'issue';
      action: string;
      ref: IssueRef;
      /** The payload's issue, stamped `updatedAt`: an observation, not the truth. */
      issue: IssueSnapshot;
      repository: RepositoryRef;
    }
  /** What an issue is blocked by has changed; its dependencies have to be read. */
  | { kind: 'blockers'; ref: IssueRef; repository: RepositoryRef }
  /** Somebody has just written a comment on an issue. */
  | { kind: 'comment'; ref: IssueRef; comment: SeenComment; repository: RepositoryRef }
  /** The default branch was pushed to, and the push may have changed the repository's file. */
  | { kind: 'file'; repository: RepositoryRef }
  /** An installation, or what is said of these repositories of it, has changed; how they can be reached has to be read. */
  | { kind: 'access'; action: string; installationId: number | null; repositories: readonly RepositoryRef[] }
  | { kind: 'ignored' }
  | { kind: 'malformed'; problem: string };

export type InterpretDelivery = (event: string, payload: unknown) => Hint;
