/** One batch of a name is live: what another one has replaced comes back by nobody's word while that one lives. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { planBatch } from '../../src/core/plan/batch.ts';
import { act } from '../../src/engine/act.ts';
import { type Batch, type DraftBatch, submitBatch } from '../../src/engine/index.ts';
import { makeNeedsGraphs } from '../../src/engine/needs-graphs.ts';
import { reconcileBatch } from '../../src/engine/reconcile-batch.ts';
import { documentOf, type Embedded, embed, REPOSITORY } from '../fixtures/engine/embedded.ts';
import { aLookAt, aMember, anExit, anObservation, aRun, aTask, at } from '../support/builders.ts';
import { simulate } from '../support/simulate.ts';

const RUN = { run: ['true'] };
const BY = { actor: 'ann', cause: 'api' } as const;

let embedded: Embedded;
beforeEach(async () => {
  embedded = await embed(null);
  await embedded.deps.store.commit([{ write: 'repository.put', repository: REPOSITORY }]);
});
afterEach(() => embedded.close());

async function submitted(document: DraftBatch) {
  const answer = await submitBatch(embedded.deps, document, { dryRun: false, actor: 'ann' });
  if (answer.result !== 'created') throw new Error(JSON.stringify(answer));
  return { id: answer.batch.id, tasks: answer.tasks.map((task) => task.id) as [string, ...string[]] };
}

async function ended(): Promise<{ id: string; tasks: [string, ...string[]] }> {
  const batch = await submitted(documentOf({ a: RUN }));
  await act(embedded.deps, batch.tasks[0], 'done', BY);
  await reconcileBatch(embedded.deps, makeNeedsGraphs(embedded.deps.store), batch.id);
  return batch;
}

describe('an older batch', () => {
  it('that a retry brought back has its name: a submission is refused, naming it', async () => {
    const { deps } = embedded;
    const [older, newer] = [await ended(), await ended()];
    expect(await act(deps, older.tasks[0], 'retry', BY)).toMatchObject({ result: 'accepted' });
    await reconcileBatch(deps, makeNeedsGraphs(deps.store), older.id);
    expect((await deps.store.batch(older.id))?.state).toBe('running');
    const again = await submitBatch(deps, documentOf({ a: RUN }), { dryRun: false, actor: 'ann' });
    expect(again).toMatchObject({ result: 'conflict', batchId: older.id });
    expect(await act(deps, newer.tasks[0], 'retry', BY)).toMatchObject({
      result: 'conflict',
      message: expect.stringContaining(older.id),
    });
  });

  it('starts nothing when a person calls a need of it done while a newer one is live', async () => {
    const { deps } = embedded;
    const document = documentOf({ fetch: RUN, train: RUN });
    const tasks = document.tasks.map((task) => (task.key === 'train' ? { ...task, needs: ['fetch'] } : task));
    const older = await submitted({ ...document, tasks });
    await act(deps, older.tasks[0], 'cancel', BY);
    await reconcileBatch(deps, makeNeedsGraphs(deps.store), older.id);
    await submitted(documentOf({ a: RUN }));
    await act(deps, older.tasks[0], 'done', BY);
    await reconcileBatch(deps, makeNeedsGraphs(deps.store), older.id);
    expect(await deps.store.task(older.tasks[1]!)).toMatchObject({ state: 'skipped', cause: 'dependency' });
    expect((await deps.store.batch(older.id))?.state).toBe('partial');
  });
});

describe('what survived its KILL in a replaced batch', () => {
  const task = aTask({ state: 'blocked', cause: 'survivors', runNumber: 1, attempt: 1 });
  const retry = { attempts: 3, backoffSeconds: 1 };

  it('leaves its batch as it is until it is gone', () => {
    const batch = {
      id: 'batch_1',
      state: 'cancelled',
      stuck: false,
      onFailure: 'continue',
      hold: null,
      order: null,
    } as Batch;
    expect(planBatch(batch, aLookAt([aMember(task)], true))).toEqual([]);
    expect(planBatch(batch, aLookAt([aMember({ ...task, state: 'failed' })], true))).toMatchObject([
      { state: 'failed' },
    ]);
  });

  it('is neither retried nor requeued then', () => {
    const seen = { task: { ...task, spec: { ...task.spec, retry } }, run: aRun(), probe: anExit({ exitCode: 1 }) };
    const after = simulate(anObservation({ ...seen, barred: 'superseded' }), at(600)).observation;
    expect(after.task).toMatchObject({ state: 'failed', cause: 'run_failed' });
    const ending = { state: 'done', cause: 'issue_completed', actor: 'ann', episodeId: null } as const;
    const requeue = { reason: 'issue_reopened', actor: 'bob', episodeId: null } as const;
    const target = { becomes: 'requeued', requeue, ending, effect: null } as const;
    const run = aRun({ state: 'stopping', cancelRequestedAt: at(5), termAt: at(5), killAt: at(6) });
    const probe = anExit({ exitCode: null, signal: 'KILL', endedAt: at(7) });
    const stopped = anObservation({ task: { ...task, target }, run, probe, barred: 'superseded' });
    expect(simulate(stopped, at(600)).observation.task).toMatchObject({ state: 'done', cause: 'issue_completed' });
  });
});
