/** Messages owed to GitHub: one at a time per issue, in the order they were made. */
import type { Clock, Outbox, OutboxItem, OutboxLease, OutboxResult } from '../../../engine/ports.ts';
import { appendEvents } from '../commit/journal.ts';
import type { ItemRow, Tables } from '../database.ts';
import { earliest, isHeldBy, leaseEnd, makeFences } from '../lease.ts';
import { nextOfEachIssue, owedOfFreeIssues } from './claim.ts';
import { makeMerging } from './merge.ts';
import { makePace } from './pace.ts';
import { viewItem } from './view.ts';

export function makeOutbox(tables: Tables, now: Clock): Outbox {
  const { items, itemKeys } = tables;
  const nextFence = makeFences();

  async function claim(...[, limit, leaseMs, paused = []]: Parameters<Outbox['claim']>) {
    const time = now();
    return nextOfEachIssue(tables, time, paused)
      .slice(0, limit)
      .map((row) => {
        const fence = nextFence();
        tables.put(items, row.item.key, { ...row, leaseUntil: leaseEnd(time, leaseMs), fence, askedAgain: null });
        return { item: structuredClone(row.item), fence, takenOver: row.leaseUntil !== null };
      });
  }

  async function holds({ item, fence }: OutboxLease): Promise<boolean> {
    const row = items.get(item.key);
    return isHeldBy(row, fence) && row.leaseUntil > now();
  }

  async function release({ item: { key }, fence }: OutboxLease, result: OutboxResult): Promise<boolean> {
    const row = items.get(key);
    if (row === undefined || !isHeldBy(row, fence)) return false;
    const item = afterTry(row, result, now());
    tables.put(items, key, { ...row, item, leaseUntil: null, askedAgain: null });
    if (item.state !== 'owed') followTeller(item);
    appendEvents(tables, result.journal ?? []);
    return true;
  }

  function followTeller({ id, state, sentAt }: OutboxItem): void {
    const told = [...items.values()].filter(({ mergedInto }) => mergedInto === id);
    for (const row of told) tables.put(items, row.item.key, { ...row, item: { ...row.item, state, sentAt } });
  }

  async function nextDue(): Promise<Date | null> {
    const owed = [...items.values()].filter(({ item, mergedInto }) => item.state === 'owed' && mergedInto === null);
    const due = owedOfFreeIssues(items.values(), now()).filter(({ leaseUntil }) => leaseUntil === null);
    return earliest([...due.map(({ item }) => item.dueAt), ...owed.map(({ leaseUntil }) => leaseUntil)]);
  }

  async function view(id: string) {
    const row = items.get(itemKeys.get(id) ?? '');
    return row === undefined ? null : viewItem(tables, row.item);
  }

  return { ...makePace(tables, now), ...makeMerging(tables), claim, holds, release, view, nextDue };
}

/** A failure that may have left a comment behind is remembered until the message is sent. */
function afterTry({ item, askedAgain }: ItemRow, result: OutboxResult, now: Date): OutboxItem {
  const { state, dueAt = now, error, journal: _, ...set } = result;
  const forgotten = state === 'sent' ? { failures: 0, lastError: null } : {};
  const tried = error === undefined ? forgotten : { failures: item.failures + 1, lastError: error };
  if (askedAgain === null) return { ...item, ...set, ...tried, state, dueAt };
  // Owed again meanwhile: due as it was asked for, but not before a failure's back-off is over.
  return { ...item, ...set, ...tried, state: 'owed', dueAt: error === undefined ? askedAgain : dueAt };
}
