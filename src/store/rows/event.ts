import type { JournalEvent } from '../../engine/ports.ts';
import type { Event } from '../generated/sqlite/client.ts';
import { fromJson, toJson } from './columns.ts';

export function toEventRow(event: JournalEvent): Omit<Event, 'seq'> {
  return {
    type: event.type,
    at: event.at,
    repositoryId: event.repositoryId,
    issueNumber: event.issueNumber,
    batchId: event.batchId,
    taskId: event.taskId,
    runId: event.runId,
    data: toJson(event.data),
  };
}

export function fromEventRow(row: Event): JournalEvent & { id: string } {
  const { seq, data, ...rest } = row;
  return { id: String(seq), ...rest, data: fromJson<Record<string, unknown>>(data) };
}
