/** What happens while the app is down: runs go on, issues close and reopen, programs end. It is all found at the next start. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endByWord } from '../support/processes.ts';
import { runOf, submit, taskOf, untilRunning, untilTask, WAIT } from '../support/world.ts';
import { finish, finisher, killProgram, nasty, pidOf, pidsOf, sleeper, untilAlive } from './programs.ts';
import { outcomesOf } from './rules.ts';
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

beforeEach(async () => {
  world = await makeClockedWorld();
  await world.start();
});

afterEach(() => closeWorld(world));

describe('while the app was down', () => {
  it('a closed issue stops its run before anything is started, and a reopened one is queued again', async () => {
    const [closes, reopens, waits] = [newIssue(world), newIssue(world), newIssue(world)];
    const [a, b] = [sleeper(), sleeper()];
    const tasks = { a: { issue: closes.number, run: a.run }, b: { issue: waits.number, run: b.run } };
    const batch = await submit(world, tasks, { ...batchName(), max_parallel: 1 });
    await untilRunning(world, batch, 'a');
    const stopped = await startTask(world, reopens);
    reopens.close({ by: 'ann' });
    await untilTask(world, stopped.batch, 'train', { state: 'done' });
    await untilAlive(a.word);
    await untilSettled(world);
    const before = (await journal()).length;
    await world.stop();

    world.clock.forward();
    closes.close({ by: 'ann' });
    reopens.reopen({ by: 'ann' });
    await world.github.webhooks.settled();
    await untilAlive(a.word);
    await world.start();
    await untilTask(world, batch, 'a', { state: 'done', cause: 'issue_completed', actor: 'ann' });
    await untilRunning(world, batch, 'b');
    await untilRunning(world, stopped.batch, 'train', 2);
    expect(pidsOf(a.word)).toEqual([]);
    const types = (await journal()).slice(before).map(({ type }) => type);
    expect(types.filter((type) => type === 'RUN_STOPPING')).toHaveLength(1);
    expect(types.indexOf('RUN_STOPPING')).toBeLessThan(types.indexOf('RUN_STARTING'));
    await untilSettled(world);
    expect(outcomesOf(world, closes.number)).toHaveLength(1);
    expect(outcomesOf(world, reopens.number)).toHaveLength(2);
  });

  it('an issue that closed and reopened leaves its run alone, also when the old close is sent again', async () => {
    const issue = newIssue(world);
    const { batch, word, first } = await startTask(world, issue);
    const pid = await pidOf(word);
    await world.stop();
    const { guid } = issue.close({ by: 'ann' });
    world.clock.forward();
    issue.reopen({ by: 'ann' });
    await world.github.webhooks.settled();
    await world.start();
    const again = await world.github.webhooks.redeliver(guid);
    expect(again.state).toBe('delivered');
    await untilSettled(world);
    expect(await taskOf(world, batch, 'train')).toMatchObject({ state: 'running', runNumber: 1 });
    expect(await runOf(world, batch, 'train')).toMatchObject({ id: first.id, state: 'running' });
    await expect.poll(() => pidsOf(word), WAIT).toEqual([pid]);
    expect(outcomesOf(world, issue.number)).toEqual([]);
  });

  it('living runs go on and are adopted, not doubled; they can be stopped as before', async () => {
    const issue = newIssue(world);
    const { batch, word, first } = await startTask(world, issue);
    const pid = await pidOf(word);
    await world.stop();
    await expect.poll(() => pidsOf(word), WAIT).toEqual([pid]);
    await world.start();
    await untilSettled(world);
    await expect.poll(() => pidsOf(word), WAIT).toEqual([pid]);
    expect(await runOf(world, batch, 'train')).toMatchObject({ id: first.id, state: 'running', number: 1 });
    issue.close({ by: 'ann' });
    await untilTask(world, batch, 'train', { state: 'done', cause: 'issue_completed' });
    expect(pidsOf(word)).toEqual([]);
  });

  it('programs that ended are learnt of with their exit codes', async () => {
    const issues = [newIssue(world), newIssue(world)];
    const programs = [finisher(0), finisher(3)] as const;
    const [fine, bad] = programs.map(({ run }, index) => ({ issue: issues[index]?.number ?? 0, run }));
    const tasks = { ...(fine && { t0: fine }), ...(bad && { t3: bad }) };
    const batch = await submit(world, tasks, batchName());
    for (const { word } of programs) await untilAlive(word);
    await world.stop();
    for (const { word } of programs) {
      await finish(await pidOf(word));
      await untilAlive(word, 0);
    }
    await world.start();
    await untilTask(world, batch, 't0', { state: 'done', cause: 'run_succeeded' });
    await untilTask(world, batch, 't3', { state: 'failed', cause: 'run_failed' });
    expect(await runOf(world, batch, 't0')).toMatchObject({ state: 'succeeded', exitCode: 0, signal: null });
    expect(await runOf(world, batch, 't3')).toMatchObject({ state: 'failed', exitCode: 3, signal: null });
    await untilSettled(world);
    expect(outcomesOf(world, issues[0]?.number ?? 0)).toEqual([]);
    expect(outcomesOf(world, issues[1]?.number ?? 0)[0]).toContain('run 1 ended with exit code 3');
  });

  it('a program that ended before its issue closed has finished: the close finds nothing to stop', async () => {
    const issue = newIssue(world);
    const retry = { attempts: 3, backoff_seconds: 0 };
    const { batch, word } = await startTask(world, issue, { ...finisher(0), retry });
    await world.stop();
    await finish(await pidOf(word));
    await untilAlive(word, 0);
    issue.close({ by: 'ann', reason: 'not_planned' });
    await world.github.webhooks.settled();
    await world.start();
    const task = await untilTask(world, batch, 'train', { state: 'done', cause: 'run_succeeded' });
    await untilSettled(world);
    expect(await numberOfRuns(world, task.id)).toBe(1);
    expect(outcomesOf(world, issue.number)).toEqual([]);
    world.clock.forward();
    issue.reopen({ by: 'ann' });
    await untilSettled(world);
    expect(await taskOf(world, batch, 'train')).toMatchObject({ state: 'done', cause: 'run_succeeded' });
  });

  it('a program that somebody killed has failed by that signal, and is tried again within its budget', async () => {
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue, { ...sleeper(), retry: { attempts: 2, backoff_seconds: 0 } });
    await world.stop();
    killProgram(word);
    await untilAlive(word, 0);
    await world.start();
    await untilRunning(world, batch, 'train', 2);
    expect((await eventsOf(world, { type: 'RUN_ENDED' }))[0]?.data).toMatchObject({ state: 'failed', signal: 'KILL' });
  });

  it('a program that vanished with its supervisor is lost: no exit code is made up, and it costs the work no attempt', async () => {
    const issue = newIssue(world);
    const program = { ...nasty('plain'), retry: { attempts: 1, backoff_seconds: 0, environment_attempts: 2 } };
    const { batch, word } = await startTask(world, issue, program);
    for (const number of [1, 2]) {
      await untilRunning(world, batch, 'train', number);
      await untilAlive(word);
      await world.stop();
      endByWord(word);
      await world.start();
    }
    const task = await untilTask(world, batch, 'train', { state: 'failed', cause: 'runner_lost' });
    await untilSettled(world);
    const lost = { state: 'lost', failureClass: 'environment', exitCode: null, signal: null };
    const runs = (await world.app().deps.store.queries.runsOfTasks([task.id])).get(task.id);
    expect(runs).toMatchObject([lost, lost]);
    expect(outcomesOf(world, issue.number)).toHaveLength(1);
    expect(outcomesOf(world, issue.number)[0]).toContain('vanished without an exit record');
  });
});

async function journal() {
  return world.app().deps.store.queries.events(null, 100_000);
}
