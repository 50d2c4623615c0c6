/** A verify run beside holds, closes that let it finish, and commands that were said while the work still ran. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ATTENDED } from '../../src/core/attended.ts';
import { asAttended } from '../../src/engine/attend/admit.ts';
import { beginRun } from '../../src/engine/begin-run.ts';
import { act, applyChanges, checkTask, DEFAULT_POLICY } from '../../src/engine/index.ts';
import { newRun } from '../../src/engine/new-run.ts';
import { reconcileTask } from '../../src/engine/reconcile-task.ts';
import { makeStartPace } from '../../src/engine/start-pace.ts';
import { startReady } from '../../src/engine/start-ready.ts';
import { type Checker, makeChecker } from '../fixtures/engine/checker.ts';
import { type Embedded, embed, submit } from '../fixtures/engine/embedded.ts';
import { eventually } from '../support/processes.ts';

const ISSUE = 1;

let checker: Checker;
let embedded: Embedded;
beforeEach(async () => {
  checker = makeChecker();
  checker.set(ISSUE, { state: 'open' });
  embedded = await embed(checker);
});
afterEach(() => embedded.close());

/** A task whose work goes on until its file is there; its runs begin and end only when they are looked at. */
async function startWork(): Promise<string> {
  const run = ['sh', '-c', 'until [ -e go ]; do sleep 0.02; done', embedded.marker];
  const [id] = await submit(embedded, { a: { run, issue: ISSUE, verify: { run: embedded.long } } });
  await startReady(embedded.deps, makeStartPace());
  await untilRun(id!, { number: 1, purpose: 'work', state: 'running' });
  return id!;
}

async function untilRun(id: string, wanted: object): Promise<void> {
  await eventually(async () => {
    await reconcileTask(embedded.deps, id);
    expect(await embedded.deps.store.newestRun(id)).toMatchObject(wanted);
  });
}

it('that had to wait for a hold begins on release, also where its issue’s close lets it finish', async () => {
  const { deps } = embedded;
  deps.policyOf = async () => ({ ...DEFAULT_POLICY, onClose: { ...DEFAULT_POLICY.onClose, completed: 'let_finish' } });
  const id = await startWork();
  checker.set(ISSUE, { state: 'closed', reason: 'completed' });
  await applyChanges(deps, await checkTask(deps, id));
  await act(deps, id, 'hold', { actor: 'ann', cause: 'api' });
  embedded.touch(id, 'go');
  await untilRun(id, { number: 1, state: 'succeeded' });
  await startReady(deps, makeStartPace());
  expect(await deps.store.task(id)).toMatchObject({ state: 'ready', runNumber: 1 });
  await act(deps, id, 'release', { actor: 'ann', cause: 'api' });
  await startReady(deps, makeStartPace());
  await untilRun(id, { number: 2, purpose: 'verify', state: 'running' });
  expect(await deps.store.task(id)).toMatchObject({ state: 'running', attempt: 1 });
});

it('is stopped by a cancel that was said while the work ran', async () => {
  const { deps } = embedded;
  const id = await startWork();
  const saidAt = new Date();
  embedded.touch(id, 'go');
  await untilRun(id, { number: 2, purpose: 'verify', state: 'running' });
  const before = new Date(saidAt.getTime() - 60_000);
  expect(await act(deps, id, 'cancel', { actor: 'ann', cause: 'command', saidAt: before })).toHaveProperty('message');
  expect(await act(deps, id, 'cancel', { actor: 'ann', cause: 'command', saidAt })).toMatchObject({
    result: 'accepted',
  });
  await untilRun(id, { number: 2, state: 'cancelled' });
});

it('of work that somebody attended elsewhere waits for a place of its runner', async () => {
  const { deps } = embedded;
  const { store, runners } = deps;
  const full = { ...embedded.runner, profile: { ...embedded.runner.profile, maxRunning: 1 } };
  deps.runners = { ...runners, get: (name) => (runners.get(name) === null ? null : full) };
  const [busy = '', attended = ''] = await submit(embedded, {
    a: { run: ['sh', '-c', 'until [ -e go ]; do sleep 0.02; done', embedded.marker] },
    b: { run: ['true'], verify: { run: ['true'] } },
  });
  await startReady(deps, makeStartPace());
  await untilRun(busy, { number: 1, state: 'running' });
  const task = (await store.task(attended))!;
  const run = newRun('run_attended', { task: asAttended(task), purpose: 'work' }, deps.clock());
  await store.commit(beginRun({ task, run, batch: null }, deps.clock()));
  const { startedAt, endedAt } = { startedAt: deps.clock(), endedAt: deps.clock() };
  const exit = { state: 'exited', exitCode: 0, signal: null, survivors: [], containment: 'scan' } as const;
  const inspect = async () => new Map([[run.id, { ...exit, startedAt, endedAt }]]);
  const ofPeople = { ...embedded.runner, inspect };
  const local = deps.runners;
  deps.runners = { ...local, get: (name) => (name === ATTENDED ? ofPeople : local.get(name)) };
  await untilRun(attended, { number: 1, state: 'succeeded' });
  await startReady(deps, makeStartPace());
  expect((await store.liveRuns()).map(({ taskId }) => taskId)).toEqual([busy]);
  embedded.touch(busy, 'go');
  await untilRun(busy, { state: 'succeeded' });
  await startReady(deps, makeStartPace());
  await untilRun(attended, { number: 2, purpose: 'verify', runner: 'local', state: 'succeeded' });
  expect(await store.task(attended)).toMatchObject({ state: 'done', attempt: 1 });
});
