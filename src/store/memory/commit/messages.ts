/** Owing messages to GitHub: one row per cause, and one line per task that the cause concerned. */
import type { Write } from '../../../engine/ports.ts';
import { type ItemRow, issueId, type Tables } from '../database.ts';
import { earlier, NEVER_HELD } from '../lease.ts';
import { insist } from './guard.ts';

type Owed = Extract<Write, { write: 'outbox.owe' }>['item'];
type Line = Extract<Write, { write: 'outbox.line' }>;
type Unlock = Extract<Write, { write: 'outbox.unlock' }>;

const UNTRIED = { remoteId: null, bodyHash: null, failures: 0, lastError: null, sentAt: null };

export function oweItem(tables: Tables, owed: Owed): void {
  const { items, itemKeys, repositories } = tables;
  const { id, key, kind, repositoryId, number, dueAt, createdAt } = owed;
  const known = items.get(key);
  if (known === undefined) {
    insist(repositories.has(repositoryId), `no repository ${repositoryId}`);
    insist(!itemKeys.has(id), `message ${id} is there already`);
    const item = { id, key, kind, repositoryId, number, state: 'owed' as const, dueAt, createdAt, ...UNTRIED };
    tables.put(items, key, { item, mergedInto: null, ...NEVER_HELD });
    tables.put(itemKeys, id, key);
  } else {
    oweAgain(tables, known, dueAt);
    // What is told by another one is owed by owing that one.
    const teller = items.get(itemKeys.get(known.mergedInto ?? '') ?? '');
    if (teller !== undefined) oweAgain(tables, teller, dueAt);
  }
}

function oweAgain({ items, put }: Tables, row: ItemRow, dueAt: Date): void {
  const { item, leaseUntil, askedAgain } = row;
  if (leaseUntil !== null) {
    put(items, item.key, { ...row, askedAgain: earlier(askedAgain, dueAt) });
  } else {
    const due = item.state === 'owed' ? earlier(item.dueAt, dueAt) : dueAt;
    put(items, item.key, { ...row, item: { ...item, state: 'owed', dueAt: due } });
  }
}

export function putLine(tables: Tables, { key, line }: Line): void {
  const { items, tasks, runs, lines } = tables;
  insist(items.has(key), `no message ${key}`);
  insist(tasks.has(line.taskId), `no task ${line.taskId}`);
  insist(line.runId === null || runs.has(line.runId), `no run ${line.runId}`);
  tables.put(lines, `${key} ${line.taskId}`, { itemKey: key, line });
}

/** One that is held may be about to come back as locked: it is owed again afterwards. */
export function unlockItems(tables: Tables, { ref, dueAt }: Unlock): void {
  const ofIssue = [...tables.items.values()].filter(({ item }) => issueId(item) === issueId(ref));
  const waiting = ofIssue.filter(({ item, leaseUntil }) => leaseUntil !== null || item.state === 'locked');
  for (const row of waiting) oweAgain(tables, row, dueAt);
}
