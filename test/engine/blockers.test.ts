/** Issues that block issues, where GitHub is slow, silent or changes between two looks. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  act,
  applyChanges,
  checkAllActive,
  checkTask,
  type Dependency,
  GitHubError,
  type WorkLease,
} from '../../src/engine/index.ts';
import { parseKey, SCHEDULE_KEY } from '../../src/engine/keys.ts';
import { makeNeedsGraphs } from '../../src/engine/needs-graphs.ts';
import { reconcileBatch } from '../../src/engine/reconcile-batch.ts';
import { reconcileIssue } from '../../src/engine/reconcile-issue.ts';
import { reconcileTask } from '../../src/engine/reconcile-task.ts';
import { makeStartPace } from '../../src/engine/start-pace.ts';
import { startReady } from '../../src/engine/start-ready.ts';
import { viewBlockersOf } from '../../src/engine/view-blockers.ts';
import { type Checker, makeChecker } from '../fixtures/engine/checker.ts';
import { type Embedded, embed, REPOSITORY, submit } from '../fixtures/engine/embedded.ts';

const TASK_ISSUE = 1;
const BLOCKER = 5;
const LAST_TRY = 3;

let checker: Checker;
let embedded: Embedded;
beforeEach(async () => {
  checker = makeChecker();
  embedded = await embed(checker);
});
afterEach(() => embedded.close());

const refOf = (number: number) => ({ repositoryId: REPOSITORY.id, number });

/** The task's issue is blocked, by GitHub's own dependencies, by these issues. */
function blockedBy(...numbers: number[]): void {
  checker.set(TASK_ISSUE, { state: 'open', blockedByCount: numbers.length });
  checker.readDependencies = async () => numbers.map(dependencyOn);
}

function dependencyOn(number: number): Dependency {
  return {
    repository: REPOSITORY,
    label: `${REPOSITORY.fullName}#${number}`,
    number,
    issue: {} as Dependency['issue'],
  };
}

type Sort = (keys: string[]) => string[];

const asTheyCome: Sort = (keys) => keys;
const startsFirst: Sort = (keys) => [...keys].sort((a, b) => Number(b === SCHEDULE_KEY) - Number(a === SCHEDULE_KEY));
const startsLast: Sort = (keys) => startsFirst([...keys].reverse()).reverse();

/** Works off what is due, one key after the other, until nothing is. A failure leaves its key to the next call. */
async function workOff(sort: Sort = asTheyCome): Promise<void> {
  const { queue } = embedded.deps.store;
  const failed: WorkLease[] = [];
  for (;;) {
    const leases = await queue.claim('test', 99, 60_000);
    if (leases.length === 0) break;
    for (const key of sort(leases.map((lease) => lease.key))) {
      const lease = leases.find((one) => one.key === key)!;
      if (await handled(key)) await queue.complete(lease);
      else failed.push(lease);
    }
  }
  for (const lease of failed) await queue.fail(lease, embedded.deps.clock(), 'no answer');
}

async function handled(key: string): Promise<boolean> {
  try {
    await handle(key);
    return true;
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    return false;
  }
}

async function handle(key: string): Promise<unknown> {
  const { deps } = embedded;
  const work = parseKey(key);
  switch (work?.kind) {
    case 'task':
      return reconcileTask(deps, work.id);
    case 'batch':
      return reconcileBatch(deps, makeNeedsGraphs(deps.store), work.id);
    case 'issue':
      return reconcileIssue(deps, work.ref);
    case 'schedule':
      return startReady(deps, makeStartPace({}));
    default:
      throw new Error(`what is ${key}?`);
  }
}

async function taskOf(id: string | undefined) {
  return (await embedded.deps.store.task(id ?? ''))!;
}

async function statuses(): Promise<string[]> {
  return (await viewBlockersOf(embedded.deps, refOf(TASK_ISSUE))).map(({ label, status }) => `${label} ${status}`);
}

async function submitTask(run: readonly string[] = embedded.long): Promise<string> {
  return (await submit(embedded, { train: { run, issue: TASK_ISSUE } }))[0]!;
}

async function eventsOf(type: string) {
  return (await embedded.deps.store.queries.events(null, 10_000)).filter((event) => event.type === type);
}

describe('a task whose issue is blocked from the beginning', () => {
  it.each([
    ['as it comes', asTheyCome],
    ['starts first', startsFirst],
    ['starts last', startsLast],
  ])('is never started, however its issue and the start race: %s', async (_, sort) => {
    checker.set(BLOCKER, { state: 'open' });
    blockedBy(BLOCKER);
    const id = await submitTask();
    await workOff(sort);
    expect(await taskOf(id)).toMatchObject({ state: 'blocked', cause: 'blocker', runNumber: 0 });
  });

  it('is blocked at its start where the block came after it was queued', async () => {
    checker.set(BLOCKER, { state: 'open' });
    checker.set(TASK_ISSUE, { state: 'open' });
    const id = await submitTask();
    blockedBy(BLOCKER);
    await startReady(embedded.deps, makeStartPace({}));
    expect(await taskOf(id)).toMatchObject({ state: 'ready', runNumber: 0 });
    await workOff(startsFirst);
    expect(await taskOf(id)).toMatchObject({ state: 'blocked', cause: 'blocker', runNumber: 0 });
  });

  it('waits for a person where GitHub counts a blocker that the App can not see', async () => {
    checker.set(BLOCKER, { state: 'open' });
    blockedBy(BLOCKER);
    checker.set(TASK_ISSUE, { state: 'open', blockedByCount: 2 });
    const id = await submitTask();
    await workOff();
    expect(await taskOf(id)).toMatchObject({ state: 'blocked', cause: 'blocker', runNumber: 0 });
    expect(await statuses()).toEqual([`${REPOSITORY.fullName}#5 open`, 'hidden#1 unreadable']);
    expect(await act(embedded.deps, id, 'release', { actor: 'ann', cause: 'api' })).toMatchObject({
      result: 'accepted',
    });
    await workOff();
    expect(await taskOf(id)).toMatchObject({ state: 'running', runNumber: 1 });
  });

  it('is blocked by nothing where its only dependency is taken away between two reads', async () => {
    checker.set(BLOCKER, { state: 'open' });
    blockedBy(BLOCKER);
    checker.readDependencies = async () => {
      checker.set(TASK_ISSUE, { state: 'open', blockedByCount: 0 });
      return [];
    };
    const id = await submitTask();
    await workOff();
    expect(await statuses()).toEqual([]);
    expect(await taskOf(id)).toMatchObject({ state: 'running', runNumber: 1 });
  });

  it('does not start while its blockers can not be read, and others do; then it starts without delay', async () => {
    const { readDependencies } = checker;
    checker.set(2, { state: 'open' });
    checker.set(TASK_ISSUE, { state: 'open', blockedByCount: 1 });
    checker.readDependencies = async () => {
      throw new GitHubError('retryable', 'no answer');
    };
    const [blind, other] = await submit(embedded, {
      blind: { run: embedded.long, issue: TASK_ISSUE },
      other: { run: embedded.long, issue: 2 },
    });
    await workOff();
    expect(await taskOf(blind)).toMatchObject({ state: 'ready', runNumber: 0 });
    expect(await taskOf(other)).toMatchObject({ state: 'running', runNumber: 1 });
    checker.readDependencies = readDependencies;
    checker.set(TASK_ISSUE, { state: 'open', blockedByCount: 0 });
    await workOff();
    expect(await taskOf(blind)).toMatchObject({ state: 'running', runNumber: 1, notBefore: null });
  });

  it('waits where nobody can say who wrote the line', async () => {
    checker.set(BLOCKER, { state: 'open' });
    checker.set(TASK_ISSUE, { state: 'open', dependsOn: [`#${BLOCKER}`] });
    checker.readEditor = async () => {
      throw new GitHubError('retryable', 'no answer');
    };
    const id = await submitTask();
    await workOff();
    await reconcileIssue(embedded.deps, refOf(TASK_ISSUE), LAST_TRY);
    await workOff();
    expect(await embedded.deps.store.blockersOf(refOf(TASK_ISSUE))).toMatchObject([{ state: 'active', addedBy: null }]);
    expect(await taskOf(id)).toMatchObject({ state: 'blocked', cause: 'blocker' });
  });

  it.each([
    ['is a pull request', { state: 'open', isPullRequest: true } as const, `#${BLOCKER}`, 'running'],
    ['is the issue itself', { state: 'open' } as const, `#${TASK_ISSUE}`, 'running'],
    ['never was', null, `#${BLOCKER}`, 'blocked'],
    ['is in a repository that can not be read', null, 'acme/secret#1', 'blocked'],
  ])('goes by what its line names: it %s', async (_, named, line, state) => {
    if (named !== null) checker.set(BLOCKER, named);
    checker.set(TASK_ISSUE, { state: 'open', dependsOn: [line] });
    const id = await submitTask();
    await workOff();
    expect(await taskOf(id)).toMatchObject({ state });
  });

  it('learns of a repository that the App is given later from the sweep', async () => {
    checker.set(TASK_ISSUE, { state: 'open', dependsOn: ['acme/secret#8'] });
    checker.set(8, { state: 'closed', reason: 'completed' });
    const id = await submitTask();
    await workOff();
    expect(await statuses()).toEqual(['acme/secret#8 unreadable']);
    const { findRepository } = checker;
    checker.findRepository = async (name) =>
      name === 'acme/secret' ? { id: '8', fullName: name, installationId: null } : findRepository(name);
    await checkAllActive(embedded.deps);
    await workOff();
    expect(await statuses()).toEqual(['acme/secret#8 resolved']);
    expect(await taskOf(id)).toMatchObject({ state: 'running' });
  });
});

describe('a dependency that is taken away', () => {
  async function takeAway(): Promise<string> {
    checker.set(BLOCKER, { state: 'open' });
    blockedBy(BLOCKER);
    const id = await submitTask();
    await workOff();
    blockedBy();
    await checkTask(embedded.deps, id);
    return id;
  }

  it('blocks on where nobody can say who did it', async () => {
    const id = await takeAway();
    await workOff();
    expect(await statuses()).toEqual([`acme/widgets#${BLOCKER} judging`]);
    await reconcileIssue(embedded.deps, refOf(TASK_ISSUE), LAST_TRY);
    await workOff();
    expect(await statuses()).toEqual([`acme/widgets#${BLOCKER} not_permitted`]);
    expect(await taskOf(id)).toMatchObject({ state: 'blocked' });
  });

  it('blocks no more where who did it may release', async () => {
    checker.readUnblockers = async () => ['ann'];
    const id = await takeAway();
    await workOff();
    expect(await embedded.deps.store.blockersOf(refOf(TASK_ISSUE))).toEqual([]);
    expect(await taskOf(id)).toMatchObject({ state: 'running', generation: 2 });
    expect(await eventsOf('ISSUE_UNBLOCKED')).toMatchObject([{ data: { actor: 'ann' } }]);
  });

  it('blocks nothing where it was resolved, whoever took it away', async () => {
    checker.set(BLOCKER, { state: 'closed', reason: 'completed' });
    blockedBy(BLOCKER);
    const id = await submitTask();
    await reconcileIssue(embedded.deps, refOf(TASK_ISSUE));
    await reconcileIssue(embedded.deps, refOf(BLOCKER));
    blockedBy();
    await checkTask(embedded.deps, id);
    expect(await statuses()).toEqual([`acme/widgets#${BLOCKER} resolved`]);
    await workOff();
    expect(await statuses()).toEqual([]);
    expect(await taskOf(id)).toMatchObject({ state: 'running', generation: 1 });
  });

  it('blocks on where one of those who took several away may not release', async () => {
    checker.set(BLOCKER, { state: 'open' });
    checker.set(6, { state: 'open' });
    blockedBy(BLOCKER, 6);
    const id = await submitTask();
    await workOff();
    blockedBy();
    checker.readUnblockers = async () => ['ann', 'tom'];
    checker.readPermission = async (_, login) => (login === 'tom' ? 'triage' : 'write');
    await checkTask(embedded.deps, id);
    await workOff();
    expect(await statuses()).toEqual(['acme/widgets#5 not_permitted', 'acme/widgets#6 not_permitted']);
    expect((await eventsOf('ISSUE_BLOCKER_KEPT')).map(({ data }) => data.actor)).toEqual(['tom', 'tom']);
    expect(await taskOf(id)).toMatchObject({ state: 'blocked' });
  });
});

describe('by the engine as a library', () => {
  it('a close and a reopen of what blocks are found, each once, and acted on', async () => {
    const { deps } = embedded;
    checker.set(BLOCKER, { state: 'open' });
    blockedBy(BLOCKER);
    const id = await submitTask();
    await workOff();
    checker.set(BLOCKER, { state: 'closed', reason: 'completed' });
    const { changes } = await checkAllActive(deps);
    expect(changes).toEqual([{ taskId: id, kind: 'blocker_resolved', source: 'github', issue: refOf(BLOCKER) }]);
    expect(await applyChanges(deps, changes)).toMatchObject({ tasksRequeued: 1, errors: [] });
    expect(await applyChanges(deps, changes)).toMatchObject({ tasksRequeued: 0, errors: [] });
    expect(await checkTask(deps, id)).toEqual([]);
    checker.set(BLOCKER, { state: 'open' });
    const again = await checkTask(deps, id);
    expect(again).toMatchObject([{ taskId: id, kind: 'blocked', issue: refOf(BLOCKER) }]);
    await applyChanges(deps, again);
    expect(await taskOf(id)).toMatchObject({ state: 'blocked', cause: 'blocker', runNumber: 0 });
    expect(await eventsOf('RECONCILIATION_TASK_REQUEUED')).toHaveLength(1);
  });

  it('a task without an issue is blocked, and let go, by the word of who embeds it', async () => {
    const { deps } = embedded;
    await deps.store.commit([{ write: 'repository.put', repository: REPOSITORY }]);
    const [id] = await submit(embedded, { alone: { run: embedded.long } });
    const change = { taskId: id!, source: 'manual', issue: null, actor: 'ann' } as const;
    await applyChanges(deps, [{ ...change, kind: 'blocked', text: 'no licence' }]);
    expect(await taskOf(id)).toMatchObject({ state: 'blocked', blockers: [{ question: 'no licence', actor: 'ann' }] });
    const result = await applyChanges(deps, [{ ...change, kind: 'blocker_resolved' }]);
    expect(result).toMatchObject({ tasksRequeued: 1, errors: [] });
    await workOff();
    expect(await taskOf(id)).toMatchObject({ state: 'running', blockers: [] });
  });
});

it.each(['active', 'kept'] as const)(
  'a blocker (%s) that was reopened while nobody waited blocks at the start',
  async (state) => {
    const { deps } = embedded;
    checker.set(BLOCKER, { state: 'closed', reason: 'completed' });
    blockedBy(BLOCKER);
    const id = await submitTask();
    await reconcileIssue(deps, refOf(TASK_ISSUE));
    await reconcileIssue(deps, refOf(BLOCKER));
    const [edge] = await deps.store.blockersOf(refOf(TASK_ISSUE));
    await deps.store.commit([{ write: 'blocker.put', blocker: { ...edge!, state } }]);
    expect(await statuses()).toEqual([`acme/widgets#${BLOCKER} resolved`]);
    checker.set(BLOCKER, { state: 'open' });
    const row = (await deps.store.issue(refOf(BLOCKER)))!;
    const set = { observedAt: new Date(Date.now() - 3_600_000) };
    await deps.store.commit([{ write: 'issue.update', ref: refOf(BLOCKER), version: row.version, set }]);
    await startReady(deps, makeStartPace({}));
    expect(await taskOf(id)).toMatchObject({ state: 'blocked', cause: 'blocker', runNumber: 0 });
  },
);

it('a blocker that is itself blocked asks for no look by each sweep that reads it', async () => {
  const { deps } = embedded;
  checker.set(BLOCKER, { state: 'open', blockedByCount: 1 });
  blockedBy(BLOCKER);
  const id = await submitTask();
  await workOff();
  expect(await taskOf(id)).toMatchObject({ state: 'blocked', cause: 'blocker' });
  expect(await checkAllActive(deps)).toEqual({ changes: [], errors: [] });
  expect(await deps.store.queries.backlog()).toMatchObject({ keys: 0 });
});

describe('a blocker that was resolved long ago', () => {
  beforeEach(() => {
    checker.set(BLOCKER, { state: 'closed', reason: 'completed' });
    blockedBy(BLOCKER);
  });

  it.each([
    ['as it comes', asTheyCome],
    ['starts first', startsFirst],
    ['starts last', startsLast],
  ])('blocks nobody while its closer is being judged: %s', async (_, sort) => {
    const id = await submitTask();
    await workOff(sort);
    expect(await taskOf(id)).toMatchObject({ state: 'running', generation: 1 });
    for (const type of ['TASK_BLOCKED', 'BATCH_STATE_CHANGED', 'RECONCILIATION_TASK_REQUEUED']) {
      expect(await eventsOf(type)).toEqual([]);
    }
  });

  it('starts nothing while nobody can say what its closer may do, and then needs a person', async () => {
    checker.readPermission = async () => {
      throw new GitHubError('retryable', 'no answer');
    };
    const id = await submitTask();
    await workOff();
    await workOff();
    expect(await taskOf(id)).toMatchObject({ state: 'ready', runNumber: 0 });
    expect(await embedded.deps.store.batch((await taskOf(id)).batchId!)).toMatchObject({ stuck: false });
    await reconcileIssue(embedded.deps, refOf(BLOCKER), LAST_TRY);
    await workOff();
    expect(await taskOf(id)).toMatchObject({ state: 'blocked', cause: 'blocker', runNumber: 0 });
    expect(await statuses()).toEqual([`acme/widgets#${BLOCKER} not_permitted`]);
  });
});
