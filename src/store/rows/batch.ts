import type { Batch, BatchOrder } from '../../core/batch.ts';
import type { Hold } from '../../core/task.ts';
import type { Batch as BatchRow } from '../generated/sqlite/client.ts';
import { fromJsonOrNull, pickGiven, toJson, toJsonOrNull, withDate } from './columns.ts';

/** Unique, and set only while the batch is running: one live batch per repository and name. */
export function toLiveKey(batch: Pick<Batch, 'repositoryId' | 'name' | 'state'>): string | null {
  return batch.state === 'running' ? `${batch.repositoryId}/${batch.name}` : null;
}

export function toBatchRow(batch: Batch, document: unknown): BatchRow {
  return {
    id: batch.id,
    repositoryId: batch.repositoryId,
    name: batch.name,
    liveKey: toLiveKey(batch),
    strategy: batch.strategy,
    maxParallel: batch.maxParallel,
    onFailure: batch.onFailure,
    state: batch.state,
    stuck: batch.stuck,
    hold: toJsonOrNull(batch.hold),
    order: toJsonOrNull(batch.order),
    issueNumber: batch.issueNumber,
    document: toJson(document ?? null),
    createdAt: batch.createdAt,
    finishedAt: batch.finishedAt,
    version: batch.version,
  };
}

export function toBatchChange(
  set: Partial<Pick<Batch, 'state' | 'stuck' | 'hold' | 'order' | 'finishedAt'>>,
): Partial<BatchRow> {
  return pickGiven(toBatchRow(set as Batch, null), set);
}

export function fromBatchRow(row: BatchRow): Batch {
  const hold = fromJsonOrNull<Hold>(row.hold);
  const order = fromJsonOrNull<BatchOrder>(row.order);
  const { liveKey: _, document: __, ...rest } = row;
  return {
    ...rest,
    strategy: row.strategy as Batch['strategy'],
    onFailure: row.onFailure as Batch['onFailure'],
    state: row.state as Batch['state'],
    hold: hold === null ? null : withDate(hold),
    order: order === null ? null : withDate(order),
  };
}
