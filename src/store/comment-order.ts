/** The order in which comments were made: GitHub counts their ids up, and tells the time in whole seconds. */
import type { CommandComment } from '../core/comment.ts';

type Made = Pick<CommandComment, 'id' | 'createdAt'>;

/** A sorted copy. An id is digits, so a longer one is a later one. */
export function inOrderOfMaking<C extends Made>(comments: readonly C[]): C[] {
  return [...comments].sort(
    (a, b) => a.createdAt.getTime() - b.createdAt.getTime() || a.id.length - b.id.length || (a.id < b.id ? -1 : 1),
  );
}
