/** The verify stage with real processes: what decides, what is stopped, what is sent again, and who is asked. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rest, submit, taskOf, untilRunning, untilTask } from '../support/world.ts';
import { finish, finisher, killProgram, pidOf, pidsOf, sleeper, untilAlive } from './programs.ts';
import { outcomesOf } from './rules.ts';
import { batchName, type ClockedWorld, closeWorld, makeClockedWorld, newIssue, untilSettled } from './support.ts';

let world: ClockedWorld;

beforeAll(async () => {
  world = await makeClockedWorld();
  await world.start();
});
afterAll(() => closeWorld(world));

interface RunShown {
  number: number;
  purpose: string;
  state: string;
}

async function runsOf(taskId: string): Promise<RunShown[]> {
  const { body } = await rest(world, 'GET', `/tasks/${taskId}`);
  return (body as { runs: RunShown[] }).runs.map(({ number, purpose, state }) => ({ number, purpose, state }));
}

/** A task on an issue of its own whose verify run is alive. */
async function startVerify() {
  const issue = newIssue(world);
  const { word, run } = sleeper();
  const train = { issue: issue.number, run: ['true'], verify: { run }, retry: { backoff_seconds: 0 } };
  const batch = await submit(world, { train }, batchName());
  await untilRunning(world, batch, 'train', 2);
  await untilAlive(word);
  world.clock.forward();
  return { issue, batch, word, id: (await taskOf(world, batch, 'train')).id };
}

describe('a verify run', () => {
  it('works where the work did, with its own words, and decides whether the task is done', async () => {
    const judge = (more: string) => [
      'sh',
      '-c',
      `test "$STANDDOWN_PURPOSE" = verify && grep -q "$WANTED" result${more}`,
    ];
    const run = ['sh', '-c', 'echo "$STANDDOWN_PURPOSE $WANTED" > result'];
    const task = { run, env: { WANTED: 'work' } };
    const tasks = {
      good: { ...task, verify: { run: judge('') } },
      bad: { ...task, verify: { run: judge(''), env: { WANTED: 'more' } } },
      next: { run: ['true'], needs: ['good'] },
    };
    const batch = await submit(world, tasks, batchName());
    const good = await untilTask(world, batch, 'good', { state: 'done', cause: 'run_succeeded', attempt: 1 });
    expect(await runsOf(good.id)).toEqual([
      { number: 1, purpose: 'work', state: 'succeeded' },
      { number: 2, purpose: 'verify', state: 'succeeded' },
    ]);
    const bad = await untilTask(world, batch, 'bad', { state: 'failed', cause: 'verify_failed' });
    expect((await runsOf(bad.id)).map(({ state }) => state)).toEqual(['succeeded', 'failed']);
    await untilTask(world, batch, 'next', { state: 'done' });
  });

  it('is stopped by a close, and the reopen starts at the work', async () => {
    const { issue, batch, word, id } = await startVerify();
    expect(await taskOf(world, batch, 'train')).toMatchObject({ state: 'running' });
    issue.close({ by: 'ann' });
    await untilTask(world, batch, 'train', { state: 'done', cause: 'issue_completed' });
    expect(pidsOf(word)).toEqual([]);
    expect((await runsOf(id)).map(({ state }) => state)).toEqual(['succeeded', 'cancelled']);
    await untilSettled(world);
    expect(outcomesOf(world, issue.number)[0]).toContain('verify run 2 was stopped (TERM');
    world.clock.forward();
    issue.reopen({ by: 'ann' });
    await untilRunning(world, batch, 'train', 4);
    expect((await runsOf(id)).slice(2).map(({ purpose }) => purpose)).toEqual(['work', 'verify']);
  });

  it('that is killed is sent again twice; then a person is asked, once, and their release starts at the work', async () => {
    const { issue, batch, word, id } = await startVerify();
    for (const number of [2, 3, 4]) {
      await untilRunning(world, batch, 'train', number);
      await untilAlive(word);
      killProgram(word);
    }
    await untilTask(world, batch, 'train', { state: 'blocked', cause: 'no_verdict', attempt: 1 });
    await untilSettled(world);
    expect((await runsOf(id)).map(({ purpose }) => purpose)).toEqual(['work', 'verify', 'verify', 'verify']);
    const comments = outcomesOf(world, issue.number);
    expect(comments).toHaveLength(1);
    expect(comments[0]).toContain('verify run 4 ended by signal KILL, and gave no verdict; the task is **blocked**');
    expect(comments[0]).toContain('/task release');
    expect((await rest(world, 'GET', `/tasks/${id}`)).body).toMatchObject({
      waiting_on: expect.stringContaining('gave no verdict'),
    });
    expect((await rest(world, 'POST', `/tasks/${id}/retry`)).status).toBe(409);
    expect((await rest(world, 'POST', `/tasks/${id}/release`)).status).toBe(202);
    await untilRunning(world, batch, 'train', 6);
    expect((await runsOf(id)).slice(4).map(({ purpose }) => purpose)).toEqual(['work', 'verify']);
  });

  it('does not begin while its batch is paused, and begins when that is over', async () => {
    const { word, run } = finisher(0);
    const batch = await submit(world, { train: { run, verify: { run: ['true'] } } }, batchName());
    await untilRunning(world, batch, 'train');
    await untilAlive(word);
    expect((await rest(world, 'POST', `/batches/${batch.id}/hold`, {})).status).toBe(202);
    await finish(await pidOf(word));
    const { id } = await untilTask(world, batch, 'train', { state: 'ready' });
    expect(await runsOf(id)).toEqual([{ number: 1, purpose: 'work', state: 'succeeded' }]);
    expect((await rest(world, 'POST', `/batches/${batch.id}/release`, {})).status).toBe(202);
    await untilTask(world, batch, 'train', { state: 'done', attempt: 1, runNumber: 2 });
    expect((await runsOf(id)).map(({ purpose }) => purpose)).toEqual(['work', 'verify']);
  });
});
