/** What the journal says of a message: written together with what came of it. */
import type { JournalEvent, OutboxItem } from '../ports.ts';

export function messageEvent(
  type: 'COMMENT_SENT' | 'COMMENT_REFUSED',
  at: Date,
  { key, repositoryId, number }: OutboxItem,
  data: JournalEvent['data'],
): JournalEvent {
  const place = { repositoryId, issueNumber: number, batchId: null, taskId: null, runId: null };
  return { type, at, ...place, data: { key, ...data } };
}
