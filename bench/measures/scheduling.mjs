// What one change costs in a batch of 1,000 and of 10,000 tasks: a chain, where each end lets one task go on, and a fan-out,
// where one end lets all others go on. The engine's own passes on a real database, without processes.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { act, DEFAULT_POLICY, holdBatch, parseBatchDocument, submitBatch } from '../../dist/engine/index.js';
import { makeNeedsGraphs } from '../../dist/engine/needs-graphs.js';
import { reconcileBatch } from '../../dist/engine/reconcile-batch.js';
import { makeStartPace } from '../../dist/engine/start-pace.js';
import { startReady } from '../../dist/engine/start-ready.js';
import { openStore } from '../../dist/store/index.js';
import { makeDeps } from '../support/engine-deps.mjs';
import { median, ms, table } from '../support/numbers.mjs';
import { SILENT } from '../support/silent.mjs';

const SIZES = [1_000, 10_000];
const CHANGES = 30;
const REPOSITORY = { id: '7', fullName: 'acme/widgets', installationId: null };
/** Ten times the tasks; a cost that grows with the change alone stays near 1. */
const AIM_GROWTH = 10;

export async function measureScheduling() {
  const chains = [];
  const fans = [];
  for (const size of SIZES) {
    chains.push(await withBatch(chainOf(size), (batch) => chainCosts(batch)));
    fans.push(await withBatch(fanOf(size), (batch) => fanCost(batch, size)));
  }
  return report(chains, fans);
}

async function withBatch(tasks, measure) {
  const dir = await mkdtemp(join(tmpdir(), 'standdown-bench-'));
  const store = await openStore({ databaseUrl: `file:${join(dir, 'db')}`, now: () => new Date(), log: SILENT });
  try {
    const deps = makeDeps({ store, policyOf: async () => DEFAULT_POLICY });
    await store.commit([{ write: 'repository.put', repository: REPOSITORY }]);
    const document = { repository: REPOSITORY.fullName, name: 'nightly', max_parallel: 8, tasks };
    const parsed = parseBatchDocument(document);
    const submitted = await submitBatch(deps, parsed.value, { dryRun: false, actor: 'ann' });
    const graphs = makeNeedsGraphs(store);
    await reconcileBatch(deps, graphs, submitted.batch.id);
    // Who could start is looked for all the same; nothing does, so that only the passes are timed.
    await holdBatch(deps, submitted.batch.id, { reason: 'only the passes are timed', actor: 'ann' });
    return await measure({ deps, graphs, id: submitted.batch.id, tasks: submitted.tasks });
  } finally {
    await store.close();
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

const plain = { runs_on: 'local', run: ['true'] };

function chainOf(size) {
  return Object.fromEntries(
    Array.from({ length: size }, (_, i) => [`t${i}`, { ...plain, ...(i > 0 && { needs: [`t${i - 1}`] }) }]),
  );
}

function fanOf(size) {
  return Object.fromEntries(
    Array.from({ length: size }, (_, i) => [`t${i}`, { ...plain, ...(i > 0 && { needs: ['t0'] }) }]),
  );
}

async function pass({ deps, graphs, id }) {
  const started = performance.now();
  await reconcileBatch(deps, graphs, id);
  await startReady(deps, makeStartPace());
  return performance.now() - started;
}

/** Per change: an end that lets one other task go on. And a look at a batch in which nothing has moved. */
async function chainCosts(batch) {
  const changes = [];
  for (const { id } of batch.tasks.slice(0, CHANGES)) {
    await act(batch.deps, id, 'done', { actor: 'ann', cause: 'api' });
    changes.push(await pass(batch));
  }
  const quiet = [];
  for (let i = 0; i < CHANGES; i++) quiet.push(await pass(batch));
  return { change: median(changes), quiet: median(quiet) };
}

/** One change that lets all others go on, per task that it moved. */
async function fanCost(batch, size) {
  await act(batch.deps, batch.tasks[0].id, 'done', { actor: 'ann', cause: 'api' });
  return (await pass(batch)) / (size - 1);
}

function report(chains, fans) {
  const [small, large] = chains;
  const growth = (few, many) => `${(many / few).toFixed(1)} ×`;
  const worst = large.change / small.change;
  return {
    title: 'One look at a batch after a change',
    table: table([
      ['', ...SIZES.map((size) => `${size.toLocaleString('en')} tasks`), 'growth'],
      [
        'an end in a chain, and what it lets go on',
        ms(small.change),
        ms(large.change),
        growth(small.change, large.change),
      ],
      ['nothing has moved', ms(small.quiet), ms(large.quiet), growth(small.quiet, large.quiet)],
      ['an end in a fan-out, per task that it lets go on', ms(fans[0]), ms(fans[1]), growth(fans[0], fans[1])],
    ]),
    meaning:
      'A batch is followed by what moved in it: what grows with its size is counting its tasks by state in the index.',
    aims: [
      {
        aim: `a change in a batch ten times as large costs at most ${AIM_GROWTH} times as much`,
        value: `${worst.toFixed(1)} ×`,
        met: worst <= AIM_GROWTH,
      },
    ],
  };
}
