/** What tasks need: who starts when, what can't be had and comes back, and what a failure stops. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../src/cli/index.ts';
import { API_TOKEN, type RestBatch, rest, submit, taskOf, untilRunning, untilTask, WAIT } from '../support/world.ts';
import { finish, finisher, pidOf, pidsOf, sleeper, untilAlive } from './programs.ts';
import {
  batchName,
  batchState,
  type ClockedWorld,
  closeWorld,
  eventsOf,
  makeClockedWorld,
  mostAtOnce,
  newIssue,
  numberOfRuns,
  startedKeys,
  untilSettled,
} from './support.ts';

let world: ClockedWorld;

beforeAll(async () => {
  world = await makeClockedWorld();
  await world.start();
});

afterAll(() => closeWorld(world));

const TRUE = ['true'];

/** Fails until it is mended. */
function breaker(name: string): { run: string[]; mend(): Promise<void> } {
  const path = join(world.dir, name);
  return { run: ['test', '-e', path], mend: () => writeFile(path, '') };
}

async function say(batch: RestBatch, key: string, verb: string): Promise<void> {
  const { id } = await taskOf(world, batch, key);
  expect(await rest(world, 'POST', `/tasks/${id}/${verb}`)).toMatchObject({ status: 202 });
}

async function statesOf(batch: RestBatch): Promise<Record<string, string>> {
  const tasks = await world.app().deps.store.tasksOfBatch(batch.id);
  return Object.fromEntries(tasks.map(({ key, state }) => [key, state]));
}

/** A line for the command line, as people type it. Gives its exit code. */
function typed(line: string): Promise<number> {
  const [program, ...args] = line.split(' ');
  expect(program).toBe('standdown');
  return runCli(args, {
    version: '0.0.0',
    env: { STANDDOWN_URL: world.app().url, STANDDOWN_API_TOKEN: API_TOKEN },
    stdout: { write: () => {} },
    stderr: { write: () => {} },
    onInterrupt: () => () => {},
    readInput: async () => '',
    serve: async () => 0,
    demo: async () => 0,
    agent: async () => 0,
    attend: async () => 0,
    migrate: async () => [],
  });
}

describe('a task', () => {
  it('starts as soon as its own needs are done, whatever else of their level still runs', async () => {
    const [quick, slow, next] = [finisher(0), sleeper(), sleeper()];
    const tasks = {
      quick: { run: quick.run },
      slow: { run: slow.run },
      after_quick: { needs: ['quick'], run: next.run },
      after_slow: { needs: ['slow'], run: TRUE },
      after_both: { needs: ['quick', 'slow'], run: TRUE },
    };
    const batch = await submit(world, tasks, batchName());
    await untilAlive(slow.word);
    await finish(await pidOf(quick.word));
    await untilRunning(world, batch, 'after_quick');
    await untilAlive(next.word);
    await untilSettled(world);
    expect(await statesOf(batch)).toEqual({
      quick: 'done',
      slow: 'running',
      after_quick: 'running',
      after_slow: 'waiting',
      after_both: 'waiting',
    });
    await say(batch, 'slow', 'done');
    await untilTask(world, batch, 'after_slow', { state: 'done', cause: 'run_succeeded' });
    await untilTask(world, batch, 'after_both', { state: 'done', cause: 'run_succeeded' });
    expect(await batchState(world, batch.id)).toBe('running');
  });

  it('of which a person says that it is done satisfies at once, also where it never ran', async () => {
    const [first, last] = [sleeper(), sleeper()];
    const tasks = {
      first: { run: first.run },
      middle: { needs: ['first'], run: TRUE },
      last: { needs: ['middle'], run: last.run },
    };
    const batch = await submit(world, tasks, batchName());
    await untilAlive(first.word);
    await say(batch, 'middle', 'done');
    await untilRunning(world, batch, 'last');
    await untilAlive(last.word);
    expect(await taskOf(world, batch, 'middle')).toMatchObject({ state: 'done', cause: 'api', runNumber: 0 });
    await untilAlive(first.word);
  });
});

describe('a need that failed', () => {
  it('has all that hangs on it skipped; its retry lets them wait again, and run', async () => {
    const { run, mend } = breaker('fetch');
    const middle = finisher(0);
    const tasks = {
      fetch: { run },
      train: { needs: ['fetch'], run: middle.run },
      report: { needs: ['train'], run: TRUE },
      publish: { needs: ['report'], run: TRUE },
      other: { run: TRUE },
    };
    const batch = await submit(world, tasks, batchName());
    await expect.poll(() => batchState(world, batch.id), WAIT).toBe('partial');
    for (const key of ['train', 'report', 'publish']) {
      const skipped = { state: 'skipped', cause: 'dependency', actor: 'standdown', runNumber: 0 };
      expect(await taskOf(world, batch, key)).toMatchObject(skipped);
    }
    await mend();
    await say(batch, 'fetch', 'retry');
    await untilRunning(world, batch, 'train');
    await untilTask(world, batch, 'publish', { state: 'waiting' });
    expect(await statesOf(batch)).toMatchObject({ fetch: 'done', report: 'waiting', other: 'done' });
    expect(await batchState(world, batch.id)).toBe('running');
    await finish(await pidOf(middle.word));
    await expect.poll(() => batchState(world, batch.id), WAIT).toBe('completed');
    for (const key of ['train', 'report', 'publish', 'other']) {
      expect(await numberOfRuns(world, (await taskOf(world, batch, key)).id)).toBe(1);
    }
  });
});

describe('a need whose issue is closed', () => {
  it.each(['not_planned', 'duplicate'] as const)('as %s is not to be had, and the others go on', async (reason) => {
    const issue = newIssue(world);
    const [needed, other] = [sleeper(), finisher(0)];
    const tasks = {
      fetch: { issue: issue.number, run: needed.run },
      train: { needs: ['fetch', 'other'], run: TRUE },
      report: { needs: ['train'], run: TRUE },
      other: { run: other.run },
    };
    const batch = await submit(world, tasks, batchName());
    await untilAlive(needed.word);
    await untilAlive(other.word);
    world.clock.forward();
    issue.close({ by: 'ann', reason });
    await untilTask(world, batch, 'report', { state: 'skipped', cause: 'dependency', runNumber: 0 });
    expect(await taskOf(world, batch, 'train')).toMatchObject({ state: 'skipped', cause: 'dependency', runNumber: 0 });
    expect(pidsOf(needed.word)).toEqual([]);
    expect(await batchState(world, batch.id)).toBe('running');
    await finish(await pidOf(other.word));
    await expect.poll(() => batchState(world, batch.id), WAIT).toBe('partial');
  });
});

describe('on_failure stop', () => {
  it.each(['REST', 'the command that it tells of'])(
    'lets finish what runs, starts nothing else, tells what to do, and goes on after a resume by %s',
    async (how) => {
      const { run, mend } = breaker(`broken ${how}`);
      const beside = finisher(0);
      const tasks = {
        broken: { run },
        beside: { run: beside.run },
        third: { run: TRUE },
        after: { needs: ['beside'], run: TRUE },
        behind: { needs: ['broken'], run: TRUE },
      };
      const more = { ...batchName(), max_parallel: 2, on_failure: 'stop' };
      const batch = await submit(world, tasks, more);
      await untilTask(world, batch, 'broken', { state: 'failed', cause: 'run_failed' });
      await untilAlive(beside.word);
      expect((await world.app().deps.store.batch(batch.id))?.stuck).toBe(false);
      await finish(await pidOf(beside.word));
      await untilTask(world, batch, 'beside', { state: 'done', cause: 'run_succeeded' });
      const shown = async () => (await rest(world, 'GET', `/batches/${batch.id}`)).body;
      await expect.poll(shown, WAIT).toMatchObject({
        state: 'running',
        stuck: true,
        next_steps: [`standdown batch resume ${batch.id}`],
      });
      await untilSettled(world);
      expect(await statesOf(batch)).toMatchObject({ third: 'ready', after: 'ready', behind: 'skipped' });
      const starts = await eventsOf(world, { type: 'RUN_STARTING', batchId: batch.id });
      expect(starts).toHaveLength(2);

      await mend();
      if (how === 'REST') expect((await rest(world, 'POST', `/batches/${batch.id}/resume`)).status).toBe(202);
      else expect(await typed(`standdown batch resume ${batch.id}`)).toBe(0);
      await expect.poll(() => batchState(world, batch.id), WAIT).toBe('completed');
      await expect.poll(shown, WAIT).toMatchObject({ stuck: false, order: null, next_steps: [] });
      const numbers = (await world.app().deps.store.tasksOfBatch(batch.id)).map((task) => [task.key, task.runNumber]);
      expect(Object.fromEntries(numbers)).toEqual({ broken: 2, beside: 1, third: 1, after: 1, behind: 1 });
    },
  );
});

describe('a serial batch', () => {
  it('runs one task at a time in the order of the document, past one that fails', async () => {
    await untilSettled(world);
    const from = (await eventsOf(world, {})).length;
    const tasks = { d: { run: TRUE }, b: { run: ['false'] }, c: { run: TRUE }, a: { needs: ['d'], run: TRUE } };
    const batch = await submit(world, tasks, { ...batchName(), strategy: 'serial' });
    await expect.poll(() => batchState(world, batch.id), WAIT).toBe('partial');
    expect(await startedKeys(world, from)).toEqual(['d', 'b', 'c', 'a']);
    const most = await mostAtOnce(world, ({ batchId }) => [batchId ?? '']);
    expect(most[batch.id]).toBe(1);
  });
});
