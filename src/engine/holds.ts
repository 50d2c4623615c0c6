/** Holds of a repository, a runner or everything: nothing in their scope starts while they are there. What runs goes on. */
import type { HoldScope, ScopedHold } from '../core/hold.ts';
import type { Deps } from './deps.ts';
import { SCHEDULE_KEY } from './keys.ts';
import type { Write } from './ports.ts';

/** Holding again replaces the reason. */
export async function setHold(
  { store, clock }: Deps,
  scope: HoldScope,
  { reason, actor }: { reason: string | null; actor: string },
): Promise<ScopedHold> {
  const hold = { scope, reason, actor, at: clock() };
  await store.commit([{ write: 'hold.put', hold }, holdEvent('HOLD_SET', scope, hold.at, { reason, actor })]);
  return hold;
}

/** False: there was none. */
export async function releaseHold(
  { store, clock }: Deps,
  scope: HoldScope,
  { actor }: { actor: string },
): Promise<boolean> {
  const now = clock();
  return store.commit([
    { write: 'hold.delete', scope },
    holdEvent('HOLD_RELEASED', scope, now, { actor }),
    { write: 'work.enqueue', key: SCHEDULE_KEY, dueAt: now },
  ]);
}

function holdEvent(type: string, scope: HoldScope, at: Date, data: Record<string, unknown>): Write {
  const repositoryId = scope.kind === 'repository' ? scope.repositoryId : null;
  const place = { repositoryId, issueNumber: null, batchId: null, taskId: null, runId: null };
  const runner = scope.kind === 'runner' ? { runner: scope.runner } : {};
  return { write: 'event.append', event: { type, at, ...place, data: { scope: scope.kind, ...runner, ...data } } };
}
