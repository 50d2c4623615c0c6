/** What issues are blocked by, and what is held beyond a task or a batch. */
import type { StoreReads } from '../../engine/ports.ts';
import { formatScope } from '../hold-scope.ts';
import type { Tables } from './database.ts';
import { sortBy } from './sort.ts';
import { refsInOrder } from './tracked-issues.ts';

export function makeBlockerReads({
  blockers,
  holds,
}: Tables): Pick<StoreReads, 'blockersOf' | 'issuesBlockedBy' | 'holds'> {
  return {
    blockersOf: async ({ repositoryId, number }) => {
      const found = [...blockers.values()].filter(
        (edge) => edge.repositoryId === repositoryId && edge.number === number,
      );
      return structuredClone(sortBy(found, ({ label, source }) => [label, source]));
    },
    issuesBlockedBy: async ({ repositoryId, number }) =>
      refsInOrder(
        [...blockers.values()].filter(
          ({ blocker }) => blocker.repositoryId === repositoryId && blocker.number === number,
        ),
      ),
    holds: async () => structuredClone(sortBy(holds.values(), ({ at, scope }) => [at, formatScope(scope)])),
  };
}
