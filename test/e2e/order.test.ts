/** Webhooks are hints: in whatever order and however late they come, the end is what GitHub's state says. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Delivery } from '../../src/demo/github/index.ts';
import { runOf, taskOf, untilRunning, untilTask, WAIT } from '../support/world.ts';
import { killProgram, nasty, pidsOf, untilAlive, watch } from './programs.ts';
import { outcomesOf } from './rules.ts';
import {
  type ClockedWorld,
  closeWorld,
  eventsOf,
  makeClockedWorld,
  newIssue,
  numberOfRuns,
  type RunningTask,
  startTask,
  sweepNow,
  untilSettled,
} from './support.ts';

let world: ClockedWorld;

beforeAll(async () => {
  world = await makeClockedWorld();
  await world.start();
});

afterAll(() => closeWorld(world));

async function expectUntouched({ batch, word, first }: RunningTask): Promise<void> {
  await untilSettled(world);
  expect(await taskOf(world, batch, 'train')).toMatchObject({ state: 'running', runNumber: 1 });
  expect(await runOf(world, batch, 'train')).toMatchObject({ id: first.id, state: 'running' });
  await untilAlive(word);
}

const reversed = (held: Delivery[]) => held.toReversed();

describe('closed delivered after reopened', () => {
  it('stops nothing', async () => {
    const issue = newIssue(world);
    const task = await startTask(world, issue);
    world.github.webhooks.hold();
    issue.close({ by: 'ann' });
    world.clock.forward();
    issue.reopen({ by: 'ann' });
    await world.github.webhooks.release(reversed);
    await expectUntouched(task);
    expect(outcomesOf(world, issue.number)).toEqual([]);
  });

  it('stops nothing where both are of the same second, in either order or at once', async () => {
    for (const [arrange, together] of [
      [reversed, false],
      [(held: Delivery[]) => held, false],
      [reversed, true],
    ] as const) {
      const issue = newIssue(world);
      const task = await startTask(world, issue);
      world.github.webhooks.hold();
      world.clock.freeze();
      issue.close({ by: 'ann' });
      issue.reopen({ by: 'ann' });
      await world.github.webhooks.release(arrange, { together });
      await untilSettled(world);
      world.clock.thaw();
      await untilSettled(world);
      expect((await taskOf(world, task.batch, 'train')).state).toBe('running');
      await untilAlive(task.word);
    }
  });

  it('does not stop the run that the reopen started', async () => {
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    const { guid } = issue.close({ by: 'ann' });
    await untilTask(world, batch, 'train', { state: 'done' });
    world.clock.forward();
    issue.reopen({ by: 'ann' });
    const second = await untilRunning(world, batch, 'train', 2);
    await world.github.webhooks.redeliver(guid);
    world.clock.forward(120);
    await world.github.webhooks.redeliver(guid);
    await untilSettled(world);
    expect(await runOf(world, batch, 'train')).toMatchObject({ id: second.id, state: 'running' });
    await untilAlive(word);
  });
});

describe('closing, reopening and closing again within a second', () => {
  it.each(['as they come', 'reversed', 'all at once'])('ends as closed (deliveries %s)', async (how) => {
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    world.github.webhooks.hold();
    world.clock.freeze();
    issue.close({ by: 'ann', reason: 'not_planned' });
    issue.reopen({ by: 'ann' });
    issue.close({ by: 'ann', reason: 'not_planned' });
    await world.github.webhooks.release(how === 'reversed' ? reversed : undefined, { together: how === 'all at once' });
    await untilTask(world, batch, 'train', { state: 'cancelled', cause: 'issue_not_planned' });
    world.clock.thaw();
    await untilSettled(world);
    expect(await taskOf(world, batch, 'train')).toMatchObject({ state: 'cancelled', cause: 'issue_not_planned' });
    expect(pidsOf(word)).toEqual([]);
    expect(outcomesOf(world, issue.number)).toHaveLength(1);
  });

  it('ends as closed where each is acted on by itself, and a later reopen brings it back', async () => {
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    world.clock.freeze();
    issue.close({ by: 'ann' });
    await untilTask(world, batch, 'train', { state: 'done' });
    issue.reopen({ by: 'ann' });
    await untilRunning(world, batch, 'train', 2);
    issue.close({ by: 'ann' });
    await untilTask(world, batch, 'train', { state: 'done', runNumber: 2 });
    expect(pidsOf(word)).toEqual([]);
    world.clock.thaw();
    world.clock.forward();
    issue.reopen({ by: 'ann' });
    await untilRunning(world, batch, 'train', 3);
    await untilSettled(world);
    await untilAlive(word);
  });
});

describe('a reopen while the run is stopping', () => {
  it('starts the next run only when the old one is gone, and tells both in one comment', async () => {
    const issue = newIssue(world);
    const { batch, first, word } = await startTask(world, issue, { ...nasty('ignores_term'), grace_seconds: 60 });
    const alive = watch(word);
    try {
      issue.close({ by: 'ann' });
      await expect.poll(() => runOf(world, batch, 'train'), WAIT).toMatchObject({ state: 'stopping' });
      world.clock.forward();
      issue.reopen({ by: 'ann' });
      await expect.poll(() => taskOf(world, batch, 'train'), WAIT).toMatchObject({ target: { becomes: 'requeued' } });
      await untilAlive(word);
      killProgram(word);
      const second = await untilRunning(world, batch, 'train', 2);
      await untilAlive(word);
      await untilSettled(world);
      expect(alive.most()).toBe(1);
      const ended = await world.app().deps.store.run(first.id);
      expect(ended).toMatchObject({ state: 'cancelled', signal: 'KILL' });
      expect(second.startedAt?.getTime()).toBeGreaterThanOrEqual(ended?.goneAt?.getTime() ?? Number.POSITIVE_INFINITY);
    } finally {
      alive.end();
    }
    const [body, ...others] = outcomesOf(world, issue.number);
    expect(others).toEqual([]);
    expect(body).toMatch(/`train` is queued again as run 2\. Run 1 was stopped first \(TERM, gone after/);
  });

  it('and a close after it end as closed, with one run', async () => {
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue, { ...nasty('ignores_term'), grace_seconds: 60 });
    issue.close({ by: 'ann' });
    await expect.poll(() => runOf(world, batch, 'train'), WAIT).toMatchObject({ state: 'stopping' });
    world.clock.forward();
    issue.reopen({ by: 'ann' });
    await expect.poll(() => taskOf(world, batch, 'train'), WAIT).toMatchObject({ target: { becomes: 'requeued' } });
    world.clock.forward();
    issue.close({ by: 'ann', reason: 'not_planned' });
    const target = { becomes: 'ended', ending: { cause: 'issue_not_planned' } };
    await expect.poll(() => taskOf(world, batch, 'train'), WAIT).toMatchObject({ target });
    killProgram(word);
    const task = await untilTask(world, batch, 'train', { state: 'cancelled', cause: 'issue_not_planned' });
    await untilSettled(world);
    expect(await numberOfRuns(world, task.id)).toBe(1);
    expect(pidsOf(word)).toEqual([]);
  });
});

describe('lost webhooks', () => {
  it('cost latency only: the sweep finds the close, and then the reopen with its actor', async () => {
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    world.github.webhooks.lose(1);
    issue.close({ by: 'ann' });
    await untilSettled(world);
    await untilAlive(word);
    await sweepNow(world);
    const task = await untilTask(world, batch, 'train', { state: 'done', actor: 'ann' });
    world.github.webhooks.lose(1);
    world.clock.forward();
    issue.reopen({ by: 'ann' });
    await sweepNow(world);
    await untilRunning(world, batch, 'train', 2);
    const reopened = await eventsOf(world, { type: 'TASK_REQUEUED', taskId: task.id });
    expect(reopened).toMatchObject([{ data: { reason: 'issue_reopened', actor: 'ann' } }]);
  });

  it('of a close and its reopen leave the run alone', async () => {
    const issue = newIssue(world);
    const task = await startTask(world, issue);
    world.github.webhooks.lose(2);
    issue.close({ by: 'ann' });
    world.clock.forward();
    issue.reopen({ by: 'ann' });
    await untilSettled(world);
    await sweepNow(world);
    await expectUntouched(task);
  });

  it('of a reopen and the next close leave the task to the reopen after that', async () => {
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    issue.close({ by: 'ann' });
    await untilTask(world, batch, 'train', { state: 'done' });
    world.github.webhooks.lose(2);
    world.clock.forward();
    issue.reopen({ by: 'ann' });
    world.clock.forward();
    issue.close({ by: 'ann' });
    await sweepNow(world);
    await untilSettled(world);
    expect(await taskOf(world, batch, 'train')).toMatchObject({ state: 'done', runNumber: 1 });
    world.clock.forward();
    issue.reopen({ by: 'ann' });
    await untilRunning(world, batch, 'train', 2);
    await untilAlive(word);
  });
});
