/** A batch by its tasks: only what it goes by of each. */
import type { BatchMember } from '../../core/plan/batch.ts';
import type { Task } from '../../core/task.ts';
import type { StoreReads } from '../../engine/ports.ts';
import type { Tables } from './database.ts';
import { sortBy } from './sort.ts';

type MemberReads = Pick<StoreReads, 'membersOfBatch' | 'members' | 'needsOfBatch' | 'needsDueOf' | 'outlineOfBatch'>;

export function makeMemberReads({ tasks }: Tables): MemberReads {
  const ofBatch = (batchId: string) => [...tasks.values()].filter((task) => task.batchId === batchId);
  return {
    membersOfBatch: async (batchId) => sortBy(ofBatch(batchId), ({ position, id }) => [position, id]).map(toMember),
    members: async (ids) =>
      [...new Set(ids)].flatMap((id) => {
        const task = tasks.get(id);
        return task === undefined ? [] : [toMember(task)];
      }),
    needsOfBatch: async (batchId) => ofBatch(batchId).map(({ id, key, needs }) => ({ id, key, needs: [...needs] })),
    needsDueOf: async (batchId, limit) =>
      ofBatch(batchId)
        .filter(({ needsDue }) => needsDue)
        .slice(0, limit)
        .map(({ id, key, version }) => ({ id, key, version })),
    outlineOfBatch: async (batchId) => {
      const found = ofBatch(batchId);
      return {
        counts: countAlike(found),
        startable: found.some(({ state, hold }) => state === 'ready' && hold === null),
      };
    },
  };
}

function toMember({ id, key, state, cause, target }: Task): BatchMember {
  return { id, key, state, cause, stopping: target !== null };
}

function countAlike(found: readonly Task[]) {
  const counts = new Map<string, Pick<Task, 'state' | 'cause'> & { count: number }>();
  for (const { state, cause } of found) {
    const key = `${state} ${cause}`;
    counts.set(key, { state, cause, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}
