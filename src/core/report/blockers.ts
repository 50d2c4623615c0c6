/** What a blocking issue's status means for people: in words, and what it needs from them. Pure. */
import { type BlockerStatus, type BlockerView, blocking } from '../blockers/blocker.ts';
import type { Task } from '../task.ts';

/** `close`: that issue has to be closed as completed; `release`: somebody has to say not to wait for it. */
export type BlockerNeed = 'close' | 'release';

export const BLOCKER_NEEDS: Readonly<Record<BlockerStatus, BlockerNeed | null>> = {
  open: 'close',
  judging: null,
  resolved: null,
  not_completed: 'release',
  not_permitted: 'release',
  absent: 'release',
  unreadable: 'release',
  refused: null,
};

const WORDS: Readonly<Record<BlockerStatus, string>> = {
  open: 'open: has to be closed as completed',
  judging: 'the permission of whoever changed it is being read',
  resolved: 'closed as completed',
  not_completed: 'closed, but not as completed: needs a release',
  not_permitted: 'closed or taken away by someone who may not unblock: needs a release',
  absent: 'deleted or transferred: needs a release',
  unreadable: 'can not be read here: needs a release',
  refused: 'does not count',
};

export function blockerWords({ status }: Pick<BlockerView, 'status'>): string {
  return WORDS[status];
}

export interface ShownBlocker extends BlockerView {
  /** null: nothing now, be it that it no longer blocks or that it is being found out. */
  needs: BlockerNeed | null;
}

/** Those that block the task now come first. */
export function showBlockers(task: Pick<Task, 'released'>, blockers: readonly BlockerView[]): readonly ShownBlocker[] {
  const now = blocking(task, blockers);
  const rest = blockers.filter((blocker) => !now.includes(blocker));
  return [
    ...now.map((blocker) => ({ ...blocker, needs: BLOCKER_NEEDS[blocker.status] })),
    ...rest.map((blocker) => ({ ...blocker, needs: null })),
  ];
}
