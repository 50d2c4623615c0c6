/** What is forbidden while a start waits for GitHub's answer about its issue. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HoldScope } from '../../src/core/hold.ts';
import { setHold } from '../../src/engine/holds.ts';
import { act, holdBatch } from '../../src/engine/index.ts';
import { SCHEDULE_KEY } from '../../src/engine/keys.ts';
import { makeNeedsGraphs } from '../../src/engine/needs-graphs.ts';
import { reconcileBatch } from '../../src/engine/reconcile-batch.ts';
import { makeStartPace } from '../../src/engine/start-pace.ts';
import { startReady } from '../../src/engine/start-ready.ts';
import { type Checker, makeChecker } from '../fixtures/engine/checker.ts';
import { type Embedded, embed, REPOSITORY, submit } from '../fixtures/engine/embedded.ts';

const ISSUE = 1;
const RUN = ['true'];

let checker: Checker;
let embedded: Embedded;
beforeEach(async () => {
  checker = makeChecker();
  checker.set(ISSUE, { state: 'open' });
  embedded = await embed(checker);
});
afterEach(() => embedded.close());

/** Starts what may start; `meanwhile` happens between GitHub's being asked and its answer. */
async function startWhile(meanwhile: () => Promise<unknown>): Promise<void> {
  const { readIssue } = checker;
  checker.readIssue = async (...asked) => {
    await meanwhile();
    return readIssue(...asked);
  };
  await startReady(embedded.deps, makeStartPace());
}

async function taskOf(id: string | undefined) {
  return (await embedded.deps.store.task(id ?? ''))!;
}

describe('a task whose issue is being read', () => {
  const scopes: readonly HoldScope[] = [
    { kind: 'all' },
    { kind: 'repository', repositoryId: REPOSITORY.id },
    { kind: 'runner', runner: 'local' },
  ];
  it.each(scopes)('does not start once everything in its scope ($kind) is on hold', async (scope) => {
    const [id] = await submit(embedded, { a: { run: RUN, issue: ISSUE } });
    await startWhile(() => setHold(embedded.deps, scope, { reason: null, actor: 'ann' }));
    expect(await taskOf(id)).toMatchObject({ state: 'ready', runNumber: 0 });
  });

  it('does not start once its batch is on hold', async () => {
    const [id] = await submit(embedded, { a: { run: RUN, issue: ISSUE } });
    const batchId = (await taskOf(id)).batchId!;
    await startWhile(() => holdBatch(embedded.deps, batchId, { reason: null, actor: 'ann' }));
    expect(await taskOf(id)).toMatchObject({ state: 'ready', runNumber: 0 });
  });

  it('does not start once a failure stops its batch', async () => {
    const { deps } = embedded;
    const tasks = { a: { run: RUN, issue: ISSUE }, b: { run: ['no-such-program-anywhere'] } };
    const [id, other] = await submit(embedded, tasks, { on_failure: 'stop' });
    await act(deps, other!, 'hold', { actor: 'ann', cause: 'api' });
    const { batchId, version } = await taskOf(other);
    const failed = { state: 'failed', cause: 'run_failed', actor: 'runner', finishedAt: new Date() } as const;
    await startWhile(() => deps.store.commit([{ write: 'task.update', id: other!, version, set: failed }]));
    await reconcileBatch(deps, makeNeedsGraphs(deps.store), batchId!);
    expect(await taskOf(id)).toMatchObject({ state: 'ready', runNumber: 0 });
  });
});

it('what comes due while an issue is being read is looked at right after', async () => {
  const { store } = embedded.deps;
  const [, late] = await submit(embedded, { a: { run: RUN, issue: ISSUE }, b: { run: RUN } });
  const start = Date.now();
  const notBefore = new Date(start + 2_000);
  const { version } = await taskOf(late);
  await store.commit([{ write: 'task.update', id: late!, version, set: { state: 'ready', notBefore } }]);
  let now = start;
  const { readIssue } = checker;
  checker.readIssue = async (...asked) => {
    now = start + 4_000;
    return readIssue(...asked);
  };
  const asked: unknown[] = [];
  const enqueue = async (keys: readonly unknown[]) => void asked.push(...keys);
  const watched = { ...store, queue: { ...store.queue, enqueue } };
  await startReady({ ...embedded.deps, store: watched, clock: () => new Date(now) }, makeStartPace());
  expect(asked).toContainEqual({ key: 'schedule', dueAt: notBefore });
});

it('starts nothing in a turn that another app has taken over while GitHub was waited for: the limit holds', async () => {
  const { deps } = embedded;
  const { store } = deps;
  deps.limits = { maxRunning: 1, maxRunningPerRepository: 1 };
  const nextTurn = async (leaseMs: number) => {
    await store.queue.enqueue([{ key: SCHEDULE_KEY, dueAt: new Date(0) }]);
    const leases = await store.queue.claim('app', 99, leaseMs);
    return leases.find(({ key }) => key === SCHEDULE_KEY)!;
  };
  const [slow] = await submit(embedded, { slow: { run: RUN, issue: ISSUE } });
  const lost = await nextTurn(0);
  const { readIssue } = checker;
  checker.readIssue = async (...asked) => {
    const [urgent] = await submit(embedded, { urgent: { run: RUN } }, { name: 'urgent' });
    const { version } = await taskOf(urgent);
    await store.commit([{ write: 'task.update', id: urgent!, version, set: { priority: 9 } }]);
    await startReady(deps, makeStartPace(), await nextTurn(60_000));
    return readIssue(...asked);
  };
  await expect(startReady(deps, makeStartPace(), lost)).rejects.toThrow('passed to another');
  expect(await store.liveRuns()).toHaveLength(1);
  expect(await taskOf(slow)).toMatchObject({ state: 'ready', runNumber: 0 });
});
