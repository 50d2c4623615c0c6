/** What an actor may do, as GitHub tells it now. Nobody's word is waited for without end: in doubt a stop counts, a start doesn't. */
import type { Authority, IssueRef } from '../core/issue.ts';
import { atLeast, type Permission } from '../core/policy.ts';
import { isGivenUp, isHidden } from './access/index.ts';
import type { Deps } from './deps.ts';
import { GitHubError } from './ports.ts';
import { repositoryOf } from './read-issue.ts';

/** So often is a permission asked for before it counts as unreadable: a stop goes on, a start does not happen. */
const AUTHORITY_TRIES = 4;

/** `failures`: how often the look that asks has failed before. */
export async function authorityOf(
  deps: Deps,
  { ref, actor, needed }: { ref: IssueRef; actor: string | null; needed: Permission },
  failures: number,
): Promise<Authority> {
  if (actor === null || deps.github === null) return 'unreadable';
  const { github } = deps;
  const repository = await repositoryOf(deps, ref.repositoryId);
  const held = await orGiveUp(deps, { ...ref, failures }, () => github.readPermission(repository, actor));
  if (held === null) return 'unreadable';
  return atLeast(held, needed) ? 'granted' : 'denied';
}

/**
 * Throws while trying again may help; the queue's back-off brings it back here. What can't be asked since the App is suspended, or was
 * taken away, is asked once it is back: the first to notice it may be this.
 */
export async function orGiveUp<T>(
  { store, log }: Deps,
  { repositoryId, failures }: { repositoryId: string; failures: number },
  read: () => Promise<T>,
): Promise<T | null> {
  const isOver = await isGivenUp(store, repositoryId);
  if (!isOver && (await isHidden(store, repositoryId)))
    throw new GitHubError('lost_access', 'the App can not read there');
  try {
    return await read();
  } catch (error) {
    const final = isOver || (error instanceof GitHubError && error.code === 'refused');
    if (!final && failures + 1 < AUTHORITY_TRIES) throw error;
    log.warn({ err: error }, 'permission unreadable');
    return null;
  }
}
