/** Anybody's close stops; only who may start work starts it. Who that is, GitHub's permission endpoint says at the time. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { REPOSITORY, runOf, submit, taskOf, untilRunning, untilTask, WAIT } from '../support/world.ts';
import { pidsOf, sleeper, untilAlive } from './programs.ts';
import { outcomesOf } from './rules.ts';
import {
  batchName,
  batchState,
  type ClockedWorld,
  closeWorld,
  eventsOf,
  makeClockedWorld,
  newIssue,
  numberOfRuns,
  startTask,
  sweepNow,
  untilSettled,
} from './support.ts';

let world: ClockedWorld;

beforeAll(async () => {
  world = await makeClockedWorld();
  world.github.addUser('reader');
  world.github.setPermission(REPOSITORY, 'reader', 'read');
  await world.start();
});

afterEach(() => world.github.faults.clear());

afterAll(() => closeWorld(world));

const PERMISSION = '/repos/{owner}/{repo}/collaborators/{username}/permission';

describe('a reopen that was refused', () => {
  const refusals = (number: number) => eventsOf(world, { type: 'TASK_REQUEUE_REFUSED', issueNumber: number });

  it.each([
    ['told of by a webhook', { lost: 1, isSwept: false }],
    ['found by the sweep alone', { lost: 2, isSwept: true }],
  ])(
    'keeps no later one from starting the task, though the close between them was never seen (%s)',
    async (_, { lost, isSwept }) => {
      const issue = newIssue(world);
      const { batch, word } = await startTask(world, issue);
      issue.close({ by: 'ann', reason: 'completed' });
      await untilTask(world, batch, 'train', { state: 'done' });
      world.clock.forward();
      issue.reopen({ by: 'tom' });
      await expect.poll(async () => (await refusals(issue.number)).length, WAIT).toBe(1);
      await untilSettled(world);
      world.clock.forward();
      world.github.webhooks.lose(lost);
      issue.close({ by: 'ann', reason: 'not_planned' });
      world.clock.forward();
      issue.reopen({ by: 'ann' });
      if (isSwept) await sweepNow(world);
      await untilRunning(world, batch, 'train', 2);
      await untilAlive(word);
      await untilSettled(world);
      const closes = await eventsOf(world, { type: 'ISSUE_CLOSED', issueNumber: issue.number });
      expect(closes.map(({ data }) => data.actor)).toEqual(['ann', 'ann']);
      expect(await refusals(issue.number)).toHaveLength(1);
    },
  );

  it('is refused once, however often the issue is looked at', async () => {
    const issue = newIssue(world);
    const { batch } = await startTask(world, issue);
    issue.close({ by: 'ann', reason: 'completed' });
    await untilTask(world, batch, 'train', { state: 'done' });
    world.clock.forward();
    issue.reopen({ by: 'tom' });
    await expect.poll(async () => (await refusals(issue.number)).length, WAIT).toBe(1);
    for (const title of ['One', 'Two']) {
      world.clock.forward();
      issue.edit({ by: 'ann', title });
      await untilSettled(world);
      await sweepNow(world);
    }
    expect((await taskOf(world, batch, 'train')).state).toBe('done');
    expect(await refusals(issue.number)).toHaveLength(1);
    expect(outcomesOf(world, issue.number)).toHaveLength(2);
  });
});

describe('a reopen whose actor has to be looked up', () => {
  it('is not judged by what came after it: closed and reopened again meanwhile, the task runs', async () => {
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    issue.close({ by: 'ann', reason: 'completed' });
    await untilTask(world, batch, 'train', { state: 'done' });
    const events = `/repos/{owner}/{repo}/issues/${issue.number}/events`;
    const silence = world.github.faults.add({ kind: 'answer', status: 502, path: events });
    world.clock.forward();
    world.github.webhooks.lose(3);
    issue.reopen({ by: 'ann' });
    await sweepNow(world);
    const asked = () => world.github.requests().some(({ path }) => path.endsWith(`/${issue.number}/events`));
    await expect.poll(asked, WAIT).toBe(true);
    world.clock.forward();
    issue.close({ by: 'ann', reason: 'completed' });
    silence();
    await untilSettled(world);
    expect((await taskOf(world, batch, 'train')).state).toBe('done');
    world.clock.forward();
    issue.reopen({ by: 'ann' });
    await sweepNow(world);
    await untilRunning(world, batch, 'train', 2);
    await untilAlive(word);
    await untilSettled(world);
    expect((await eventsOf(world, { type: 'TASK_REQUEUE_REFUSED', issueNumber: issue.number })).length).toBe(0);
  });
});

describe("an issue's author without any role", () => {
  it('stops the work by closing it, which ends it cancelled, and is told who could change that', async () => {
    const issue = newIssue(world, 'stranger');
    const { batch, word } = await startTask(world, issue);
    issue.close({ by: 'stranger', reason: 'completed' });
    await untilTask(world, batch, 'train', { state: 'cancelled', cause: 'issue_closed', actor: 'stranger' });
    expect(pidsOf(word)).toEqual([]);
    await untilSettled(world);
    const [body, ...others] = outcomesOf(world, issue.number);
    expect(others).toEqual([]);
    expect(body).toContain('the task is **cancelled**');
    expect(body).toMatch(/only from somebody with triage permission/);
    expect(body).toMatch(/needs write permission/);
  });

  it('starts nothing by reopening it, and somebody with write permission does', async () => {
    const issue = newIssue(world, 'stranger');
    const { batch, word } = await startTask(world, issue);
    issue.close({ by: 'stranger' });
    await untilTask(world, batch, 'train', { state: 'cancelled' });
    world.clock.forward();
    issue.reopen({ by: 'stranger' });
    await untilSettled(world);
    const task = await taskOf(world, batch, 'train');
    expect(task).toMatchObject({ state: 'cancelled', cause: 'issue_closed' });
    expect(await numberOfRuns(world, task.id)).toBe(1);
    const [, refusal, ...others] = outcomesOf(world, issue.number);
    expect(others).toEqual([]);
    expect(refusal).toContain('nothing was queued again');
    expect(refusal).toContain('Somebody with write permission can queue it again');

    world.clock.forward();
    issue.close({ by: 'ann' });
    // Seen together, the two would leave the issue as it was: open.
    await untilSettled(world);
    world.clock.forward();
    issue.reopen({ by: 'ann' });
    await untilRunning(world, batch, 'train', 2);
    await untilSettled(world);
    await untilAlive(word);
    expect(outcomesOf(world, issue.number)).toHaveLength(3);
  });

  it('does not satisfy the needs of other tasks by closing it', async () => {
    const issue = newIssue(world, 'stranger');
    const { word, run } = sleeper();
    const next = sleeper();
    const tasks = { fetch: { issue: issue.number, run }, train: { needs: ['fetch'], run: next.run } };
    const batch = await submit(world, tasks, batchName());
    await untilRunning(world, batch, 'fetch');
    world.clock.forward();
    issue.close({ by: 'stranger', reason: 'completed' });
    await untilTask(world, batch, 'train', { state: 'skipped', cause: 'dependency' });
    await untilSettled(world);
    expect([...pidsOf(word), ...pidsOf(next.word)]).toEqual([]);
  });

  it('starts nothing while the run is stopping either, nor does a reader', async () => {
    const issue = newIssue(world, 'stranger');
    const { batch } = await startTask(world, issue);
    world.github.webhooks.hold();
    issue.close({ by: 'ann' });
    world.clock.forward();
    issue.reopen({ by: 'reader' });
    world.clock.forward();
    await world.github.webhooks.release((held) => held.slice(0, 1));
    await world.github.webhooks.release();
    await untilSettled(world);
    const task = await taskOf(world, batch, 'train');
    // Whether the close was acted on before its reopen was known, nobody without permission has started a second run.
    expect(await numberOfRuns(world, task.id)).toBe(1);
  });
});

describe('a closer', () => {
  it('with triage permission makes the task done', async () => {
    const issue = newIssue(world);
    const { batch } = await startTask(world, issue);
    issue.close({ by: 'tom', reason: 'completed' });
    await untilTask(world, batch, 'train', { state: 'done', cause: 'issue_completed', actor: 'tom' });
    await expect.poll(() => batchState(world, batch.id), WAIT).toBe('completed');
  });

  it('with a custom role counts by what it grants', async () => {
    world.github.addUser('carl');
    world.github.setPermission(REPOSITORY, 'carl', 'triage', 'issue-gardener');
    const issue = newIssue(world);
    const { batch } = await startTask(world, issue);
    issue.close({ by: 'carl' });
    await untilTask(world, batch, 'train', { state: 'done', actor: 'carl' });
    world.clock.forward();
    issue.reopen({ by: 'carl' });
    await untilSettled(world);
    expect((await taskOf(world, batch, 'train')).state).toBe('done');
    expect(outcomesOf(world, issue.number)[1]).toContain('nothing was queued again');
  });

  it('whose permission can not be read stops the work at once all the same, and it ends cancelled', async () => {
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    world.github.faults.add({ kind: 'answer', status: 500, path: PERMISSION });
    issue.close({ by: 'ann' });
    await expect.poll(() => pidsOf(word), WAIT).toEqual([]);
    expect((await taskOf(world, batch, 'train')).state).toBe('running');
    await untilTask(world, batch, 'train', { state: 'cancelled', cause: 'issue_closed', actor: 'ann' });
    await untilSettled(world);
    const [body, ...others] = outcomesOf(world, issue.number);
    expect(others).toEqual([]);
    expect(body).toContain('GitHub did not tell');
  });

  it('whose permission can be read after a while is believed then', async () => {
    const issue = newIssue(world);
    const { batch } = await startTask(world, issue);
    world.github.faults.add({ kind: 'answer', status: 502, path: PERMISSION, times: 2 });
    issue.close({ by: 'ann' });
    await untilTask(world, batch, 'train', { state: 'done', cause: 'issue_completed' });
  });
});

describe('a reopener', () => {
  it('whose permission can not be read starts nothing, and the comment says so', async () => {
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    issue.close({ by: 'ann' });
    const task = await untilTask(world, batch, 'train', { state: 'done' });
    world.github.faults.add({ kind: 'answer', status: 503, path: PERMISSION });
    world.clock.forward();
    issue.reopen({ by: 'ann' });
    await expect.poll(() => outcomesOf(world, issue.number).length, WAIT).toBe(2);
    await untilSettled(world);
    expect(outcomesOf(world, issue.number)[1]).toContain('GitHub did not tell whether who reopened the issue may');
    expect((await taskOf(world, batch, 'train')).state).toBe('done');
    expect(await numberOfRuns(world, task.id)).toBe(1);
    expect(pidsOf(word)).toEqual([]);
  });

  it('found by the sweep is read from the events, and judged as any other', async () => {
    const [mine, theirs] = [newIssue(world), newIssue(world)];
    const first = await startTask(world, mine);
    const second = await startTask(world, theirs);
    mine.close({ by: 'tom' });
    theirs.close({ by: 'tom' });
    await untilTask(world, first.batch, 'train', { state: 'done' });
    await untilTask(world, second.batch, 'train', { state: 'done' });
    world.github.webhooks.lose(2);
    world.clock.forward();
    mine.reopen({ by: 'ann' });
    theirs.reopen({ by: 'stranger' });
    await sweepNow(world);
    await untilRunning(world, first.batch, 'train', 2);
    await untilSettled(world);
    const ends = await taskOf(world, first.batch, 'train');
    expect(await eventsOf(world, { type: 'TASK_REQUEUED', taskId: ends.id })).toMatchObject([
      { data: { actor: 'ann' } },
    ]);
    expect(await taskOf(world, second.batch, 'train')).toMatchObject({ state: 'done', runNumber: 1 });
    expect((await runOf(world, second.batch, 'train'))?.number).toBe(1);
    expect(outcomesOf(world, theirs.number)[1]).toContain('reopened by **stranger**, and nothing was queued again');
  });
});
