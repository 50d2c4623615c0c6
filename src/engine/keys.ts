/** The keys of the work queue: what is to be looked at, never why. */
import type { IssueRef } from '../core/issue.ts';

export const SCHEDULE_KEY = 'schedule';
export const SWEEP_KEY = 'sweep';
export const RUNNERS_KEY = 'runners';

export type WorkKey =
  | { kind: 'task'; id: string }
  | { kind: 'batch'; id: string }
  | { kind: 'issue'; ref: IssueRef }
  /** The comments of an issue that are due, in their order. */
  | { kind: 'comments'; ref: IssueRef }
  /** The repository's file. */
  | { kind: 'file'; repositoryId: string }
  | { kind: 'schedule' }
  | { kind: 'sweep' }
  | { kind: 'runners' };

export function taskKey(id: string): string {
  return `task:${id}`;
}

export function batchKey(id: string): string {
  return `batch:${id}`;
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

/** null: a key that this version does not know. */
export function parseKey(key: string): WorkKey | null {
  if (key === SCHEDULE_KEY || key === SWEEP_KEY || key === RUNNERS_KEY) return { kind: key };
  const [kind, rest = ''] = split(key, ':');
  if (kind === 'task' || kind === 'batch') return { kind, id: rest };
  if (kind === 'file') return { kind, repositoryId: rest };
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
