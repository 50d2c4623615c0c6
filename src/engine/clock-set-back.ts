/** After the clock was set back: what waits by the clock before would wait out the whole jump. */
import type { Deps } from './deps.ts';
import { SCHEDULE_KEY } from './keys.ts';
import { setTask } from './transition/parts.ts';

const AT_ONCE = 100;
/** Later than anything is put off. */
const LATER_MS = 10 * 365 * 86_400_000;

/** Only where one clock put all of it off. */
export async function bringForward(deps: Deps, byMs: number): Promise<void> {
  await deps.store.queue.bringForward(byMs);
  await bringStartsForward(deps, byMs);
}

/**
 * Starts that are put off come by as much sooner, but none that waits for a time that somebody
 * outside told; one that moved meanwhile was put off by the clock as it is now.
 */
async function bringStartsForward({ store, clock }: Deps, byMs: number): Promise<void> {
  const now = clock();
  const later = new Date(now.getTime() + LATER_MS);
  for (let limit = AT_ONCE; ; limit *= 10) {
    const found = await store.startable(later, limit, { batchIds: [], repositoryIds: [] });
    if (found.length === limit) continue;
    for (const task of found) {
      if (task.notBefore === null || task.notBefore <= now || task.notBeforeTold) continue;
      const notBefore = new Date(Math.max(now.getTime(), task.notBefore.getTime() - byMs));
      await store.commit(setTask({ task, run: null }, { notBefore }, now).writes);
    }
    break;
  }
  await store.queue.enqueue([{ key: SCHEDULE_KEY, dueAt: now }]);
}
