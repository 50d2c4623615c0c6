/** Journal entries about one task, issue or batch, written in the transaction of the change that they tell. */
import type { Batch } from '../core/batch.ts';
import type { IssueRef } from '../core/issue.ts';
import type { Run } from '../core/run.ts';
import type { Task } from '../core/task.ts';
import type { JournalEvent, Write } from './ports.ts';

export function taskEvent(
  type: string,
  at: Date,
  task: Task,
  detail: { run?: Run | null; data?: JournalEvent['data'] } = {},
): Write {
  return {
    write: 'event.append',
    event: {
      type,
      at,
      repositoryId: task.repositoryId,
      issueNumber: task.issueNumber,
      batchId: task.batchId,
      taskId: task.id,
      runId: detail.run?.id ?? null,
      data: { key: task.key, ...detail.data },
    },
  };
}

export function issueEvent(
  type: string,
  at: Date,
  { repositoryId, number }: IssueRef,
  data: JournalEvent['data'],
): Write {
  const place = { repositoryId, issueNumber: number, batchId: null, taskId: null, runId: null };
  return { write: 'event.append', event: { type, at, ...place, data } };
}

export function repositoryEvent(type: string, at: Date, repositoryId: string, data: JournalEvent['data']): Write {
  const place = { repositoryId, issueNumber: null, batchId: null, taskId: null, runId: null };
  return { write: 'event.append', event: { type, at, ...place, data } };
}

export function batchEvent(type: string, at: Date, batch: Batch, data: JournalEvent['data']): Write {
  const { id, repositoryId, name } = batch;
  const place = { repositoryId, issueNumber: null, batchId: id, taskId: null, runId: null };
  return { write: 'event.append', event: { type, at, ...place, data: { name, ...data } } };
}
