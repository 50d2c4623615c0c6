/** Work that comes again by itself: each look says when its next one is, and that is a row before this one counts as done. */

import { followAccess } from './access/index.ts';
import type { Deps } from './deps.ts';
import {
  accessKey,
  DISCOVER_KEY,
  MISSED_KEY,
  RETENTION_KEY,
  repositoryKey,
  verifyKey,
  WATCH_KEY,
  type WorkKey,
} from './keys.ts';
import { findMissed } from './missed/index.ts';
import { prune } from './retention/index.ts';
import { discover, makeWatch, type OnSwept, type Sweeper, sweepRepository, verifyRepository } from './sweep/index.ts';

const HOUR_MS = 3_600_000;
/** What GitHub still tries when the app starts is none of what is missed. */
const FIRST_MISSED_MS = 60_000;
const FIRST_RETENTION_MS = 600_000;
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
    if (work.kind === 'missed') return { key: MISSED_KEY, nextAt: await findMissed(deps) };
    if (work.kind === 'retention') return { key: RETENTION_KEY, nextAt: await prune(deps) };
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
      const kept = [{ key: RETENTION_KEY, dueAt: inMs(FIRST_RETENTION_MS) }];
      if (sweeper === null || sweeper.intervalMs === 0) return kept;
      return [
        ...kept,
        { key: MISSED_KEY, dueAt: inMs(FIRST_MISSED_MS) },
        { key: WATCH_KEY, dueAt: now },
        { key: DISCOVER_KEY, dueAt: inMs(HOUR_MS) },
      ];
    },
  };
}
