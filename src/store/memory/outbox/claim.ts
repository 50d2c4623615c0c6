/** Which message goes next: the first due one of each issue of which nobody holds any. */
import { writeScope } from '../../../core/pace.ts';
import { type ItemRow, issueId, type Tables } from '../database.ts';
import { isClaimable } from '../lease.ts';
import { sortBy } from '../sort.ts';

export function nextOfEachIssue({ items, repositories }: Tables, now: Date, paused: readonly string[]): ItemRow[] {
  const owed = owedOfFreeIssues(items.values(), now);
  const goFirst = byIssue(owed.filter(mayHoldBack));
  const due = owed
    .filter((row) => isClaimable(row, row.item.dueAt, now))
    .filter(({ item }) => !paused.includes(writeScope(repositories.get(item.repositoryId)!)))
    .filter((row) => !goFirst.get(issueId(row.item))?.some((other) => holdsBack(other, row)));
  const urgency = ({ item }: ItemRow) => (item.kind === 'status' ? 1 : 0);
  return firstOfEachIssue(sortBy(due, (row) => [urgency(row), row.item.createdAt, row.item.id]));
}

/** While one message of an issue is in somebody's hands, no other of that issue may be sent. */
export function owedOfFreeIssues(rows: Iterable<ItemRow>, now: Date): ItemRow[] {
  const all = [...rows];
  const held = new Set(
    all.flatMap(({ leaseUntil, item }) => (leaseUntil !== null && leaseUntil > now ? [issueId(item)] : [])),
  );
  return all.filter(({ item, mergedInto }) => item.state === 'owed' && mergedInto === null && !held.has(issueId(item)));
}

const IN_ORDER = ['outcome', 'reply', 'notice'];

function mayHoldBack({ item }: ItemRow): boolean {
  return IN_ORDER.includes(item.kind) && (item.failures > 0 || item.kind !== 'notice');
}

/** Whether `other` of the same issue has to be sent before `row`, even if it is not due. */
function holdsBack({ item: other }: ItemRow, { item }: ItemRow): boolean {
  if (!isBefore(other, item)) return false;
  if (item.kind === 'close') return other.kind !== 'notice';
  return other.failures > 0 && IN_ORDER.includes(item.kind);
}

function isBefore(one: ItemRow['item'], other: ItemRow['item']): boolean {
  const ms = one.createdAt.getTime() - other.createdAt.getTime();
  return ms < 0 || (ms === 0 && one.id < other.id);
}

function firstOfEachIssue(rows: readonly ItemRow[]): ItemRow[] {
  return [...byIssue(rows).values()].map(([first]) => first!);
}

/** In the order of the rows. */
function byIssue(rows: readonly ItemRow[]): Map<string, ItemRow[]> {
  const groups = new Map<string, ItemRow[]>();
  for (const row of rows) {
    const group = groups.get(issueId(row.item));
    if (group === undefined) groups.set(issueId(row.item), [row]);
    else group.push(row);
  }
  return groups;
}
