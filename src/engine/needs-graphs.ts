/** Who needs whom in a batch. That never changes, so it is read once per batch and kept for those that were looked at last. */
import { makeLru } from '../core/lru.ts';
import type { StoreReads } from './ports.ts';

export interface NeedsGraph {
  /** Ids of the tasks that need the task of this key. */
  dependantsOf(key: string): readonly string[];
  /** Ids of the tasks that the task of this id needs. */
  needsOf(id: string): readonly string[];
}

export type NeedsGraphs = (batchId: string) => Promise<NeedsGraph>;

const KEPT = 20;

export function makeNeedsGraphs({ needsOfBatch }: Pick<StoreReads, 'needsOfBatch'>): NeedsGraphs {
  const kept = makeLru<NeedsGraph>(KEPT);
  return async (batchId) => {
    const known = kept.get(batchId);
    if (known !== undefined) return known;
    const graph = graphOf(await needsOfBatch(batchId));
    kept.set(batchId, graph);
    return graph;
  };
}

function graphOf(tasks: Awaited<ReturnType<StoreReads['needsOfBatch']>>): NeedsGraph {
  const ids = new Map(tasks.map(({ id, key }) => [key, id]));
  const needed = new Map<string, readonly string[]>();
  const dependants = new Map<string, string[]>();
  for (const { id, needs } of tasks) {
    needed.set(
      id,
      needs.flatMap((key) => ids.get(key) ?? []),
    );
    for (const need of needs) {
      const known = dependants.get(need);
      if (known === undefined) dependants.set(need, [id]);
      else known.push(id);
    }
  }
  return { dependantsOf: (key) => dependants.get(key) ?? [], needsOf: (id) => needed.get(id) ?? [] };
}
