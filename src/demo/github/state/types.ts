/** What the stand-in remembers. Times are epoch milliseconds of whole seconds, as GitHub keeps no finer ones. */
import type { Recency } from './recency.ts';

export type Role = 'none' | 'read' | 'triage' | 'write' | 'maintain' | 'admin';
export type CloseReason = 'completed' | 'not_planned' | 'duplicate';
export type LockReason = 'resolved' | 'off-topic' | 'too heated' | 'spam';
export type ReactionContent = '+1' | '-1' | 'laugh' | 'confused' | 'heart' | 'hooray' | 'rocket' | 'eyes';
export type Access = 'read' | 'write';
export type Permissions = Readonly<Record<string, Access>>;

export interface User {
  id: number;
  login: string;
  type: 'User' | 'Bot' | 'Organization';
  createdAt: number;
}

export interface App {
  id: number;
  slug: string;
  name: string;
  clientId: string;
  owner: User;
  /** `slug[bot]`: who its comments are by. */
  bot: User;
  permissions: Permissions;
  events: readonly string[];
  createdAt: number;
}

export interface Reaction {
  id: number;
  by: User;
  content: ReactionContent;
  createdAt: number;
}

export interface Comment {
  id: number;
  issueNumber: number;
  author: User;
  body: string;
  /** The app that it was made through: by its bot, or for a person. */
  via: App | null;
  createdAt: number;
  updatedAt: number;
  reactions: Reaction[];
}

export type DependencyEventName = `${'blocked_by' | 'blocking'}_${'added' | 'removed'}`;

type IssueEventName =
  | 'closed'
  | 'reopened'
  | 'locked'
  | 'unlocked'
  | 'renamed'
  | 'labeled'
  | 'unlabeled'
  | 'transferred'
  | 'converted_to_discussion'
  | DependencyEventName;

export interface IssueEvent {
  id: number;
  event: IssueEventName;
  actor: User;
  createdAt: number;
  via: App | null;
  /** The event's own fields, as GitHub names them: `state_reason`, `lock_reason`, `rename`, `label`, `blocked_by`. */
  detail: Readonly<Record<string, unknown>>;
}

export interface Issue {
  id: number;
  repositoryId: number;
  number: number;
  title: string;
  body: string | null;
  author: User;
  /** Who changed the body last, and when; null: nobody did. */
  edited: { by: User; at: number } | null;
  via: App | null;
  state: 'open' | 'closed';
  stateReason: CloseReason | 'reopened' | null;
  closedAt: number | null;
  closedBy: User | null;
  createdAt: number;
  updatedAt: number;
  locked: boolean;
  lockReason: LockReason | null;
  isPullRequest: boolean;
  labels: string[];
  /** Ids of the issues that block this one. */
  blockedBy: number[];
  events: IssueEvent[];
}

/** Why a number of a repository answers no issue any more. */
type Gone = { kind: 'deleted' } | { kind: 'transferred'; repositoryId: number; number: number };

export interface Collaborator {
  role: Role;
  /** A custom role's name; the role itself is what it is based on. */
  roleName: string;
}

export interface Commit {
  sha: string;
  /** null: the first of its history. */
  parent: string | null;
  message: string;
  author: User;
  at: number;
}

export interface Repository {
  id: number;
  owner: User;
  name: string;
  private: boolean;
  /** Read-only for everybody. */
  archived: boolean;
  defaultBranch: string;
  /** The app is installed on it. */
  installed: boolean;
  createdAt: number;
  pushedAt: number;
  /** By lower-case login. */
  collaborators: Map<string, Collaborator>;
  issues: Map<number, Issue>;
  gone: Map<number, Gone>;
  comments: Map<number, Comment>;
  /** Comments by their issue's number, oldest first. */
  threads: Map<number, Comment[]>;
  recentIssues: Recency<Issue>;
  recentComments: Recency<Comment>;
  /** The default branch's files: content by path. */
  files: Map<string, Buffer>;
  /** By id. */
  commits: Map<string, Commit>;
  /** The default branch's newest commit. */
  head: string;
  /** The other branches' newest commits, by name. */
  branches: Map<string, string>;
  nextNumber: number;
}

/** An issue where it is. */
export interface Place {
  repository: Repository;
  issue: Issue;
}

export interface Installation {
  id: number;
  account: User;
  createdAt: number;
  suspendedAt: number | null;
  /** What its account granted, which is not what the app asks for since. */
  permissions: Permissions;
}
