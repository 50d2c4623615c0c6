/** Whether an issue is done with: `close_issue_on_done`. */
import type { CloseEpisode } from '../issue.ts';
import type { Policy } from '../policy.ts';
import type { Task } from '../task.ts';
import { satisfies } from './batch.ts';

/**
 * All its tasks are done (or skipped by a person's word), at least one by its run; and, where it was reopened, something has ended
 * since: what was done before is no reason to close it again.
 */
export function isDoneWith(tasks: readonly Task[], newest: Pick<CloseEpisode, 'reopen'> | null): boolean {
  if (!tasks.every(satisfies) || !tasks.some(({ cause }) => cause === 'run_succeeded')) return false;
  const reopenedAt = newest?.reopen?.at ?? null;
  return reopenedAt === null || tasks.some(({ finishedAt }) => finishedAt !== null && finishedAt > reopenedAt);
}

/** A close of our own tells that all is done: it ends nothing, and nothing has to wait for a reopen to void it. */
export function forOwnClose(policy: Policy): Policy {
  const onClose = { completed: 'ignore', not_planned: 'ignore', duplicate: 'ignore', unknown: 'ignore' } as const;
  return { ...policy, onClose, closeDelaySeconds: 0 };
}
