/** The keys of the work queue: what is to be looked at, never why. */
import type { IssueRef } from '../core/issue.ts';

export const SCHEDULE_KEY = 'schedule';
export const SWEEP_KEY = 'sweep';
export const RUNNERS_KEY = 'runners';
/** Sees to it that every followed repository has its turns. */
export const WATCH_KEY = 'watch';
/** Finds repositories that no event has told of. */
export const DISCOVER_KEY = 'discover';
/** Asks GitHub for deliveries that did not arrive. */
export const MISSED_KEY = 'missed';
/** Looks for runs that live and that nobody wants alive. */
export const ORPHANS_KEY = 'orphans';
/** Takes away what is kept no longer. */
export const RETENTION_KEY = 'retention';

export type WorkKey =
  | { kind: 'task'; id: string }
  | { kind: 'batch'; id: string }
  /** What a task's lost run may have left. */
  | { kind: 'evidence'; id: string }
  /** A run that has ended, and of which something lives. */
  | { kind: 'orphan'; id: string }
  | { kind: 'issue'; ref: IssueRef }
  /** The comments of an issue that are due, in their order. */
  | { kind: 'comments'; ref: IssueRef }
  /** The repository's file. */
  | { kind: 'file'; repositoryId: string }
  /** What changed in the repository. */
  | { kind: 'repository'; repositoryId: string }
  /** All tracked issues of the repository, one by one. */
  | { kind: 'verify'; repositoryId: string }
  /** Whether the repository can still be reached, and what follows where it can't. */
  | { kind: 'access'; repositoryId: string }
  | { kind: 'watch' }
  | { kind: 'discover' }
  | { kind: 'missed' }
  | { kind: 'retention' }
  | { kind: 'schedule' }
  | { kind: 'sweep' }
  | { kind: 'runners' }
  | { kind: 'orphans' };

export function taskKey(id: string): string {
  return `task:${id}`;
}

export function evidenceKey(taskId: string): string {
  return `evidence:${taskId}`;
}

export function batchKey(id: string): string {
  return `batch:${id}`;
}

export function orphanKey(runId: string): string {
  return `orphan:${runId}`;
}

export function issueKey(ref: IssueRef): string {
  return `issue:${ref.repositoryId}#${ref.number}`;
}

export function commentsKey(ref: IssueRef): string {
  return `comments:${ref.repositoryId}#${ref.number}`;
}

export function fileKey(repositoryId: string): string {
  return `file:${repositoryId}`;
}

export function repositoryKey(repositoryId: string): string {
  return `repository:${repositoryId}`;
}

export function verifyKey(repositoryId: string): string {
  return `verify:${repositoryId}`;
}

export function accessKey(repositoryId: string): string {
  return `access:${repositoryId}`;
}

const SINGLE_KEYS = [
  SCHEDULE_KEY,
  SWEEP_KEY,
  RUNNERS_KEY,
  WATCH_KEY,
  DISCOVER_KEY,
  MISSED_KEY,
  RETENTION_KEY,
  ORPHANS_KEY,
] as const;
const ID_KINDS = ['task', 'batch', 'evidence', 'orphan'] as const;
const REPOSITORY_KINDS = ['file', 'repository', 'verify', 'access'] as const;

/** null: a key that this version does not know. */
export function parseKey(key: string): WorkKey | null {
  const single = SINGLE_KEYS.find((name) => name === key);
  if (single !== undefined) return { kind: single };
  const [kind, rest = ''] = split(key, ':');
  const ofRepository = REPOSITORY_KINDS.find((name) => name === kind);
  if (ofRepository !== undefined) return { kind: ofRepository, repositoryId: rest };
  const ofId = ID_KINDS.find((name) => name === kind);
  if (ofId !== undefined) return { kind: ofId, id: rest };
  const [repositoryId, number = ''] = split(rest, '#');
  if ((kind === 'issue' || kind === 'comments') && /^\d+$/.test(number)) {
    return { kind, ref: { repositoryId, number: Number(number) } };
  }
  return null;
}

function split(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
