/** A status comment says what is, also where something died, an answer was lost or a start took long. */
import { expect, it } from 'vitest';
import type { Probe } from '../../src/core/run.ts';
import type { JobControl } from '../../src/engine/ports.ts';
import { reconcileTask } from '../../src/engine/reconcile-task.ts';
import { aBatch, aRun, aTask, at } from '../support/builders.ts';
import { ISSUE, makeStage, REPOSITORY } from '../support/comment-stage.ts';
import { HERE, idOf, makeOutboxStage, type OutboxStage } from '../support/outbox-stage.ts';

const MINUTE = 60_000;
const STATUS = `status:${HERE.id}#1`;

async function oweStatusOfRunning(stage: OutboxStage): Promise<void> {
  const place = { batchId: null, repositoryId: HERE.id, issueNumber: 1 };
  const task = aTask({ id: 'task_1', ...place, state: 'running', runNumber: 1 });
  await stage.store.commit([
    { write: 'task.insert', task },
    { write: 'run.insert', run: aRun({ id: 'run_1', taskId: 'task_1' }) },
  ]);
  await stage.owe(STATUS, 1, { kind: 'status', id: idOf(STATUS) });
}

async function end({ store }: OutboxStage): Promise<void> {
  const { version } = (await store.task('task_1'))!;
  const set = { state: 'done', cause: 'run_succeeded', actor: 'runner', finishedAt: at(1) } as const;
  await store.commit([{ write: 'task.update', id: 'task_1', version, set }]);
}

it('tells the end, though whoever made it died before they noted it', async () => {
  const stage = await makeOutboxStage();
  await oweStatusOfRunning(stage);
  const release = () => Promise.reject(new Error('killed'));
  const dying = { store: { ...stage.store, outbox: { ...stage.store.outbox, release } } };
  await expect(stage.run(stage.start(dying), MINUTE)).rejects.toThrow('killed');
  await end(stage);
  stage.advance(MINUTE);
  await stage.run(stage.start(), MINUTE);
  expect(stage.bodiesOf(1)).toEqual([expect.stringContaining('✓ done')]);
});

it('tells the end, though the answer to its making was lost', async () => {
  const stage = await makeOutboxStage();
  await oweStatusOfRunning(stage);
  stage.faults.push({ call: 'createComment', error: new Error('hung up'), when: 'after' });
  await stage.run(stage.start(), 100);
  expect(stage.bodiesOf(1)).toHaveLength(1);
  await end(stage);
  await stage.run(stage.start(), MINUTE);
  expect(stage.bodiesOf(1)).toEqual([expect.stringContaining('✓ done')]);
});

it('is owed when a run has begun, on the issue of its task and where its batch was started', async () => {
  const stage = await makeStage();
  const batch = aBatch({ id: 'batch_1', repositoryId: REPOSITORY.id, issueNumber: 13 });
  await stage.store.commit([{ write: 'batch.insert', batch, document: {} }]);
  await stage.put({ id: 'task_train', batchId: batch.id }, { state: 'starting', startedAt: null });
  const running: Probe = { state: 'running', startedAt: at(90), lastOutputAt: null, containment: 'pidns' };
  const runner = {
    ...stage.deps.runners.get('local'),
    start: async () => ({ result: 'started' }),
    inspect: async (ids: readonly string[]) => new Map(ids.map((id) => [id, running])),
  } as unknown as JobControl;
  await reconcileTask({ ...stage.deps, runners: { ...stage.deps.runners, get: () => runner } }, 'task_train');
  expect(await stage.store.newestRun('task_train')).toMatchObject({ state: 'running' });
  expect(await stage.owed()).toMatchObject({ [`status:7#${ISSUE}`]: 'status', 'status:7#13': 'status' });
});
