/** Messages that are told by another one of the same issue. */
import type { Outbox } from '../../../engine/ports.ts';
import { type ItemRow, issueId, type Tables } from '../database.ts';
import { isHeldBy } from '../lease.ts';
import { sortBy } from '../sort.ts';
import { viewItem } from './view.ts';

export function makeMerging(tables: Tables): Pick<Outbox, 'mergeable' | 'merge' | 'mergedInto'> {
  const { items } = tables;
  const inOrder = (matches: (row: ItemRow) => boolean) =>
    sortBy([...items.values()].filter(matches), ({ item }) => [item.createdAt, item.id]);
  const toldBy = (id: string) => inOrder(({ mergedInto }) => mergedInto === id);

  return {
    mergeable: async (teller, limit) =>
      inOrder((row) => isUntried(row) && row.item.id !== teller.id && issueId(row.item) === issueId(teller))
        .slice(0, limit)
        .map(({ item }) => viewItem(tables, item)),
    merge: async ({ item: teller, fence }, ids) => {
      if (!isHeldBy(items.get(teller.key), fence)) return;
      const rows = inOrder((row) => isUntried(row) && ids.includes(row.item.id) && row.item.id !== teller.id);
      // What was told together once stays together.
      const alone = rows.filter(({ item }) => toldBy(item.id).length === 0);
      for (const row of alone) tables.put(items, row.item.key, { ...row, mergedInto: teller.id });
    },
    mergedInto: async (id) => toldBy(id).map(({ item }) => viewItem(tables, item)),
  };
}

function isUntried({ item, leaseUntil, mergedInto }: ItemRow): boolean {
  const { kind, state, remoteId, sentAt, failures } = item;
  const untouched = leaseUntil === null && remoteId === null && sentAt === null && failures === 0;
  return kind === 'outcome' && state === 'owed' && untouched && mergedInto === null;
}
