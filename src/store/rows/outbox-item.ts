import type { OutboxItem, OutcomeLine } from '../../engine/ports.ts';
import type { OutboxLine, OutboxItem as OutboxRow } from '../generated/sqlite/client.ts';

export function fromOutboxRow(row: OutboxRow): OutboxItem {
  return {
    id: row.id,
    key: row.key,
    repositoryId: row.repositoryId,
    number: row.issueNumber,
    dueAt: row.dueAt,
    remoteId: row.remoteId,
    bodyHash: row.bodyHash,
    failures: row.failures,
    lastError: row.lastError,
    createdAt: row.createdAt,
    sentAt: row.sentAt,
    kind: row.kind as OutboxItem['kind'],
    state: row.state as OutboxItem['state'],
  };
}

export function fromLineRow(row: OutboxLine): OutcomeLine {
  return { taskId: row.taskId, runId: row.runId, effect: row.effect as OutcomeLine['effect'], result: row.result };
}
