/** Whether somebody may say a verb here, and whether it may still be carried out: pure. */
import type { Said } from '../../core/commands/said.ts';
import { atLeast, type Permission, type Permitted, type Policy } from '../../core/policy.ts';

/**
 * - `role`: by what they hold in the repository.
 * - `author`: as the issue's author, for tasks that are linked to it.
 */
export type Right = { by: 'role' | 'author' } | { by: null; words: string };

const STOPPING: ReadonlySet<Permitted> = new Set<Permitted>(['cancel', 'hold', 'block']);
const READING: ReadonlySet<Permitted> = new Set<Permitted>(['status', 'logs', 'help']);

/** What is permitted or not: help, where what was said is no verb or not complete. */
export function permittedOf({ verb }: Said): Permitted {
  return verb === 'unknown' || verb === 'wrong' ? 'help' : verb;
}

/** Whether work may start by it; what found its comment late is then not done. */
export function startsWork(said: Said): boolean {
  const verb = permittedOf(said);
  return !STOPPING.has(verb) && !READING.has(verb);
}

export interface Speaker {
  login: string | null;
  permission: Permission;
  /** They wrote the issue. */
  isAuthor: boolean;
}

export function rightTo(said: Said, { login, permission, isAuthor }: Speaker, policy: Policy): Right {
  const verb = permittedOf(said);
  const needed = policy.permissions[verb];
  if (atLeast(permission, needed)) return { by: 'role' };
  // A batch has tasks of other issues.
  const ofIssue = said.of === 'task' || verb === 'help';
  if (isAuthor && ofIssue && policy.author.includes(verb)) return { by: 'author' };
  const held = permission === 'none' ? 'has no role here' : `holds ${permission}`;
  return { by: null, words: `${verb} needs ${needed} permission, and ${login ?? 'who wrote this'} ${held}` };
}

/** Nothing that they could say here would be carried out: they are not answered in words. */
export function mayNothing({ permission, isAuthor }: Speaker, { permissions, author }: Policy): boolean {
  if (permission !== 'none') return false;
  return !(isAuthor && author.length > 0) && !Object.values(permissions).includes('none');
}
