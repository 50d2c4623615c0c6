/**
 * Carries out a list of guarded writes, all or none. Rows are changed in the order of the list; what only adds (messages,
 * keys, events) follows at the end.
 */
import type { OnEnqueued, Store, Write } from '../../../engine/ports.ts';
import { tellEnqueued } from '../../tell-enqueued.ts';
import type { Tables } from '../database.ts';
import { applyChange, isChange } from './change.ts';
import { enqueueKey } from './enqueue.ts';
import { GuardFailed } from './guard.ts';
import { appendEvents } from './journal.ts';
import { oweItem, putLine, unlockItems } from './messages.ts';

export function makeCommit(tables: Tables, onEnqueued: OnEnqueued): Store['commit'] {
  return async (writes) => {
    try {
      tables.transaction(() => carryOut(tables, writes));
    } catch (error) {
      if (error instanceof GuardFailed) return false;
      throw error;
    }
    tellEnqueued(writes, onEnqueued);
    return true;
  };
}

function carryOut(tables: Tables, writes: readonly Write[]): void {
  for (const change of writes.filter(isChange)) applyChange(tables, change);
  for (const { item } of ofKind(writes, 'outbox.owe')) oweItem(tables, item);
  for (const line of ofKind(writes, 'outbox.line')) putLine(tables, line);
  for (const unlock of ofKind(writes, 'outbox.unlock')) unlockItems(tables, unlock);
  for (const { key, dueAt } of ofKind(writes, 'work.enqueue')) enqueueKey(tables, key, dueAt);
  // Last: the journal is not taken back.
  appendEvents(
    tables,
    ofKind(writes, 'event.append').map(({ event }) => event),
  );
}

function ofKind<Name extends Write['write']>(writes: readonly Write[], name: Name): Extract<Write, { write: Name }>[] {
  return writes.filter((write): write is Extract<Write, { write: Name }> => write.write === name);
}
