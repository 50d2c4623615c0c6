/** What has no place for one more run now: its ready tasks, which may be thousands, then need not be read at all. */
import type { Batch } from '../core/batch.ts';
import type { ScopedHold } from '../core/hold.ts';
import { placesOf } from '../core/schedule.ts';
import type { Deps } from './deps.ts';
import type { LiveRun } from './ports.ts';

export interface Now {
  running: readonly LiveRun[];
  holds: readonly ScopedHold[];
}

/** Whether nothing at all can start, wherever it would run. */
export function isShut({ limits }: Deps, { running, holds }: Now): boolean {
  return running.length >= limits.maxRunning || holds.some(({ scope }) => scope.kind === 'all');
}

/** Whether none of this app's own runners has a place. */
export function areRunnersFull({ runners }: Deps, { running, holds }: Now): boolean {
  const used = countBy(running, ({ runner }) => runner);
  return runners.names().every((name) => {
    const isHeld = holds.some(({ scope }) => scope.kind === 'runner' && scope.runner === name);
    return isHeld || (used.get(name) ?? 0) >= (runners.get(name)?.profile.maxRunning ?? Number.POSITIVE_INFINITY);
  });
}

export function fullRepositories({ limits }: Deps, { running, holds }: Now): readonly string[] {
  const held = holds.flatMap(({ scope }) => (scope.kind === 'repository' ? [scope.repositoryId] : []));
  const used = countBy(running, ({ repositoryId }) => repositoryId);
  const full = [...used].filter(([, count]) => count >= limits.maxRunningPerRepository).map(([id]) => id);
  return [...new Set([...held, ...full])];
}

/** Fills `batches` with those of which something runs. */
export async function fullBatches(
  { store }: Deps,
  { running }: Now,
  batches: Map<string, Batch>,
): Promise<readonly string[]> {
  const full: string[] = [];
  for (const [id, count] of countBy(running, ({ batchId }) => batchId)) {
    const batch = id === null ? null : await store.batch(id);
    if (batch === null) continue;
    batches.set(batch.id, batch);
    if (count >= placesOf(batch)) full.push(batch.id);
  }
  return full;
}

function countBy<K>(running: readonly LiveRun[], keyOf: (run: LiveRun) => K): ReadonlyMap<K, number> {
  const counts = new Map<K, number>();
  for (const run of running) counts.set(keyOf(run), (counts.get(keyOf(run)) ?? 0) + 1);
  return counts;
}
