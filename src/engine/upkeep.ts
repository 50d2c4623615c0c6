/** Work that comes again by itself: each look says when its next one is, and that is a row before this one counts as done. */

import { followAccess } from './access/index.ts';
import type { Deps } from './deps.ts';
import { accessKey, DISCOVER_KEY, repositoryKey, verifyKey, WATCH_KEY, type WorkKey } from './keys.ts';
import { discover, makeWatch, type OnSwept, type Sweeper, sweepRepository, verifyRepository } from './sweep/index.ts';

const HOUR_MS = 3_600_000;
/** How often the store is looked through for repositories that are followed from now on, at most. */
const LONGEST_WATCH_MS = 30_000;

export interface Upkeep {
  /** False: it is none of this. */
  handle(work: WorkKey): Promise<boolean>;
  /** What has to be in the queue from the start. */
  firstKeys(now: Date): readonly { key: string; dueAt: Date }[];
}

export function makeUpkeep(deps: Deps, sweeper: Sweeper | null, onSwept: OnSwept): Upkeep {
  const watch = sweeper === null ? null : makeWatch(sweeper);
  const watchMs = sweeper === null ? 0 : Math.min(sweeper.intervalMs, LONGEST_WATCH_MS);
  const inMs = (ms: number) => new Date(deps.clock().getTime() + ms);

  async function nextOf(work: WorkKey): Promise<{ key: string; nextAt: Date | null } | null> {
    if (sweeper === null) return null;
    switch (work.kind) {
      case 'repository': {
        const swept = await sweepRepository(sweeper, work.repositoryId);
        onSwept(work.repositoryId, swept);
        return { key: repositoryKey(work.repositoryId), nextAt: swept.nextAt };
      }
      case 'verify': {
        const swept = await verifyRepository(sweeper, work.repositoryId);
        onSwept(work.repositoryId, swept);
        return { key: verifyKey(work.repositoryId), nextAt: sweeper.intervalMs > 0 ? swept.nextAt : null };
      }
      case 'watch':
        await watch?.();
        return { key: WATCH_KEY, nextAt: watchMs > 0 ? inMs(watchMs) : null };
      case 'access':
        await followAccess(deps, work.repositoryId);
        return { key: accessKey(work.repositoryId), nextAt: null };
      case 'discover':
        await discover(sweeper);
        return { key: DISCOVER_KEY, nextAt: inMs(HOUR_MS) };
      default:
        return null;
    }
  }

  return {
    async handle(work) {
      const next = await nextOf(work);
      if (next === null) return false;
      if (next.nextAt !== null) await deps.store.queue.enqueue([{ key: next.key, dueAt: next.nextAt }]);
      return true;
    },
    firstKeys(now) {
      if (sweeper === null || sweeper.intervalMs === 0) return [];
      return [
        { key: WATCH_KEY, dueAt: now },
        { key: DISCOVER_KEY, dueAt: inMs(HOUR_MS) },
      ];
    },
  };
}
