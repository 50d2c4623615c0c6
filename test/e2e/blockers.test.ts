/** Issues that block issues, from the dependency or the line to the run that waited for it. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Task } from '../../src/core/task.ts';
import { viewBlockersOf } from '../../src/engine/view-blockers.ts';
import { REPOSITORY, type RestBatch, rest, submit, taskOf, untilTask, WAIT } from '../support/world.ts';
import { pidsOf, sleeper, untilAlive } from './programs.ts';
import {
  batchName,
  batchState,
  type ClockedWorld,
  closeWorld,
  eventsOf,
  type Hands,
  makeClockedWorld,
  newIssue,
  numberOfRuns,
  startTask,
  sweepNow,
  untilSettled,
} from './support.ts';

const BLOCKED = { state: 'blocked', cause: 'blocker' } as const;
const OTHER = 'acme/data';

let world: ClockedWorld;

beforeAll(async () => {
  world = await makeClockedWorld();
  world.github.addRepository(OTHER);
  world.github.setPermission(OTHER, 'ann', 'write');
  await world.start();
});

afterEach(async () => {
  world.github.faults.clear();
  world.github.webhooks.loseNone();
  // What a test leaves running takes the places of what later ones wait for.
  const { items } = (await rest(world, 'GET', '/batches?state=running')).body as { items: { id: string }[] };
  for (const { id } of items) await rest(world, 'POST', `/batches/${id}/cancel`, { now: true });
});

afterAll(() => closeWorld(world));

interface Waiting {
  batch: RestBatch;
  issue: Hands;
  blockers: Hands[];
  word: string;
}

/** A task that waits for `count` open issues, by dependencies that were there before it. */
async function submitBlocked(count = 1): Promise<Waiting> {
  const blockers = Array.from({ length: count }, () => newIssue(world));
  const issue = newIssue(world);
  for (const { number } of blockers) issue.blockBy({ by: 'ann', number });
  const { word, run } = sleeper();
  const batch = await submit(world, { train: { issue: issue.number, run } }, batchName());
  await untilTask(world, batch, 'train', BLOCKED);
  world.clock.forward();
  return { batch, issue, blockers, word };
}

/** A task on an issue of the stranger with that body. */
async function submitWithBody(body: string): Promise<Omit<Waiting, 'blockers'>> {
  const issue = newIssue(world, 'stranger');
  world.clock.forward();
  issue.edit({ by: 'stranger', body });
  const { word, run } = sleeper();
  const batch = await submit(world, { train: { issue: issue.number, run } }, batchName());
  return { batch, issue, word };
}

/** By number and source. */
async function statusesOf({ issue }: Pick<Waiting, 'issue'>): Promise<string[]> {
  const { repositoryId } = await refOf(issue);
  const views = await viewBlockersOf(world.app().deps, { repositoryId, number: issue.number });
  return views.map(({ label, source, status }) => `${label} ${source} ${status}`);
}

async function refOf({ number }: Hands, repository = REPOSITORY) {
  const known = await world.app().deps.store.repositoryByName(repository);
  return { repositoryId: known?.id ?? '', number };
}

function idOf({ batch }: Pick<Waiting, 'batch'>): string {
  return batch.tasks[0]?.id ?? '';
}

async function untilStatus(waiting: Pick<Waiting, 'issue'>, ...wanted: string[]): Promise<void> {
  await expect.poll(() => statusesOf(waiting), WAIT).toEqual(wanted);
}

async function expectStaysBlocked({ batch, word }: Pick<Waiting, 'batch' | 'word'>): Promise<Task> {
  await untilSettled(world);
  const task = await taskOf(world, batch, 'train');
  expect(task).toMatchObject({ ...BLOCKED, runNumber: 0 });
  expect(pidsOf(word)).toEqual([]);
  return task;
}

/** It runs, for the first time, in the batch that it belongs to, and for one reason only. */
async function expectRunsOnce(waiting: Pick<Waiting, 'batch' | 'word'>): Promise<void> {
  await untilAlive(waiting.word);
  await untilSettled(world);
  const task = await taskOf(world, waiting.batch, 'train');
  expect(task).toMatchObject({ state: 'running', runNumber: 1, requeueReason: 'blocker_resolved' });
  expect(await numberOfRuns(world, task.id)).toBe(1);
  expect(await batchState(world, waiting.batch.id)).toBe('running');
  expect(await eventsOf(world, { type: 'RECONCILIATION_TASK_REQUEUED', taskId: task.id })).toHaveLength(1);
}

describe('a task whose issue is blocked by another', () => {
  it('is not started, and its batch goes on with the others', async () => {
    const blocker = newIssue(world);
    const issue = newIssue(world);
    issue.blockBy({ by: 'ann', number: blocker.number });
    const [blocked, free] = [sleeper(), sleeper()];
    const tasks = { train: { issue: issue.number, run: blocked.run }, free: { run: free.run } };
    const batch = await submit(world, tasks, batchName());
    await untilTask(world, batch, 'free', { state: 'running' });
    await untilTask(world, batch, 'train', BLOCKED);
    await expectStaysBlocked({ batch, word: blocked.word });
    const [event, ...others] = await eventsOf(world, { type: 'TASK_BLOCKED', taskId: idOf({ batch }) });
    expect(others).toEqual([]);
    expect(event?.data).toMatchObject({ blocked_by: [`${REPOSITORY}#${blocker.number}`] });
  });

  it('runs once when that is completed, however often it is told of', async () => {
    const waiting = await submitBlocked();
    const { guid } = waiting.blockers[0]!.close({ by: 'ann', reason: 'completed' });
    await world.github.webhooks.settled();
    await Promise.all([world.github.webhooks.redeliver(guid), sweepNow(world)]);
    await expectRunsOnce(waiting);
    await world.github.webhooks.redeliver(guid);
    await sweepNow(world);
    await expectRunsOnce(waiting);
  });

  it('runs when the sweep finds that it was completed', async () => {
    const waiting = await submitBlocked();
    world.github.webhooks.lose(() => true);
    waiting.blockers[0]!.close({ by: 'ann', reason: 'completed' });
    await world.github.webhooks.settled();
    await sweepNow(world);
    await expectRunsOnce(waiting);
  });

  it('waits for each of two', async () => {
    const waiting = await submitBlocked(2);
    const [first, second] = waiting.blockers;
    first!.close({ by: 'ann', reason: 'completed' });
    await untilStatus(
      waiting,
      `${REPOSITORY}#${first!.number} dependency resolved`,
      `${REPOSITORY}#${second!.number} dependency open`,
    );
    await expectStaysBlocked(waiting);
    second!.close({ by: 'tom', reason: 'completed' });
    await expectRunsOnce(waiting);
  });

  it('stays blocked when that is not planned, and runs when a person says so', async () => {
    const waiting = await submitBlocked();
    waiting.blockers[0]!.close({ by: 'ann', reason: 'not_planned' });
    await untilStatus(waiting, `${REPOSITORY}#${waiting.blockers[0]!.number} dependency not_completed`);
    await expectStaysBlocked(waiting);
    expect((await rest(world, 'POST', `/tasks/${idOf(waiting)}/release`)).status).toBe(202);
    await expectRunsOnce(waiting);
  });

  it('stays blocked when that is completed by someone without permission', async () => {
    const blocker = newIssue(world, 'stranger');
    const issue = newIssue(world);
    issue.blockBy({ by: 'ann', number: blocker.number });
    const { word, run } = sleeper();
    const batch = await submit(world, { train: { issue: issue.number, run } }, batchName());
    await untilTask(world, batch, 'train', BLOCKED);
    world.clock.forward();
    blocker.close({ by: 'stranger', reason: 'completed' });
    await untilStatus({ issue }, `${REPOSITORY}#${blocker.number} dependency not_permitted`);
    await expectStaysBlocked({ batch, word });
    world.clock.forward();
    blocker.reopen({ by: 'ann' });
    world.clock.forward();
    blocker.close({ by: 'ann', reason: 'completed' });
    await expectRunsOnce({ batch, word });
  });

  it('stays blocked when that is deleted', async () => {
    const waiting = await submitBlocked();
    const { number } = waiting.blockers[0]!;
    waiting.blockers[0]!.delete({ by: 'ann' });
    await untilStatus(waiting, `${REPOSITORY}#${number} dependency absent`);
    await sweepNow(world);
    await untilStatus(waiting, `${REPOSITORY}#${number} dependency absent`);
    await expectStaysBlocked(waiting);
    expect((await rest(world, 'POST', `/tasks/${idOf(waiting)}/release`)).status).toBe(202);
    await expectRunsOnce(waiting);
  });

  it('ends with its own issue meanwhile', async () => {
    const waiting = await submitBlocked();
    waiting.issue.close({ by: 'ann', reason: 'not_planned' });
    await untilTask(world, waiting.batch, 'train', { state: 'cancelled', cause: 'issue_not_planned' });
    waiting.blockers[0]!.close({ by: 'ann', reason: 'completed' });
    await untilSettled(world);
    expect(await taskOf(world, waiting.batch, 'train')).toMatchObject({ state: 'cancelled', runNumber: 0 });
  });

  it('waits for an issue of another repository, judged by who may do what there', async () => {
    const blocker = world.github.addIssue(OTHER, { title: 'Data' });
    const issue = newIssue(world);
    issue.blockBy({ by: 'ann', repository: OTHER, number: blocker.number });
    const { word, run } = sleeper();
    const batch = await submit(world, { train: { issue: issue.number, run } }, batchName());
    await untilTask(world, batch, 'train', BLOCKED);
    await untilStatus({ issue }, `${OTHER}#${blocker.number} dependency open`);
    world.clock.forward();
    blocker.close({ by: 'ann', reason: 'completed' });
    await expectRunsOnce({ batch, word });
  });

  it('waits for what is named as well as for what it needs', async () => {
    const blocker = newIssue(world);
    const issue = newIssue(world);
    issue.blockBy({ by: 'ann', number: blocker.number });
    const { word, run } = sleeper();
    const tasks = { fetch: { run: ['true'] }, train: { issue: issue.number, needs: ['fetch'], run } };
    const batch = await submit(world, tasks, batchName());
    await untilTask(world, batch, 'fetch', { state: 'done' });
    await untilTask(world, batch, 'train', BLOCKED);
    world.clock.forward();
    blocker.close({ by: 'ann', reason: 'completed' });
    await untilAlive(word);
    expect(await taskOf(world, batch, 'train')).toMatchObject({ state: 'running', runNumber: 1 });
  });
});

describe('a blocker that is reopened', () => {
  it('blocks what has not started, and leaves alone what runs', async () => {
    const waiting = await submitBlocked();
    const blocker = waiting.blockers[0]!;
    blocker.close({ by: 'ann', reason: 'completed' });
    await expectRunsOnce(waiting);
    const held = { late: { issue: waiting.issue.number, needs: ['gate'], run: sleeper().run } };
    const later = await submit(world, { gate: { run: sleeper().run }, ...held }, batchName());
    world.clock.forward();
    blocker.reopen({ by: 'ann' });
    await untilTask(world, later, 'late', BLOCKED);
    await untilSettled(world);
    expect(await taskOf(world, waiting.batch, 'train')).toMatchObject({ state: 'running', runNumber: 1 });
    await untilAlive(waiting.word);
  });

  it('blocks again what was released before', async () => {
    const blocker = newIssue(world);
    const issue = newIssue(world);
    issue.blockBy({ by: 'ann', number: blocker.number });
    const tasks = { gate: { run: sleeper().run }, train: { issue: issue.number, run: sleeper().run } };
    const batch = await submit(world, tasks, { ...batchName(), strategy: 'serial' });
    await untilTask(world, batch, 'train', BLOCKED);
    world.clock.forward();
    blocker.close({ by: 'ann', reason: 'not_planned' });
    await untilStatus({ issue }, `${REPOSITORY}#${blocker.number} dependency not_completed`);
    const { id } = await taskOf(world, batch, 'train');
    expect((await rest(world, 'POST', `/tasks/${id}/release`)).status).toBe(202);
    await untilTask(world, batch, 'train', { state: 'ready' });
    world.clock.forward();
    blocker.reopen({ by: 'ann' });
    await untilTask(world, batch, 'train', { ...BLOCKED, runNumber: 0 });
  });
});

describe('a dependency', () => {
  it('that is added blocks what has not started, and that is removed by a writer lets it go', async () => {
    const blocker = newIssue(world);
    const issue = newIssue(world);
    const { word, run } = sleeper();
    const tasks = { gate: { run: sleeper().run }, train: { issue: issue.number, needs: ['gate'], run } };
    const batch = await submit(world, tasks, batchName());
    const waiting = { batch: { ...batch, tasks: batch.tasks.filter(({ key }) => key === 'train') }, issue, word };
    issue.blockBy({ by: 'tom', number: blocker.number });
    await untilTask(world, batch, 'train', BLOCKED);
    issue.unblockBy({ by: 'ann', number: blocker.number });
    await untilTask(world, batch, 'train', { state: 'waiting', requeueReason: 'blocker_resolved' });
    expect(await statusesOf(waiting)).toEqual([]);
  });

  it('that is added blocks nothing that runs', async () => {
    const blocker = newIssue(world);
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    issue.blockBy({ by: 'ann', number: blocker.number });
    await untilStatus({ issue }, `${REPOSITORY}#${blocker.number} dependency open`);
    await untilSettled(world);
    expect(await taskOf(world, batch, 'train')).toMatchObject({ state: 'running', runNumber: 1 });
    await untilAlive(word);
  });

  it('that is removed by someone who may not release stays, and is told; added again it is as before', async () => {
    const waiting = await submitBlocked();
    const { number } = waiting.blockers[0]!;
    waiting.issue.unblockBy({ by: 'tom', number });
    await untilStatus(waiting, `${REPOSITORY}#${number} dependency not_permitted`);
    await expectStaysBlocked(waiting);
    const [event] = await eventsOf(world, { type: 'ISSUE_BLOCKER_KEPT', issueNumber: waiting.issue.number });
    expect(event?.data).toMatchObject({ blocker: `${REPOSITORY}#${number}`, actor: 'tom' });
    waiting.issue.blockBy({ by: 'tom', number });
    await untilStatus(waiting, `${REPOSITORY}#${number} dependency open`);
  });

  it('that came and went unheard is found by the sweep', async () => {
    const waiting = await submitBlocked();
    const [known] = waiting.blockers;
    const unheard = newIssue(world);
    await world.github.webhooks.settled();
    world.github.webhooks.lose(() => true);
    waiting.issue.blockBy({ by: 'ann', number: unheard.number });
    await world.github.webhooks.settled();
    await sweepNow(world);
    await untilStatus(
      waiting,
      `${REPOSITORY}#${known!.number} dependency open`,
      `${REPOSITORY}#${unheard.number} dependency open`,
    );
    waiting.issue.unblockBy({ by: 'ann', number: unheard.number });
    waiting.issue.unblockBy({ by: 'ann', number: known!.number });
    await world.github.webhooks.settled();
    await sweepNow(world);
    await expectRunsOnce(waiting);
  });
});

describe('a line of the body', () => {
  it('by a stranger counts for nothing', async () => {
    const blocker = newIssue(world);
    const waiting = await submitWithBody(`Depends on #${blocker.number}`);
    await untilAlive(waiting.word);
    expect(await statusesOf(waiting)).toEqual([`${REPOSITORY}#${blocker.number} body refused`]);
    const [event] = await eventsOf(world, { type: 'ISSUE_BLOCKER_REFUSED', issueNumber: waiting.issue.number });
    expect(event?.data).toMatchObject({ blocker: `${REPOSITORY}#${blocker.number}`, actor: 'stranger' });
  });

  it('by a triager blocks, is kept where a triager removes it, and goes where a writer does', async () => {
    const blockers = [newIssue(world), newIssue(world)];
    const lines = blockers.map(({ number }) => `Depends on #${number}`);
    const issue = newIssue(world, 'stranger');
    world.clock.forward();
    issue.edit({ by: 'tom', body: lines.join('\n') });
    const { word, run } = sleeper();
    const batch = await submit(world, { train: { issue: issue.number, run } }, batchName());
    const waiting = { batch, issue, word };
    await untilTask(world, batch, 'train', BLOCKED);
    const [first, second] = blockers.map(({ number }) => `${REPOSITORY}#${number} body`);
    await untilStatus(waiting, `${first} open`, `${second} open`);
    world.clock.forward();
    issue.edit({ by: 'tom', body: lines[1]! });
    await untilStatus(waiting, `${first} not_permitted`, `${second} open`);
    world.clock.forward();
    issue.edit({ by: 'ann', body: '' });
    await untilStatus(waiting, `${first} not_permitted`);
    await expectStaysBlocked(waiting);
    blockers[0]!.close({ by: 'ann', reason: 'completed' });
    await expectRunsOnce(waiting);
  });
});

it('the failing read of one issue’s blockers keeps no other task from starting', async () => {
  const blocker = newIssue(world);
  const [blind, free] = [newIssue(world), newIssue(world)];
  blind.blockBy({ by: 'ann', number: blocker.number });
  const path = `/repos/${REPOSITORY}/issues/${blind.number}/dependencies/*`;
  world.github.faults.add({ kind: 'answer', status: 502, path });
  const [one, other] = [sleeper(), sleeper()];
  const tasks = { train: { issue: blind.number, run: one.run }, free: { issue: free.number, run: other.run } };
  const batch = await submit(world, tasks, batchName());
  await untilTask(world, batch, 'free', { state: 'running' });
  expect(await taskOf(world, batch, 'train')).toMatchObject({ state: 'ready', runNumber: 0 });
  world.github.faults.clear();
  await untilTask(world, batch, 'train', BLOCKED);
});
