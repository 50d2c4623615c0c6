/** What is read to keep things up: deliveries that did not arrive, how far listings came, and what may be forgotten. */
import { isEnded } from '../../core/task.ts';
import type { MissedDelivery, StoreReads } from '../../engine/ports.ts';
import { copyOrNull, type Tables } from './database.ts';
import { sortBy } from './sort.ts';

type UpkeepReads = Pick<
  StoreReads,
  'missedDelivery' | 'missedDeliveries' | 'countMissed' | 'hasDelivery' | 'cursor' | 'forgettableRuns' | 'failingKeys'
>;

export function makeUpkeepReads({ missed, deliveries, cursors, runs, tasks, keys }: Tables): UpkeepReads {
  return {
    missedDelivery: async (guid) => copyOrNull(missed.get(guid)),
    missedDeliveries: async (state, limit) => {
      const found = [...missed.values()].filter((one) => one.state === state);
      return structuredClone(sortBy(found, ({ deliveredAt, guid }) => [deliveredAt, guid]).slice(0, limit));
    },
    countMissed: async () => {
      const counts: Record<MissedDelivery['state'], number> = { missed: 0, recovered: 0, given_up: 0 };
      for (const { state } of missed.values()) counts[state] += 1;
      return counts;
    },
    hasDelivery: async (id) => deliveries.has(id),
    cursor: async (name) => cursors.get(name) ?? null,
    forgettableRuns: async (ids, endedBefore) =>
      ids.filter((id) => {
        const run = runs.get(id);
        const task = run && tasks.get(run.taskId);
        const end = run?.endedAt ?? run?.goneAt ?? null;
        return end !== null && end < endedBefore && task !== undefined && isEnded(task.state);
      }),
    failingKeys: async (limit) => {
      const failing = [...keys.values()].flatMap(({ key, failures, lastError, failingSince, dueAt }) =>
        failingSince === null ? [] : [{ key, failures, error: lastError ?? '', since: failingSince, dueAt }],
      );
      return structuredClone(sortBy(failing, ({ since }) => [since]).slice(0, limit));
    },
  };
}
