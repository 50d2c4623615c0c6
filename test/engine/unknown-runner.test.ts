/** A run whose runner is not configured any more: nobody can be asked about it, and nothing is made up. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { act } from '../../src/engine/act.ts';
import type { Deps } from '../../src/engine/index.ts';
import { reconcileTask } from '../../src/engine/reconcile-task.ts';
import { type Embedded, embed, REPOSITORY, submit } from '../fixtures/engine/embedded.ts';
import { aRun } from '../support/builders.ts';

let embedded: Embedded;
beforeEach(async () => {
  embedded = await embed(null);
  await embedded.deps.store.commit([{ write: 'repository.put', repository: REPOSITORY }]);
});
afterEach(() => embedded.close());

it('is recorded as to be stopped, with no signal that nobody sent, and is looked at again', async () => {
  const { store } = embedded.deps;
  const [id] = await submit(embedded, { a: { run: ['true'] } });
  const task = await store.task(id!);
  await store.commit([
    { write: 'run.insert', run: aRun({ taskId: id!, runner: 'gone' }) },
    { write: 'task.update', id: id!, version: task!.version, set: { state: 'running', runNumber: 1 } },
  ]);
  const deps: Deps = { ...embedded.deps, runners: { get: () => null, names: () => [], allows: () => true } };
  expect(await act(deps, id!, 'cancel', { actor: 'ann', cause: 'api' })).toMatchObject({ result: 'accepted' });
  for (const lease of await store.queue.claim('test', 99, 1_000)) await store.queue.complete(lease);
  await reconcileTask(deps, id!);
  expect(await store.newestRun(id!)).toMatchObject({ state: 'stopping', termAt: null, killAt: null });
  expect((await store.task(id!))?.state).toBe('running');
  expect(await store.queue.nextDue()).not.toBeNull();
});
