/** What is kept for a time only: what goes, what is left of it in words, and that nothing that goes on misses it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeActions } from '../../src/app/actions.ts';
import type { Deps } from '../../src/engine/deps.ts';
import { prune } from '../../src/engine/retention/index.ts';
import { rest, submit, taskOf, untilTask, WAIT } from '../support/world.ts';
import { untilAlive } from './programs.ts';
import {
  batchName,
  type ClockedWorld,
  closeWorld,
  eventsOf,
  makeClockedWorld,
  newIssue,
  numberOfRuns,
  startTask,
  untilSettled,
} from './support.ts';

let world: ClockedWorld;

beforeAll(async () => {
  world = await makeClockedWorld({
    operator: [
      'runners:\n  local: { kind: process, repositories: ["acme/*"], grace_seconds: 2 }',
      'retention: { deliveries_days: 5, logs_days: 10, events_days: 20 }\n',
    ].join('\n'),
  });
  await world.start();
});
afterAll(() => closeWorld(world));

const DAY_MS = 86_400_000;

/** The app so many days from now. Its own clock, by which everything else goes, stays. */
function depsIn(days: number): Deps {
  const { deps } = world.app();
  return { ...deps, clock: () => new Date(deps.clock().getTime() + days * DAY_MS) };
}

const pruneIn = (days: number) => prune(depsIn(days));

const directoryOf = (runId: string) => join(world.dir, 'data', 'runs', runId);

async function logIn(days: number, taskId: string): Promise<string | null> {
  return makeActions(depsIn(days), world.app().engine).taskLog(taskId, 1_000);
}

async function finishedTask() {
  const batch = await submit(world, { train: { run: ['echo', 'said'] } }, batchName());
  const task = await untilTask(world, batch, 'train', { state: 'done' });
  await untilSettled(world);
  const run = await world.app().deps.store.newestRun(task.id);
  return { batch, task, runId: run?.id ?? '' };
}

describe('a run that ended long ago', () => {
  it('is on disk until its days are over, and then its log is told of in words', async () => {
    const { task, runId } = await finishedTask();
    await pruneIn(9);
    expect(existsSync(directoryOf(runId))).toBe(true);
    expect(await logIn(11, task.id)).toBe('said\n');
    await pruneIn(11);
    expect(existsSync(directoryOf(runId))).toBe(false);
    expect(await logIn(11, task.id)).toBe('[standdown: the log of run 1 was kept for 10 days and is gone]\n');
    expect((await rest(world, 'GET', `/tasks/${task.id}/log`)).status).toBe(200);
  });

  it('is not missed by its task, nor by the app that looks at it again', async () => {
    const { batch, task, runId } = await finishedTask();
    await pruneIn(11);
    const before = await world.app().deps.store.run(runId);
    await world.stop();
    await world.start();
    await untilSettled(world);
    expect(await world.app().deps.store.run(runId)).toEqual(before);
    expect(await taskOf(world, batch, 'train')).toMatchObject({ state: 'done', cause: 'run_succeeded' });
    expect((await rest(world, 'POST', `/batches/${batch.id}/cancel`)).status).toBeLessThan(500);
    expect(await numberOfRuns(world, task.id)).toBe(1);
  });

  it('can be run again, in the directory of its task', async () => {
    const train = { run: ['sh', '-c', 'cat note && exit 4; echo x >note; exit 3'] };
    const batch = await submit(world, { train }, batchName());
    const task = await untilTask(world, batch, 'train', { state: 'failed' });
    await untilSettled(world);
    await pruneIn(11);
    expect((await rest(world, 'POST', `/tasks/${task.id}/retry`)).status).toBe(202);
    const { store } = world.app().deps;
    await expect.poll(() => store.newestRun(task.id), WAIT).toMatchObject({ number: 2, state: 'failed', exitCode: 4 });
  });
});

describe('what an unfinished task needs', () => {
  it('stays, whatever its age: its run, its log and its events', async () => {
    const issue = newIssue(world);
    const { batch, word, first } = await startTask(world, issue);
    const task = await taskOf(world, batch, 'train');
    const events = await eventsOf(world, { taskId: task.id });
    await pruneIn(1_000);
    expect(existsSync(directoryOf(first.id))).toBe(true);
    expect(await eventsOf(world, { taskId: task.id })).toEqual(events);
    await untilAlive(word);
    issue.close({ by: 'ann', reason: 'completed' });
    await untilTask(world, batch, 'train', { state: 'done', cause: 'issue_completed' });
  });
});

describe('rows', () => {
  it('of deliveries and events go after their days, and the journal is read on from where it was', async () => {
    const issue = newIssue(world);
    await startTask(world, issue);
    issue.close({ by: 'ann', reason: 'completed' });
    await untilSettled(world);
    const [delivery] = world.github.deliveries().filter(({ action }) => action === 'closed');
    const guid = delivery?.guid ?? '';
    const { store } = world.app().deps;
    const cursor = await store.queries.newestEventId();
    await pruneIn(4);
    expect(await store.hasDelivery(guid)).toBe(true);
    await pruneIn(6);
    expect(await store.hasDelivery(guid)).toBe(false);
    expect(await eventsOf(world, { issueNumber: issue.number })).not.toEqual([]);
    await pruneIn(21);
    expect(await eventsOf(world, { issueNumber: issue.number })).toEqual([]);
    expect(await store.queries.events(cursor, 100)).toEqual([]);
    const { task } = await finishedTask();
    const news = await store.queries.events(cursor, 1_000);
    expect(news.map(({ taskId }) => taskId)).toContain(task.id);
  });
});

it('the operator file that is read anew counts from then on', async () => {
  const { runId } = await finishedTask();
  const { deps } = world.app();
  expect(deps.retention).toMatchObject({ deliveriesDays: 5, logsDays: 10, eventsDays: 20 });
  await pruneIn(9);
  expect(existsSync(directoryOf(runId))).toBe(true);
  await world.stop();
  world.operator = world.operator.replace('logs_days: 10', 'logs_days: 8');
  await world.start();
  await pruneIn(9);
  expect(existsSync(directoryOf(runId))).toBe(false);
});
