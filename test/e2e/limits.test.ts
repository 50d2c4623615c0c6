/** What ends work without anybody's word: budgets, deadlines, silence, and an issue that flaps. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rest, runOf, submit, taskOf, untilRunning, untilTask, WAIT } from '../support/world.ts';
import { nasty, pidsOf, sleeper, untilAlive } from './programs.ts';
import { outcomesOf } from './rules.ts';
import {
  batchName,
  type ClockedWorld,
  closeWorld,
  makeClockedWorld,
  newIssue,
  numberOfRuns,
  startTask,
  untilSettled,
} from './support.ts';

let world: ClockedWorld;

beforeAll(async () => {
  world = await makeClockedWorld();
  await world.start();
});

afterAll(() => closeWorld(world));

describe('a retry budget', () => {
  it('is spent run by run, and only its end is told', async () => {
    const issue = newIssue(world);
    const task = { issue: issue.number, run: ['sh', '-c', 'exit 7'], retry: { attempts: 2, backoff_seconds: 0 } };
    const batch = await submit(world, { train: task }, batchName());
    const { id } = await untilTask(world, batch, 'train', { state: 'failed', cause: 'run_failed', attempt: 2 });
    await untilSettled(world);
    expect(await numberOfRuns(world, id)).toBe(2);
    expect(await runOf(world, batch, 'train')).toMatchObject({ number: 2, exitCode: 7, failureClass: 'work' });
    const [body, ...others] = outcomesOf(world, issue.number);
    expect(others).toEqual([]);
    expect(body).toContain('run 2 ended with exit code 7, after 2 attempts');
  });

  it('of a task whose issue closes meanwhile is spent no further', async () => {
    const issue = newIssue(world);
    const task = { issue: issue.number, run: ['sh', '-c', 'exit 7'], retry: { attempts: 9, backoff_seconds: 300 } };
    const batch = await submit(world, { train: task }, batchName());
    await untilTask(world, batch, 'train', { state: 'ready', attempt: 1 });
    world.clock.forward();
    issue.close({ by: 'ann' });
    const { id } = await untilTask(world, batch, 'train', { state: 'done', cause: 'issue_completed' });
    await untilSettled(world);
    expect(await numberOfRuns(world, id)).toBe(1);
  });
});

describe('a deadline', () => {
  it('that passes stops the run and fails the task, with one comment', async () => {
    const issue = newIssue(world);
    const { word, run } = sleeper();
    const batch = await submit(world, { train: { issue: issue.number, run, timeout_minutes: 0.01 } }, batchName());
    await untilTask(world, batch, 'train', { state: 'failed', cause: 'timeout' });
    expect(pidsOf(word)).toEqual([]);
    expect(await runOf(world, batch, 'train')).toMatchObject({ state: 'failed', cause: 'timeout' });
    await untilSettled(world);
    const [body, ...others] = outcomesOf(world, issue.number);
    expect(others).toEqual([]);
    expect(body).toContain('(timeout)');
  });

  it('counts as a failed attempt', async () => {
    const { run } = sleeper();
    const retry = { attempts: 2, backoff_seconds: 0 };
    const batch = await submit(world, { train: { run, timeout_minutes: 0.01, retry } }, batchName());
    const { id } = await untilTask(world, batch, 'train', { state: 'failed', cause: 'timeout', attempt: 2 });
    expect(await numberOfRuns(world, id)).toBe(2);
  });

  it('whose stop an issue takes over ends as the close says, with one comment', async () => {
    const issue = newIssue(world);
    const retry = { attempts: 5, backoff_seconds: 0 };
    const program = { ...nasty('ignores_term'), timeout_minutes: 0.02, grace_seconds: 5, retry };
    const { batch, word } = await startTask(world, issue, program);
    await expect.poll(() => runOf(world, batch, 'train'), WAIT).toMatchObject({ state: 'stopping', cause: 'timeout' });
    issue.close({ by: 'ann' });
    const { id } = await untilTask(world, batch, 'train', { state: 'done', cause: 'issue_completed' });
    await untilSettled(world);
    expect(await numberOfRuns(world, id)).toBe(1);
    expect(pidsOf(word)).toEqual([]);
    expect(outcomesOf(world, issue.number)).toHaveLength(1);
  });
});

describe('silence', () => {
  it('for longer than allowed ends the run as stalled, and a program that talks goes on', async () => {
    const [silent, talks] = [newIssue(world), newIssue(world)];
    const quiet = sleeper();
    const talker = sleeper();
    const tasks = {
      quiet: { issue: silent.number, run: quiet.run, stall_minutes: 0.03 },
      talker: {
        issue: talks.number,
        run: ['sh', '-c', `while :; do echo still here; sleep 0.1; done; : ${talker.word}`],
        stall_minutes: 0.25,
      },
    };
    const batch = await submit(world, tasks, batchName());
    await untilAlive(talker.word);
    await untilTask(world, batch, 'quiet', { state: 'failed', cause: 'stalled' });
    await untilSettled(world);
    expect(pidsOf(quiet.word)).toEqual([]);
    expect(outcomesOf(world, silent.number)).toHaveLength(1);
    expect(outcomesOf(world, silent.number)[0]).toContain('(stalled)');
    expect(await taskOf(world, batch, 'talker')).toMatchObject({ state: 'running', runNumber: 1 });
  });
});

describe('an issue that flaps', () => {
  it('has its task held after three requeues within the hour; the comment says so, and release starts it', async () => {
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    for (let run = 1; run <= 4; run += 1) {
      issue.close({ by: 'ann' });
      await untilTask(world, batch, 'train', { state: 'done', runNumber: run });
      world.clock.forward();
      issue.reopen({ by: 'ann' });
      if (run < 4) await untilRunning(world, batch, 'train', run + 1);
      world.clock.forward();
    }
    const held = await untilTask(world, batch, 'train', { state: 'ready', hold: expect.anything() });
    await untilSettled(world);
    expect(pidsOf(word)).toEqual([]);
    expect(await numberOfRuns(world, held.id)).toBe(4);
    const told = outcomesOf(world, issue.number);
    expect(told).toHaveLength(8);
    expect(told.at(-1)).toMatch(/It is on hold .*requeued 3 times within an hour.* needs a person's release/);
    expect((await rest(world, 'POST', `/tasks/${held.id}/release`)).status).toBe(202);
    await untilRunning(world, batch, 'train', 5);
    await untilAlive(word);
  });

  it('once has all of its tasks queued again, however many they are', async () => {
    const issue = newIssue(world);
    const programs = Array.from({ length: 5 }, sleeper);
    const tasks = Object.fromEntries(programs.map(({ run }, index) => [`t${index}`, { issue: issue.number, run }]));
    const batch = await submit(world, tasks, { ...batchName(), max_parallel: 8 });
    for (const { word } of programs) await untilAlive(word);
    world.clock.forward();
    issue.close({ by: 'ann' });
    for (const key of Object.keys(tasks)) await untilTask(world, batch, key, { state: 'done' });
    world.clock.forward();
    issue.reopen({ by: 'ann' });
    for (const key of Object.keys(tasks)) await untilRunning(world, batch, key, 2);
    await untilSettled(world);
    expect(outcomesOf(world, issue.number)).toHaveLength(2);
  });
});
