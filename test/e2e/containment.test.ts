/** A cancel reaches everything that the run started, and the comment says what it took. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endByWord, expectGone, findByWord, waitUntilGone } from '../support/processes.ts';
import { rest, runOf, submit, untilRunning, untilTask, WAIT } from '../support/world.ts';
import { nasty, pidOf, pidsOf, sleeper } from './programs.ts';
import { outcomesOf } from './rules.ts';
import {
  batchName,
  type ClockedWorld,
  closeWorld,
  makeClockedWorld,
  newIssue,
  startTask,
  untilSays,
  untilSettled,
} from './support.ts';

let world: ClockedWorld;

beforeAll(async () => {
  world = await makeClockedWorld({ graceSeconds: 1 });
  await world.start();
});

afterAll(() => closeWorld(world));

describe('closing the issue', () => {
  it.each(['ignores_term', 'own_group', 'own_session', 'forks_while_killed', 'tree'])(
    'leaves nothing alive of a program that is %s',
    async (mode) => {
      const issue = newIssue(world);
      const program = nasty(mode);
      try {
        const batch = await submit(world, { train: { issue: issue.number, run: program.run } }, batchName());
        await untilRunning(world, batch, 'train');
        await untilSays(world, { batch }, 'ready');
        world.clock.forward();
        issue.close({ by: 'ann' });
        await untilTask(world, batch, 'train', { state: 'done', cause: 'issue_completed' });
        expectGone(program.word);
        await untilSettled(world);
        const [body, ...others] = outcomesOf(world, issue.number);
        expect(others).toEqual([]);
        // Without its first process a run has ended: what that left behind is killed at once, without a grace.
        const signals = mode === 'own_session' ? 'TERM' : 'TERM, then KILL';
        expect(body).toMatch(new RegExp(`run 1 was stopped \\(${signals}, gone after [\\d.]+ m?s`));
      } finally {
        endByWord(program.word);
      }
    },
  );

  it('says TERM alone of a program that obeys', async () => {
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    issue.close({ by: 'ann' });
    await untilTask(world, batch, 'train', { state: 'done' });
    expectGone(word);
    await untilSettled(world);
    expect(outcomesOf(world, issue.number)[0]).toMatch(/\(TERM, gone after [\d.]+ m?s/);
    expect((await runOf(world, batch, 'train'))?.killAt).toBeNull();
  });

  it('gives a program its grace: what it does on TERM counts', async () => {
    const issue = newIssue(world);
    const script = `trap 'echo saved; exit 0' TERM; echo working; while :; do sleep 0.05; done`;
    const program = { ...sleeper() };
    program.run = ['sh', '-c', `${script}; : ${program.word}`];
    const { batch } = await startTask(world, issue, program);
    await untilSays(world, { batch }, 'working');
    issue.close({ by: 'ann' });
    const task = await untilTask(world, batch, 'train', { state: 'done', cause: 'issue_completed' });
    expect((await rest(world, 'GET', `/tasks/${task.id}/log`)).body).toMatch(/^working\n.*saved\n$/s);
    expect(await runOf(world, batch, 'train')).toMatchObject({ state: 'cancelled', exitCode: 0, killAt: null });
  });

  it('reaches a run that is only about to start', async () => {
    const issue = newIssue(world);
    const { word, run } = sleeper();
    const name = batchName();
    const submitted = submit(world, { train: { issue: issue.number, run } }, name);
    world.clock.forward();
    const batch = await submitted;
    issue.close({ by: 'ann' });
    await untilTask(world, batch, 'train', { state: 'done' });
    await untilSettled(world);
    expectGone(word);
  });

  it('leaves the neighbours alone', async () => {
    const [issue, other] = [newIssue(world), newIssue(world)];
    const stopped = await startTask(world, issue);
    const neighbour = await startTask(world, other);
    const pid = await pidOf(neighbour.word);
    issue.close({ by: 'ann' });
    await untilTask(world, stopped.batch, 'train', { state: 'done' });
    await untilSettled(world);
    await expect.poll(() => pidsOf(neighbour.word), WAIT).toEqual([pid]);
    expect(outcomesOf(world, other.number)).toEqual([]);
  });
});

describe('a run whose first process ends', () => {
  it('before its children takes them along, and its exit code is kept', async () => {
    const program = nasty('leader_exits');
    try {
      const batch = await submit(world, { train: { run: program.run } }, batchName());
      await untilTask(world, batch, 'train', { state: 'failed', cause: 'run_failed' });
      expect(await runOf(world, batch, 'train')).toMatchObject({ state: 'failed', exitCode: 5 });
      await waitUntilGone(program.word);
      expectGone(program.word);
    } finally {
      endByWord(program.word);
    }
  });

  it('and whose daemons have emptied their environment leaves none of them', async () => {
    const program = nasty('plain');
    program.run = ['sh', '-c', `"$@" & wait; exit 0`, 'sh', ...program.run.with(2, 'envless')];
    try {
      const batch = await submit(world, { train: { run: program.run } }, batchName());
      await untilTask(world, batch, 'train', { state: 'done', cause: 'run_succeeded' });
      await waitUntilGone(program.word);
      expect(findByWord(program.word)).toEqual([]);
    } finally {
      endByWord(program.word);
    }
  });
});
