/** Branches as evidence, on a stand-in GitHub: what is noted before a run begins, and what is found once it is lost. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NO_RECORD_GRACE_MS } from '../../src/core/plan/limits.ts';
import type { BranchBefore, Run } from '../../src/core/run.ts';
import type { Task } from '../../src/core/task.ts';
import { type StandInGitHub, startStandInGitHub } from '../../src/demo/github/index.ts';
import type { Deps } from '../../src/engine/deps.ts';
import { findEvidence } from '../../src/engine/find-evidence.ts';
import { setHold } from '../../src/engine/holds.ts';
import { act } from '../../src/engine/index.ts';
import { newRun } from '../../src/engine/new-run.ts';
import { makeStartPace } from '../../src/engine/start-pace.ts';
import { startReady } from '../../src/engine/start-ready.ts';
import { whyNotRunning } from '../../src/engine/why.ts';
import { makeGitHub } from '../../src/github/index.ts';
import { makeChecker } from '../fixtures/engine/checker.ts';
import { type Embedded, embed, REPOSITORY, submit, untilTask } from '../fixtures/engine/embedded.ts';
import { expectNoViolations, withOpenApiCheck } from '../support/openapi/index.ts';

const NAME = REPOSITORY.fullName;
const evidence = { branch: 'work/12' };
const options = withOpenApiCheck();

let github: StandInGitHub;
let embedded: Embedded;

beforeEach(async () => {
  github = await startStandInGitHub(options);
  github.addRepository(NAME);
  const { appId, privateKey, apiUrl: baseUrl } = github;
  embedded = await embed(makeGitHub({ credentials: { mode: 'app', appId, privateKey }, baseUrl }).reader);
});

afterEach(async () => {
  vi.useRealTimers();
  await embedded.close();
  await github.close();
  expectNoViolations(github);
});

const push = (branch = evidence.branch, how: { commits?: number; from?: string | null } = {}) =>
  github.pushBranch(NAME, branch, { by: 'ann', ...how });

const startAll = () => startReady(embedded.deps, makeStartPace());

let batches = 0;

/** The run of a task that has just been started; no process of it begins. */
async function begin(task: Partial<Parameters<typeof submit>[1][string]> = { evidence }): Promise<Run> {
  batches += 1;
  const [id] = await submit(embedded, { a: { run: ['true'], ...task } }, { name: `batch-${batches}` });
  await startAll();
  return (await newestRun(id!))!;
}

describe('a run of a task that names a branch', () => {
  it('begins with where the branch was, or that there was none', async () => {
    const [id] = await submit(embedded, { a: { run: ['true'], evidence } });
    await embedded.start();
    await untilTask(embedded, id!, { state: 'done' });
    expect(await newestRun(id!)).toMatchObject({ number: 1, branchBefore: { found: 'none' } });
    push();
    const { repositoryId } = (await embedded.deps.store.task(id!))!;
    const repository = (await embedded.deps.store.repository(repositoryId))!;
    const head = await embedded.deps.github!.readBranchHead!(repository, evidence.branch);
    await act(embedded.deps, id!, 'retry', { actor: 'ann', cause: 'api' });
    await untilTask(embedded, id!, { state: 'done', runNumber: 2 });
    expect(await newestRun(id!)).toMatchObject({ number: 2, branchBefore: { found: 'head', head } });
  });

  it('begins, and goes on to its end, where that could not be read', async () => {
    github.faults.add({ kind: 'answer', status: 500, path: '/repos/acme/widgets/branches/*' });
    const [id] = await submit(embedded, { a: { run: ['true'], evidence } });
    await embedded.start();
    await untilTask(embedded, id!, { state: 'done' });
    expect(await newestRun(id!)).toMatchObject({ branchBefore: { found: 'unread' } });
  });

  it('is the only one that a branch is read for', async () => {
    const asked = () => github.requests().filter(({ path }) => /branches|compare/.test(path));
    expect(await begin({})).toMatchObject({ branchBefore: null });
    expect(asked()).toEqual([]);
    await begin();
    expect(asked()).toMatchObject([{ path: '/repos/acme/widgets/branches/work%2F12' }]);
  });

  it('is not asked about it for its verify stage, nor when that is sent again', async () => {
    const verify = { run: ['sh', '-c', 'kill -KILL $$'] };
    const retry = { attempts: 1, backoff_seconds: 0 };
    const [id] = await submit(embedded, { a: { run: ['true'], verify, retry, evidence } });
    await embedded.start();
    await untilTask(embedded, id!, { state: 'blocked', cause: 'no_verdict' });
    const runs = (await embedded.deps.store.queries.runsOfTasks([id!])).get(id!);
    expect(runs).toMatchObject([
      { purpose: 'work', branchBefore: { found: 'none' } },
      ...[1, 2, 3].map(() => ({ purpose: 'verify', branchBefore: null })),
    ]);
  });
});

describe('while GitHub is asked where the branch is', () => {
  /** Starts what may start; `meanwhile` happens before GitHub answers. */
  async function startWhile(meanwhile: (id: string) => Promise<unknown>): Promise<Task> {
    const [id] = await submit(embedded, { a: { run: ['true'], evidence } });
    const reader = embedded.deps.github!;
    const { readBranchHead } = reader;
    reader.readBranchHead = async (...asked) => {
      await meanwhile(id!);
      return readBranchHead!(...asked);
    };
    await startAll();
    return (await embedded.deps.store.task(id!))!;
  }

  it('a hold keeps the run from starting', async () => {
    const hold = () => setHold(embedded.deps, { kind: 'all' }, { reason: null, actor: 'ann' });
    expect(await startWhile(hold)).toMatchObject({ state: 'ready', runNumber: 0 });
  });

  it('a cancel ends the task, and no run of it starts', async () => {
    const cancel = (id: string) => act(embedded.deps, id, 'cancel', { actor: 'ann', cause: 'api' });
    expect(await startWhile(cancel)).toMatchObject({ state: 'cancelled', runNumber: 0 });
  });

  it('the start waits for 5 s and no longer', async () => {
    const [id] = await submit(embedded, { a: { run: ['true'], evidence } });
    embedded.deps.github!.readBranchHead = () => new Promise(() => {});
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const pass = startAll();
    await vi.advanceTimersByTimeAsync(4_999);
    expect(await newestRun(id!)).toBeNull();
    await vi.advanceTimersByTimeAsync(1);
    await pass;
    expect(await newestRun(id!)).toMatchObject({ branchBefore: { found: 'unread' } });
  });
});

describe('evidence of a lost run', () => {
  /** As it is found for a run that has begun just now, after `meanwhile`. */
  async function findAfter(meanwhile: () => unknown, task: Parameters<typeof begin>[0] = { evidence }) {
    const run = await begin(task);
    meanwhile();
    return find(run);
  }

  it('is what it pushed, counted from the default branch', async () => {
    const found = await findAfter(() => push(evidence.branch, { commits: 3 }));
    expect(found).toEqual({ found: 'commits', branch: 'work/12', base: 'main', aheadBy: 3 });
  });

  it('is what it pushed, counted from the base that the task names', async () => {
    push('release/2', { commits: 2 });
    const task = { evidence: { branch: 'work/12', base: 'release/2' } };
    const found = await findAfter(() => push('work/12', { from: 'release/2' }), task);
    expect(found).toEqual({ found: 'commits', branch: 'work/12', base: 'release/2', aheadBy: 1 });
  });

  it('is what it pushed to a branch that was there before', async () => {
    push();
    expect(await findAfter(() => push())).toMatchObject({ found: 'commits', aheadBy: 2 });
  });

  it.each([
    ['there is no such branch', () => {}, 'there is no branch work/12'],
    ['it has no commit of its own', () => push('work/12', { commits: 0 }), 'has no commit that main has not'],
  ])('is none where %s', async (_what, meanwhile, why) => {
    expect(await findAfter(meanwhile)).toEqual({ found: 'none', why: expect.stringContaining(why) });
  });

  it('is none where the branch is as another left it before the run began, however far ahead', async () => {
    push('work/12', { commits: 5 });
    expect(await findAfter(() => {})).toEqual({
      found: 'none',
      why: 'the branch work/12 is where it was when the run began',
    });
  });

  it.each<BranchBefore | null>([{ found: 'unread' }, null])(
    'is none, and asks nobody, where it is not known where the branch was (%j)',
    async (branchBefore) => {
      const run = await begin();
      push();
      const asked = github.requests().length;
      const found = await find({ ...run, branchBefore });
      expect(found).toEqual({ found: 'none', why: expect.stringContaining('is not known') });
      expect(github.requests()).toHaveLength(asked);
    },
  );

  it('is none where the task names no branch', async () => {
    expect(await findAfter(() => push(), {})).toMatchObject({ found: 'none' });
  });

  it('is unreadable, not none, where its base is not there, and says which', async () => {
    const found = await findAfter(() => push(), { evidence: { branch: 'work/12', base: 'mian' } });
    const why = expect.stringContaining('there is no branch mian');
    expect(found).toEqual({ found: 'unreadable', why, retryable: false });
  });

  it.each([
    ['a trouble of GitHub', { kind: 'answer', status: 502, body: { message: 'Bad gateway' } }, true],
    ['garbage', { kind: 'garbage' }, true],
    ['a dropped connection', { kind: 'drop' }, true],
    ['a limit', { kind: 'secondary_limit' }, true],
    ['a suspension', { kind: 'answer', status: 401, body: { message: 'Bad credentials' } }, true],
    ['a refusal', { kind: 'answer', status: 403, body: { message: 'Resource not accessible by integration' } }, false],
  ] as const)('is unreadable, not none, where the answer is %s', async (_what, trouble, retryable) => {
    for (const path of ['branches', 'compare']) {
      const found = await findAfter(() => {
        push();
        github.faults.add({ ...trouble, path: `/repos/acme/widgets/${path}/*` });
      });
      expect(found, path).toEqual({ found: 'unreadable', why: expect.any(String), retryable });
      github.faults.clear();
      github.deleteBranch(NAME, 'work/12', { by: 'ann' });
    }
  });

  it('is unreadable after 10 s without an answer', async () => {
    const run = await begin();
    embedded.deps.github!.readBranch = () => new Promise(() => {});
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const finding = find(run);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await finding).toMatchObject({ found: 'unreadable', retryable: true });
  });

  it('is unreadable where nothing reads branches', async () => {
    const run = await begin();
    const found = await find(run, { ...embedded.deps, github: makeChecker() });
    expect(found).toMatchObject({ found: 'unreadable', retryable: false });
  });
});

it('a lost run of which GitHub tells nothing keeps its place, says so, and gives it up at a person’s word', async () => {
  const [lost = '', next = ''] = await submit(
    embedded,
    { lost: { run: ['true'], evidence }, next: { run: ['true'] } },
    { max_parallel: 1 },
  );
  await lose(lost);
  github.faults.add({ kind: 'answer', status: 502, body: { message: 'Bad gateway' } });
  await embedded.start();
  await untilTask(embedded, lost, { state: 'running', notBeforeReason: expect.stringContaining("can't be read") });
  const tasks = [(await embedded.deps.store.task(lost))!, (await embedded.deps.store.task(next))!];
  const words = await whyNotRunning(embedded.deps, tasks);
  expect(words.get(lost)).toMatch(/keeps its places until then: done counts it as done, cancel ends it$/);
  expect(words.get(next)).toBe('batch nightly runs 1 of 1 at most');

  await act(embedded.deps, lost, 'done', { actor: 'ann', cause: 'api' });
  await untilTask(embedded, lost, { state: 'done' });
  await untilTask(embedded, next, { state: 'done' });
});

it('lost runs that wait for a silent GitHub take nobody else’s place', async () => {
  const keys = Array.from({ length: 70 }, (_, index) => `t${index}`);
  const ids = await submit(embedded, Object.fromEntries(keys.map((key) => [key, { run: ['true'], evidence }])));
  for (const id of ids) await lose(id);
  const asked = vi.fn(() => new Promise<never>(() => {}));
  embedded.deps.github!.readBranch = asked;
  await embedded.start();
  // Each waits for 10 s: in the places for work it would take the better part of a minute.
  await vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(ids.length), { timeout: 40_000 });
  const task = await embedded.deps.store.task(ids[0]!);
  expect(task).toMatchObject({ state: 'running', cause: null });
}, 60_000);

/** A run of it that its runner knows nothing of. */
async function lose(id: string): Promise<void> {
  const { store, newId } = embedded.deps;
  const task = (await store.task(id))!;
  const startedAt = new Date(Date.now() - 2 * NO_RECORD_GRACE_MS);
  const run = newRun(newId('run'), { task, purpose: 'work', branchBefore: { found: 'none' } }, startedAt);
  await store.commit([
    { write: 'run.insert', run: { ...run, state: 'running', startedAt } },
    { write: 'task.update', id, version: task.version, set: { state: 'running', runNumber: 1, attempt: 1 } },
  ]);
}

async function find(run: Run, deps: Deps = embedded.deps) {
  return (await findEvidence(deps, { task: await taskOf(run), run }))?.evidence;
}

function newestRun(taskId: string): Promise<Run | null> {
  return embedded.deps.store.newestRun(taskId);
}

async function taskOf(run: Run): Promise<Task> {
  return (await embedded.deps.store.task(run.taskId))!;
}
