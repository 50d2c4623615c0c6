/** A whole batch is cancelled in few looks at it, however many tasks it has. */
import { afterEach, expect, it } from 'vitest';
import { cancelBatch } from '../../src/engine/index.ts';
import { makeNeedsGraphs } from '../../src/engine/needs-graphs.ts';
import { reconcileBatch } from '../../src/engine/reconcile-batch.ts';
import { makeStartPace } from '../../src/engine/start-pace.ts';
import { startReady } from '../../src/engine/start-ready.ts';
import { type Embedded, embed, REPOSITORY, submit, untilRunning, untilTask } from '../fixtures/engine/embedded.ts';

let embedded: Embedded;

afterEach(() => embedded.close());

it('cancelling a batch of hundreds stops what runs, ends what waits, and asks few commits for that', async () => {
  embedded = await embed(null);
  const { deps, long } = embedded;
  await deps.store.commit([{ write: 'repository.put', repository: REPOSITORY }]);
  await embedded.start();
  const names = Array.from({ length: 450 }, (_, index) => `t${index}`);
  const ids = await submit(embedded, Object.fromEntries(names.map((name) => [name, { run: long }])));
  const running = (await deps.store.tasksOfBatch((await deps.store.task(ids[0] ?? ''))?.batchId ?? ''))[0]?.id ?? '';
  await untilRunning(embedded, running);
  const { commit } = deps.store;
  let commits = 0;
  deps.store.commit = (...args: Parameters<typeof commit>) => {
    commits += 1;
    return commit(...args);
  };
  const batchId = (await deps.store.task(running))?.batchId ?? '';
  expect(await cancelBatch(deps, batchId, { now: true, actor: 'ann', cause: 'api' })).toMatchObject({
    result: 'accepted',
  });
  for (const id of ids) await untilTask(embedded, id, { state: 'cancelled', cause: 'api', actor: 'ann' });
  expect(commits).toBeLessThan(150);
});

it('a graceful cancel of hundreds gives way to one that stops what runs', async () => {
  embedded = await embed(null);
  const { deps, long } = embedded;
  await deps.store.commit([{ write: 'repository.put', repository: REPOSITORY }]);
  const names = Array.from({ length: 450 }, (_, index) => `t${index}`);
  const ids = await submit(embedded, Object.fromEntries(names.map((name) => [name, { run: long }])));
  const batchId = (await deps.store.task(ids[0] ?? ''))?.batchId ?? '';
  const graphs = makeNeedsGraphs(deps.store);
  await reconcileBatch(deps, graphs, batchId);
  await startReady(deps, makeStartPace());
  const [running] = await deps.store.liveRuns();
  await cancelBatch(deps, batchId, { now: false, actor: 'ann', cause: 'api' });
  const { commit } = deps.store;
  const left: number[] = [];
  let isAskedAgain = false;
  deps.store.commit = async (...args: Parameters<typeof commit>) => {
    if (!isAskedAgain) {
      isAskedAgain = true;
      await cancelBatch(deps, batchId, { now: true, actor: 'ann', cause: 'api' });
    }
    const kept = await commit(...args);
    const stops = args[0].some((write) => write.write === 'run.update' && write.set.state === 'stopping');
    const open = (await deps.store.membersOfBatch(batchId)).filter(({ state }) => state === 'ready');
    if (stops) left.push(open.length);
    return kept;
  };
  await reconcileBatch(deps, graphs, batchId);
  expect(await deps.store.run(running?.id ?? '')).toMatchObject({ state: 'stopping' });
  expect(left[0]).toBeGreaterThan(200);
});

it('a cancel of hundreds asks for looks at what runs only, so that a close meanwhile finds no queue before it', async () => {
  embedded = await embed(null);
  const { deps, long } = embedded;
  await deps.store.commit([{ write: 'repository.put', repository: REPOSITORY }]);
  const names = Array.from({ length: 450 }, (_, index) => `t${index}`);
  const ids = await submit(embedded, Object.fromEntries(names.map((name) => [name, { run: long }])));
  const batchId = (await deps.store.task(ids[0] ?? ''))?.batchId ?? '';
  const graphs = makeNeedsGraphs(deps.store);
  await reconcileBatch(deps, graphs, batchId);
  await startReady(deps, makeStartPace());
  const running = (await deps.store.liveRuns()).map(({ taskId }) => `task:${taskId}`);
  await cancelBatch(deps, batchId, { now: true, actor: 'ann', cause: 'api' });
  await reconcileBatch(deps, graphs, batchId);
  const leases = await deps.store.queue.claim('test', 1_000, 60_000);
  expect(leases.map(({ key }) => key).filter((key) => key.startsWith('task:'))).toEqual(running);
});
