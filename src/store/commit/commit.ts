/**
 * Carries out a list of guarded writes in one transaction; a list of one statement needs none. Rows are changed in the
 * order of the list; what only adds (messages, keys, events) follows at the end, the journal last, because on PostgreSQL
 * it makes others wait. Whatever is about keys comes between the two, so that no two transactions wait for each other.
 */
import type { Task } from '../../core/task.ts';
import type { OnEnqueued, Store, Write } from '../../engine/ports.ts';
import type { Connection, Dialect, Statements } from '../database.ts';
import { retryConflicts } from '../errors.ts';
import { tellEnqueued } from '../tell-enqueued.ts';
import { held, upsertWorkKeys } from '../work-keys.ts';
import { applyChange, type Change, isChange } from './apply-change.ts';
import { expectOne, GuardFailed } from './guard.ts';
import { appendEvents } from './journal.ts';
import { oweItems, putLines, unlockItems } from './messages.ts';
import { insertTasks } from './tasks.ts';

export function makeCommit({ db, dialect }: Connection, onEnqueued: OnEnqueued): Store['commit'] {
  const once = (writes: readonly Write[]) =>
    isOneStatement(writes)
      ? carryOut(db, dialect, writes)
      : db.$transaction((transaction) => carryOut(transaction, dialect, writes));

  return async (writes, { derived } = { derived: false }) => {
    if (writes.length === 0) return true;
    // Whoever has seen an event must never see another one in its place.
    const mayBeLost = derived && writes.every(({ write }) => write !== 'event.append');
    try {
      // A deadlock rolled everything back, and the list says all that is needed to try again.
      await retryConflicts(() => (mayBeLost ? dialect.unhurried(() => once(writes)) : once(writes)));
    } catch (error) {
      if (error instanceof GuardFailed) return false;
      throw error;
    }
    tellEnqueued(writes, onEnqueued);
    return true;
  };
}

/** These read before they write, hold a lock until the transaction ends, or owe what tells another message too. */
const MORE_STATEMENTS: readonly Write['write'][] = ['repository.put', 'batch.update', 'outbox.owe', 'event.append'];

/** A statement is all or nothing by itself; its guard is a condition of it. */
function isOneStatement(writes: readonly Write[]): boolean {
  return writes.length === 1 && !MORE_STATEMENTS.includes(writes[0]!.write);
}

async function carryOut(statements: Statements, dialect: Dialect, writes: readonly Write[]): Promise<void> {
  await applyChanges(statements, writes.filter(isChange));
  const owed = writes.flatMap((write) => (write.write === 'outbox.owe' ? [write.item] : []));
  await oweItems(statements, owed);
  await putLines(
    statements,
    writes.filter((write) => write.write === 'outbox.line'),
  );
  for (const write of writes) if (write.write === 'outbox.unlock') await unlockItems(statements, write);
  for (const write of writes) if (write.write === 'work.held') await expectHeld(statements, write);
  await upsertWorkKeys(
    statements,
    writes.filter((write) => write.write === 'work.enqueue'),
  );
  const events = writes.flatMap((write) => (write.write === 'event.append' ? [write.event] : []));
  if (events.length > 0) await appendEvents(statements, dialect, events);
}

/** On PostgreSQL it locks the row: whoever would take the key meanwhile waits for the end of this transaction. */
function expectHeld(statements: Statements, { lease }: Extract<Write, { write: 'work.held' }>): Promise<void> {
  const where = held(lease);
  return expectOne(statements.workKey.updateMany({ where, data: { fence: where.fence } }));
}

/** In their order; tasks that follow one another go together. */
async function applyChanges(statements: Statements, changes: readonly Change[]): Promise<void> {
  let tasks: Task[] = [];
  for (const change of changes) {
    if (change.write === 'task.insert') {
      tasks.push(change.task);
      continue;
    }
    await insertTasks(statements, tasks);
    tasks = [];
    await applyChange(statements, change);
  }
  await insertTasks(statements, tasks);
}
