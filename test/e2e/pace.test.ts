/** How fast and in which order runs start after a restart with much to start, and that no limit is passed. */
import { afterEach, describe, expect, it } from 'vitest';
import { REPOSITORY, type RestBatch, submit, untilRunning, untilTask, WAIT } from '../support/world.ts';
import { finish, finisher, type Program, pidOf, pidsOf, sleeper, untilAlive } from './programs.ts';
import {
  batchName,
  batchState,
  type ClockedWorld,
  closeWorld,
  eventsOf,
  makeClockedWorld,
  mostAtOnce,
  startedKeys,
  untilSettled,
} from './support.ts';

let world: ClockedWorld;
/** The app's clock stands still while this is set. */
let frozen: number | null = null;

const now = () => new Date(frozen ?? Date.now());

afterEach(async () => {
  frozen = null;
  await closeWorld(world);
});

const LIMITS = (text: string) => `limits: { ${text} }\n`;
const RUNNER = (name: string, more = '') =>
  `  ${name}: { kind: process, repositories: ["acme/*"], grace_seconds: 2${more} }\n`;
const ONE_AT_ONCE = `runners:\n${RUNNER('local')}${LIMITS('max_running: 1, max_running_per_repository: 64')}`;

/** A world in which one program has the only place, so that all that is submitted next is ready and waits. */
async function makeFullWorld(operator = ONE_AT_ONCE): Promise<{ holder: Program; batch: RestBatch }> {
  world = await makeClockedWorld({ operator, app: { now } });
  await world.start();
  const holder = finisher(0);
  const batch = await submit(world, { holder: { run: holder.run } }, batchName());
  await untilRunning(world, batch, 'holder');
  await untilAlive(holder.word);
  return { holder, batch };
}

function many(count: number, task: { run: string[]; [field: string]: unknown }, prefix = 't') {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, task]));
}

const startsOf = (batch: RestBatch) => eventsOf(world, { type: 'RUN_STARTING', batchId: batch.id });
const endsOf = (batch: RestBatch) => eventsOf(world, { type: 'RUN_ENDED', batchId: batch.id });

describe('after a restart', () => {
  it('many ready tasks start as a ramp: so many at once, the others with time', async () => {
    await makeFullWorld();
    const batch = await submit(world, many(20, { run: ['true'] }), { ...batchName(), max_parallel: 64 });
    await world.stop();
    world.operator = `runners:\n${RUNNER('local')}${LIMITS('max_running: 64, max_running_per_repository: 64')}`;
    frozen = Date.now();
    await world.start();
    // Each end looks for something to start: there are places, but no time has passed.
    await expect.poll(async () => (await endsOf(batch)).length, WAIT).toBe(16);
    expect(await startsOf(batch)).toHaveLength(16);
    frozen += 60;
    world.app().engine.wake();
    await expect.poll(async () => (await endsOf(batch)).length, WAIT).toBe(19);
    expect(await startsOf(batch)).toHaveLength(19);
    frozen = null;
    await expect.poll(() => batchState(world, batch.id), WAIT).toBe('completed');
  });

  it('the order is that of priority, then of age, then of the document', async () => {
    const { holder } = await makeFullWorld();
    const run = ['true'];
    const older = await submit(world, { b: { run }, urgent: { run, priority: 5 }, a: { run } }, batchName());
    const younger = await submit(world, { d: { run }, first: { run, priority: 9 }, c: { run } }, batchName());
    const later = await submit(world, { last: { run, priority: -1 } }, batchName());
    await untilSettled(world);
    await world.stop();
    await world.start();
    const from = (await eventsOf(world, {})).length;
    await finish(await pidOf(holder.word));
    for (const { id } of [older, younger, later]) {
      await expect.poll(() => batchState(world, id), WAIT).toBe('completed');
    }
    expect(await startedKeys(world, from)).toEqual(['first', 'urgent', 'b', 'a', 'd', 'c', 'last']);
  });

  it('every limit holds: of a batch, a runner, a repository and all', async () => {
    const wide = `${RUNNER('local')}${RUNNER('narrow', ', max_running: 1')}`;
    await makeFullWorld(`runners:\n${wide}${LIMITS('max_running: 1')}`);
    world.github.addRepository('acme/gadgets');
    const run = ['sleep', '0.2'];
    const narrow = await submit(world, many(3, { runs_on: 'narrow', run, priority: 1 }), batchName());
    const two = await submit(world, many(6, { run }), { ...batchName(), max_parallel: 2 });
    const free = await submit(world, many(6, { run }), batchName());
    const elsewhere = await submit(world, many(6, { run }), { ...batchName(), repository: 'acme/gadgets' });
    await world.stop();
    world.operator = `runners:\n${wide}${LIMITS('max_running: 7, max_running_per_repository: 5')}`;
    await world.start();
    for (const { id } of [narrow, two, free, elsewhere]) {
      await expect.poll(() => batchState(world, id), WAIT).toBe('completed');
    }
    const most = await mostAtOnce(world, ({ batchId, repositoryId, data }) => [
      'all',
      `repository ${repositoryId}`,
      `runner ${data.runner}`,
      `batch ${batchId}`,
    ]);
    const repository = await world.app().deps.store.repositoryByName(REPOSITORY);
    expect(most).toMatchObject({
      all: 7,
      [`repository ${repository?.id}`]: 5,
      'runner narrow': 1,
      [`batch ${two.id}`]: 2,
    });
  });
});

describe('a limit that was lowered below its use', () => {
  it.each([
    ['of all', (limit: number) => `runners:\n${RUNNER('local')}${LIMITS(`max_running: ${limit}`)}`],
    [
      'of a repository',
      (limit: number) => `runners:\n${RUNNER('local')}${LIMITS(`max_running_per_repository: ${limit}`)}`,
    ],
    ['of a runner', (limit: number) => `runners:\n${RUNNER('local', `, max_running: ${limit}`)}`],
  ])('(%s) stops nothing, and starts nothing until there is room', async (_of, operator) => {
    world = await makeClockedWorld({ operator: operator(3) });
    await world.start();
    const programs = [finisher(0), finisher(0), finisher(0)] as const;
    const [a, b, c] = programs;
    const next = sleeper();
    const tasks = { a: { run: a.run }, b: { run: b.run }, c: { run: c.run }, next: { run: next.run } };
    const batch = await submit(world, tasks, batchName());
    const pids = await Promise.all(programs.map(({ word }) => pidOf(word)));
    await world.stop();
    world.operator = operator(1);
    await world.start();
    await untilSettled(world);
    await expect.poll(() => programs.flatMap(({ word }) => pidsOf(word)), WAIT).toEqual(pids);
    for (const [index, key] of (['a', 'b'] as const).entries()) {
      await finish(pids[index]);
      await untilTask(world, batch, key, { state: 'done' });
      await untilSettled(world);
      expect(await startsOf(batch)).toHaveLength(3);
    }
    await expect.poll(() => pidsOf(c.word), WAIT).toEqual([pids[2]]);
    await finish(pids[2]);
    await untilRunning(world, batch, 'next');
    await untilAlive(next.word);
  });
});
