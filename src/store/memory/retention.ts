/** Takes away what is kept no longer, the oldest first. */
import { replyEffect } from '../../core/comment.ts';
import { isEnded } from '../../core/task.ts';
import type { JournalEvent, Retention } from '../../engine/ports.ts';
import { issueId, type Table, type Tables } from './database.ts';
import { sortBy } from './sort.ts';

export function makeRetention(tables: Tables): Retention {
  const { deliveries, missed, comments, journal } = tables;
  return {
    deliveries: async (before, limit) => {
      const settled = rowsOf(deliveries).filter(
        ([, { outcome, receivedAt }]) => outcome !== null && receivedAt < before,
      );
      return remove(deliveries, sortBy(settled, ([, { receivedAt }]) => [receivedAt]).slice(0, limit));
    },
    missed: async (before, limit) => {
      const old = rowsOf(missed).filter(([, { deliveredAt }]) => deliveredAt < before);
      return remove(missed, sortBy(old, ([, { deliveredAt }]) => [deliveredAt]).slice(0, limit));
    },
    events: async (before, limit) => {
      const isNeeded = neededEvents(tables);
      const old = journal.events.filter((event) => event.at < before && !isNeeded(event));
      const oldest = new Set(sortBy(old, ({ at }) => [at]).slice(0, limit));
      journal.events = journal.events.filter((event) => !oldest.has(event));
      return oldest.size;
    },
    comments: async (before, limit) => {
      const isOver = overComments(tables);
      const old = rowsOf(comments).filter(([id, { createdAt, state }]) => {
        return createdAt < before && state !== 'due' && isOver(id);
      });
      return remove(comments, sortBy(old, ([, { createdAt }]) => [createdAt]).slice(0, limit));
    },
  };
}

function rowsOf<Row>(table: Table<Row>): [string, Row][] {
  return [...table];
}

function remove<Row>(table: Table<Row>, rows: readonly [string, Row][]): number {
  for (const [key] of rows) table.delete(key);
  return rows.length;
}

/** Those of what is not over: unfinished tasks, their issues, and running batches. */
function neededEvents({ tasks, batches }: Tables): (event: JournalEvent) => boolean {
  const unfinished = [...tasks.values()].filter(({ state }) => !isEnded(state));
  const issues = new Set(
    unfinished.flatMap(({ repositoryId, issueNumber }) =>
      issueNumber === null ? [] : [issueId({ repositoryId, number: issueNumber })],
    ),
  );
  const ids = new Set(unfinished.map(({ id }) => id));
  return ({ taskId, batchId, repositoryId, issueNumber }) =>
    (taskId !== null && ids.has(taskId)) ||
    (batchId !== null && batches.get(batchId)?.state === 'running') ||
    (repositoryId !== null && issueNumber !== null && issues.has(issueId({ repositoryId, number: issueNumber })));
}

/** Those whose reply is not owed any more and tells of no unfinished task: it is made from the comment. */
function overComments({ items, lines, tasks }: Tables): (id: string) => boolean {
  const telling = new Set(
    [...lines.values()].flatMap(({ itemKey, line }) => {
      const task = tasks.get(line.taskId);
      return task === undefined || isEnded(task.state) ? [] : [itemKey];
    }),
  );
  return (id) => {
    const reply = items.get(replyEffect(id))?.item;
    return reply?.state !== 'owed' && reply?.state !== 'locked' && !telling.has(replyEffect(id));
  };
}
