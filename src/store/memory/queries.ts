/** What the outside reads: pages, newest first, repositories, and the journal. */
import type { Task } from '../../core/task.ts';
import type { Queries, TaskCount } from '../../engine/ports.ts';
import { parseIdCursor, toIdPage } from '../id-cursor.ts';
import { pageOf, parseEventId } from './cursor.ts';
import type { Tables } from './database.ts';
import { sortBy } from './sort.ts';
import { readState, readStates } from './sweep-reads.ts';

export function makeQueries(tables: Tables): Queries {
  const { batches, tasks, runs, repositories, journal, deliveries, items, keys } = tables;
  return {
    batches: async ({ cursor, limit, ...filter }) => pageOf(matching(batches.values(), filter), page(cursor, limit)),
    tasks: async ({ cursor, limit, ...filter }) => pageOf(matching(tasks.values(), filter), page(cursor, limit)),
    runsOfTasks: async (taskIds) => {
      const byNumber = sortBy(runs.values(), ({ number }) => [number]);
      return new Map(taskIds.map((id) => [id, structuredClone(byNumber.filter(({ taskId }) => taskId === id))]));
    },
    countsOfBatches: async (batchIds) =>
      new Map(batchIds.map((id) => [id, countTasks(matching(tasks.values(), { batchId: id }))])),
    repositories: async (ids) => structuredClone(new Map([...repositories].filter(([id]) => ids.includes(id)))),
    statesOfRepositories: async (ids) => {
      const known = ids.flatMap((id) => readState(tables, id) ?? []);
      return new Map(known.map((state) => [state.id, state]));
    },
    repositoryStates: async ({ id: only, cursor, limit }) => {
      const after = cursor === undefined ? '' : parseIdCursor(cursor);
      const rest = readStates(tables).filter(({ id }) => id > after && (only === undefined || id === only));
      return toIdPage(rest, limit, (state) => state);
    },
    events: async (after, limit) => {
      const seen = after === null ? 0 : parseEventId(after, journal.newestId);
      const first = journal.events.findIndex(({ id }) => id > seen);
      const rest = first < 0 ? [] : journal.events.slice(first, first + limit);
      return structuredClone(rest.map(({ id, ...event }) => ({ id: String(id), ...event })));
    },
    newestEventId: async () => (journal.events.length === 0 ? null : String(journal.newestId)),
    backlog: async () => ({
      deliveries: count(deliveries.values(), ({ outcome }) => outcome === null),
      messages: count(items.values(), ({ item }) => item.state === 'owed' && item.kind !== 'status'),
      keys: keys.size,
    }),
  };
}

function page(cursor: string | undefined, limit: number): { cursor?: string; limit: number } {
  return cursor === undefined ? { limit } : { cursor, limit };
}

/** Rows that have every value that the filter gives. */
function matching<Row extends object>(rows: Iterable<Row>, filter: Partial<Row>): Row[] {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return [...rows].filter((row) => given.every(([column, value]) => row[column as keyof Row] === value));
}

function countTasks(tasks: readonly Task[]): TaskCount[] {
  const counts = new Map<string, TaskCount>();
  for (const { state, cause } of tasks) {
    const counted = counts.get(`${state} ${cause}`)?.count ?? 0;
    counts.set(`${state} ${cause}`, { state, cause, count: counted + 1 });
  }
  return [...counts.values()];
}

function count<Row>(rows: Iterable<Row>, isCounted: (row: Row) => boolean): number {
  return [...rows].filter(isCounted).length;
}
