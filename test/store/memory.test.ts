import { expect, it } from 'vitest';
import { makeMemoryStore } from '../../src/store/memory/index.ts';
import { append, insertBatch, insertTask, makeTask, owe, putRepository, T0 } from '../contract/store/records.ts';
import { describeStore } from '../contract/store.ts';

describeStore('memory', async ({ now = () => T0, onEnqueued = () => {} }) => {
  const store = makeMemoryStore({ now, onEnqueued });
  return { store, databaseUrl: 'memory', close: () => store.close() };
});

it('is not changed by changing what was given to it or what it gave', async () => {
  const store = makeMemoryStore({ now: () => T0 });
  const needs = ['fetch'];
  const createdAt = new Date(T0);
  await store.commit([putRepository, { write: 'task.insert', task: makeTask({ needs, createdAt }) }]);
  needs.push('more');
  createdAt.setTime(0);
  const got = await store.task('task-1');
  Object.assign(got!, { state: 'done' });
  got!.updatedAt.setTime(0);
  (got!.needs as string[]).push('more');
  expect(await store.task('task-1')).toEqual(makeTask({ needs: ['fetch'] }));
});

it('refuses what a database would refuse', async () => {
  const store = makeMemoryStore({ now: () => T0 });
  await expect(store.commit([insertBatch()])).rejects.toThrow('no repository 1001');
  await store.commit([putRepository, insertBatch(), insertTask({ batchId: 'batch-1' })]);
  const sameKey = insertTask({ id: 'task-2', key: 'task-1', batchId: 'batch-1' });
  await expect(store.commit([append(), sameKey])).rejects.toThrow('has a task task-1 already');
  const noMessage = { taskId: 'task-1', runId: null, effect: 'ended', result: 'done' } as const;
  await expect(store.commit([{ write: 'outbox.line', key: 'close:e', line: noMessage }])).rejects.toThrow('no message');
  const sameId = [owe('message-1', { key: 'a' }), owe('message-1', { key: 'b' })];
  await expect(store.commit([append(), ...sameId])).rejects.toThrow('message-1 is there already');
  expect(await store.queries.events(null, 9)).toEqual([]);
  expect(await store.queries.backlog()).toMatchObject({ messages: 0 });
});

it('looks at every guard before it adds anything, as a database does', async () => {
  const store = makeMemoryStore({ now: () => T0 });
  const failing = { write: 'task.update', id: 'no-such-task', version: 1, set: {} } as const;
  expect(await store.commit([owe('message-1'), failing])).toBe(false);
});

it('does not go on after an event that another store told', async () => {
  const store = makeMemoryStore({ now: () => T0 });
  await store.commit([append()]);
  await expect(store.queries.events('2', 9)).rejects.toThrow('not the id of an event');
});
