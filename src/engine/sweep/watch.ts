/**
 * Sees to it that every followed repository has its turns: one that is followed from now on gets its first, and one whose key was lost
 * gets it back.
 */
import { findConfigured } from '../find-repository.ts';
import { repositoryKey, verifyKey } from '../keys.ts';
import { followedRepositories } from './followed.ts';
import type { Sweeper } from './sweeper.ts';

/** Whose data is older than so many intervals without a reason has no key. */
const STALE_INTERVALS = 15;
const VERIFY_STALE_MS = 3 * 3_600_000;

export type Watch = () => Promise<void>;

/** Where no webhook tells of what people say, it is followed from the start. Asks GitHub as long as it is not known. */
async function configured({ deps }: Sweeper): Promise<readonly string[]> {
  if (deps.configuredRepository === undefined) return [];
  await findConfigured(deps);
  const repository = await deps.store.repositoryByName(deps.configuredRepository);
  return repository === null ? [] : [repository.id];
}

export function makeWatch(sweeper: Sweeper): Watch {
  const { deps, intervalMs, chance } = sweeper;
  let before: ReadonlySet<string> = new Set();
  return async function watch() {
    const now = deps.clock().getTime();
    const followed = new Set([...(await followedRepositories(deps)), ...(await configured(sweeper))]);
    const keys: { key: string; dueAt: Date }[] = [];
    for (const { id, access, sweptAt, verifiedAt, sweepProblem } of await deps.store.repositoryStates()) {
      if (!followed.has(id) || access === 'gone' || access === 'suspended') continue;
      const lastAt = Math.max(sweptAt?.getTime() ?? 0, sweepProblem?.nextTryAt.getTime() ?? 0);
      const isLost = now - lastAt > STALE_INTERVALS * intervalMs;
      // Noted before the clock was set back, and so is the next turn: it would wait out the whole jump.
      const isAhead = (at: Date | null) => sweepProblem === null && at !== null && at.getTime() > now + intervalMs;
      // Spread over the interval, so that many don't come at once for ever after.
      const at = (widthMs: number) => new Date(now + chance() * widthMs);
      if (!before.has(id) || isLost || isAhead(sweptAt))
        keys.push({ key: repositoryKey(id), dueAt: at(sweptAt === null ? 0 : intervalMs) });
      const verified = Math.max(verifiedAt?.getTime() ?? 0, sweepProblem?.nextTryAt.getTime() ?? 0);
      if (now - verified > VERIFY_STALE_MS || isAhead(verifiedAt))
        keys.push({ key: verifyKey(id), dueAt: at(intervalMs) });
    }
    before = followed;
    if (keys.length > 0) await deps.store.queue.enqueue(keys);
  };
}
