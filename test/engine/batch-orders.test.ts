/** A person's word on a whole batch, carried out on real processes: cancel, resume, hold, and holds of a wider scope. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { releaseHold, setHold } from '../../src/engine/holds.ts';
import { act, cancelBatch, holdBatch, releaseBatch, resumeBatch, submitBatch } from '../../src/engine/index.ts';
import {
  documentOf,
  type Embedded,
  embed,
  REPOSITORY,
  submit,
  untilRunning,
  untilTask,
} from '../fixtures/engine/embedded.ts';
import { eventually } from '../support/processes.ts';

const FALSE = ['sh', '-c', 'exit 3'];
const TRUE = ['true'];
const by = { actor: 'ann', cause: 'api' } as const;

let embedded: Embedded;

beforeEach(async () => {
  embedded = await embed(null);
  await embedded.deps.store.commit([{ write: 'repository.put', repository: REPOSITORY }]);
  await embedded.start();
});

afterEach(() => embedded.close());

async function batchOf(taskId: string): Promise<string> {
  return (await embedded.deps.store.task(taskId))?.batchId ?? '';
}

async function untilBatch(id: string, wanted: object): Promise<void> {
  await eventually(async () => expect(await embedded.deps.store.batch(id)).toMatchObject(wanted));
}

async function eventsOf(type: string): Promise<number> {
  const events = await embedded.deps.store.queries.events(null, 1_000);
  return events.filter((event) => event.type === type).length;
}

describe('cancel', () => {
  it('lets what runs finish, starts nothing more, not even a retry, and is then over', async () => {
    const gate = ['sh', '-c', 'while [ ! -e go ]; do sleep 0.05; done; exit 1', embedded.marker];
    const retry = { attempts: 3, backoff_seconds: 0 };
    const [runs = '', next = ''] = await submit(
      embedded,
      { a: { run: gate, retry }, b: { run: TRUE } },
      { max_parallel: 1 },
    );
    await untilRunning(embedded, runs);
    const batchId = await batchOf(runs);
    expect(await cancelBatch(embedded.deps, batchId, { ...by, now: false })).toMatchObject({ result: 'accepted' });
    await untilTask(embedded, next, { state: 'cancelled', cause: 'api', actor: 'ann', runNumber: 0 });
    expect(await embedded.deps.store.newestRun(runs)).toMatchObject({ state: 'running' });
    const again = await cancelBatch(embedded.deps, batchId, { ...by, now: false });
    expect(again).toEqual({ result: 'conflict', message: expect.stringContaining('being cancelled since') });
    embedded.touch(runs, 'go');
    await untilTask(embedded, runs, { state: 'failed', cause: 'run_failed', runNumber: 1 });
    await untilBatch(batchId, { state: 'failed', order: null });
    expect(await eventsOf('BATCH_CANCELLED')).toBe(1);
  });

  it('with now stops what runs, also after a graceful one', async () => {
    const [runs = ''] = await submit(embedded, { a: { run: embedded.long } });
    await untilRunning(embedded, runs);
    const batchId = await batchOf(runs);
    await cancelBatch(embedded.deps, batchId, { ...by, now: false });
    expect(await cancelBatch(embedded.deps, batchId, { ...by, now: true })).toMatchObject({ result: 'accepted' });
    await untilTask(embedded, runs, { state: 'cancelled', cause: 'api', actor: 'ann' });
    await untilBatch(batchId, { state: 'cancelled', order: null });
  });

  it('of a batch that has ended says since when', async () => {
    const [task = ''] = await submit(embedded, { a: { run: TRUE } });
    const batchId = await batchOf(task);
    await untilBatch(batchId, { state: 'completed' });
    const refused = await cancelBatch(embedded.deps, batchId, { ...by, now: true });
    expect(refused).toEqual({ result: 'conflict', message: expect.stringMatching(/is completed since \d/) });
  });

  it('lets no task of it be retried meanwhile', async () => {
    const [failed = '', runs = ''] = await submit(embedded, { a: { run: FALSE }, b: { run: embedded.long } });
    await untilTask(embedded, failed, { state: 'failed' });
    await untilRunning(embedded, runs);
    await cancelBatch(embedded.deps, await batchOf(runs), { ...by, now: false });
    expect(await act(embedded.deps, failed, 'retry', by)).toEqual({
      result: 'conflict',
      message: expect.stringContaining('being cancelled'),
    });
  });
});

describe('resume', () => {
  it('runs what failed, was interrupted or never started, and nothing that is done', async () => {
    const flaky = ['sh', '-c', '[ -e good ] || { touch good; exit 1; }'];
    const [done = '', failed = '', never = ''] = await submit(
      embedded,
      { a: { run: TRUE }, b: { run: flaky, needs: ['a'] }, c: { run: TRUE, needs: ['b'] } },
      { on_failure: 'stop' },
    );
    await untilTask(embedded, failed, { state: 'failed' });
    await untilTask(embedded, never, { state: 'skipped', cause: 'dependency' });
    const message = 'c needs b (failed): retry that first, and c waits for it again';
    expect(await act(embedded.deps, never, 'retry', by)).toEqual({ result: 'conflict', message });
    const batchId = await batchOf(done);
    await untilBatch(batchId, { state: 'partial' });
    expect(await resumeBatch(embedded.deps, batchId, { ...by, force: false })).toMatchObject({ result: 'accepted' });
    await untilBatch(batchId, { state: 'completed', order: null });
    expect(await embedded.deps.store.task(done)).toMatchObject({ runNumber: 1 });
    expect(await embedded.deps.store.task(failed)).toMatchObject({ runNumber: 2, generation: 2 });
    expect(await embedded.deps.store.task(never)).toMatchObject({ runNumber: 1, requeueReason: 'need_requeued' });
    expect(await eventsOf('BATCH_RESUMED')).toBe(1);
  });

  it('starts what a failure had kept from starting', async () => {
    const flaky = ['sh', '-c', '[ -e good ] || { touch good; exit 1; }'];
    const [failed = '', never = ''] = await submit(
      embedded,
      { a: { run: flaky }, b: { run: TRUE } },
      { strategy: 'serial', on_failure: 'stop' },
    );
    await untilTask(embedded, failed, { state: 'failed' });
    const batchId = await batchOf(failed);
    await untilBatch(batchId, { state: 'running', stuck: true });
    expect(await embedded.deps.store.task(never)).toMatchObject({ state: 'ready', runNumber: 0 });
    await resumeBatch(embedded.deps, batchId, { ...by, force: false });
    await untilBatch(batchId, { state: 'completed', stuck: false });
  });

  it('with force runs all of it again', async () => {
    const [a = '', b = ''] = await submit(embedded, { a: { run: TRUE }, b: { run: TRUE, needs: ['a'] } });
    const batchId = await batchOf(a);
    await untilBatch(batchId, { state: 'completed' });
    const plainly = await resumeBatch(embedded.deps, batchId, { ...by, force: false });
    expect(plainly).toEqual({ result: 'conflict', message: expect.stringContaining('force runs all of it again') });
    await resumeBatch(embedded.deps, batchId, { ...by, force: true });
    await eventually(async () => {
      expect(await embedded.deps.store.task(b)).toMatchObject({ state: 'done', runNumber: 2 });
    });
    expect(await embedded.deps.store.task(a)).toMatchObject({ state: 'done', runNumber: 2 });
  });

  it('names the batch that has taken its name', async () => {
    const [old = ''] = await submit(embedded, { a: { run: FALSE } });
    const oldBatch = await batchOf(old);
    await untilBatch(oldBatch, { state: 'failed' });
    const [young = ''] = await submit(embedded, { a: { run: embedded.long } });
    const batchId = await batchOf(young);
    const refused = await resumeBatch(embedded.deps, oldBatch, { ...by, force: false });
    expect(refused).toEqual({ result: 'conflict', batchId, message: expect.stringContaining(batchId) });
  });
});

describe('a hold', () => {
  it('of a batch starts nothing of it and leaves what runs, until it is released', async () => {
    const [runs = '', next = ''] = await submit(
      embedded,
      { a: { run: embedded.long }, b: { run: TRUE } },
      { max_parallel: 1 },
    );
    await untilRunning(embedded, runs);
    const batchId = await batchOf(runs);
    await holdBatch(embedded.deps, batchId, { reason: 'disk is full', actor: 'ann' });
    await act(embedded.deps, runs, 'cancel', by);
    await untilBatch(batchId, { stuck: true, hold: { reason: 'disk is full', actor: 'ann' } });
    // It is stuck by a person's word, and so nobody's to replace.
    const again = documentOf({ a: { run: TRUE } });
    expect(await submitBatch(embedded.deps, again, { dryRun: false, actor: 'bob' })).toMatchObject({
      result: 'conflict',
      batchId,
      message: expect.stringContaining('is on hold as'),
    });
    expect(await embedded.deps.store.task(next)).toMatchObject({ state: 'ready', runNumber: 0 });
    await releaseBatch(embedded.deps, batchId, { actor: 'ann' });
    await untilTask(embedded, next, { state: 'done' });
    expect(await releaseBatch(embedded.deps, batchId, { actor: 'ann' })).toMatchObject({ result: 'conflict' });
  });

  const scopes = [
    { kind: 'all' },
    { kind: 'repository', repositoryId: REPOSITORY.id },
    { kind: 'runner', runner: 'local' },
  ] as const;
  it.each(scopes)('of a wider scope ($kind) starts nothing in it, until it is released', async (scope) => {
    const { deps } = embedded;
    await setHold(deps, scope, { reason: 'maintenance', actor: 'ann' });
    const [task = ''] = await submit(embedded, { a: { run: TRUE } });
    // The schedule has looked at it, and has nothing more to do.
    await eventually(async () => expect(await deps.store.queries.backlog()).toMatchObject({ keys: 3 }));
    expect(await deps.store.task(task)).toMatchObject({ state: 'ready', runNumber: 0 });
    expect(await releaseHold(deps, scope, { actor: 'ann' })).toBe(true);
    await untilTask(embedded, task, { state: 'done' });
    expect(await releaseHold(deps, scope, { actor: 'ann' })).toBe(false);
  });
});
