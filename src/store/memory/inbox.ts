/** Deliveries, kept before they are answered. */
import type { Inbox } from '../../engine/ports.ts';
import type { Tables } from './database.ts';

export function makeInbox(tables: Tables): Inbox {
  const { deliveries } = tables;
  return {
    insert: async ({ id, event, payload, receivedAt }) => {
      if (deliveries.has(id)) return 'duplicate';
      tables.put(deliveries, id, { id, event, payload, receivedAt, outcome: null });
      return 'stored';
    },
    // A map keeps the order in which its keys came.
    pending: async (limit) => {
      const pending = [...deliveries.values()].filter(({ outcome }) => outcome === null);
      return pending.slice(0, limit).map(({ outcome: _, ...delivery }) => structuredClone(delivery));
    },
  };
}
