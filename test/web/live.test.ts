/** REST in front of the real app: what it says of holds, waiting tasks and issues is what happens. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  addIssues,
  makeWorld,
  REPOSITORY,
  rest,
  submit,
  untilRunning,
  untilTask,
  WAIT,
  type World,
} from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await makeWorld();
  await world.start();
});
afterEach(() => world.close());

const LONG = ['sh', '-c', 'sleep 600'];

async function waitingOn(id: string): Promise<unknown> {
  return ((await rest(world, 'GET', `/tasks/${id}`)).body as { waiting_on: unknown }).waiting_on;
}

it('a hold keeps what it covers from starting, says so, and is let go of', async () => {
  const first = await submit(world, { warm: { run: ['true'] } }, { name: 'first' });
  await untilTask(world, first, 'warm', { state: 'done' });
  const scope = { scope: 'repository', repository: REPOSITORY };
  expect((await rest(world, 'POST', '/holds', { ...scope, reason: 'move' })).status).toBe(201);
  const batch = await submit(world, { train: { run: ['true'] } });
  const [{ id = '' } = {}] = batch.tasks;
  expect(await waitingOn(id)).toMatch(/^acme\/widgets is on hold by api for \d+ s: move$/);
  expect((await rest(world, 'GET', '/holds')).body).toMatchObject({ items: [{ ...scope, reason: 'move' }] });
  expect((await rest(world, 'POST', '/holds/release', scope)).status).toBe(200);
  await untilTask(world, batch, 'train', { state: 'done' });
  expect(await waitingOn(id)).toBeNull();
  expect((await rest(world, 'POST', '/holds/release', scope)).status).toBe(404);
});

it('a hold of what there is not is refused, naming what there is', async () => {
  for (const path of ['/holds', '/holds/release']) {
    expect(await rest(world, 'POST', path, { scope: 'runner', runner: 'lab' })).toMatchObject({
      status: 400,
      body: { error: { message: 'runner: must be the name of a runner, not "lab"; there is: local, attended' } },
    });
    expect(await rest(world, 'POST', path, { scope: 'repository', repository: 'acme/other' })).toMatchObject({
      status: 400,
      body: { error: { problems: [{ path: 'repository' }] } },
    });
  }
});

it('a cancel lets what runs finish, unless it says now', async () => {
  const batch = await submit(world, { train: { run: LONG } });
  await untilRunning(world, batch, 'train');
  expect((await rest(world, 'POST', `/batches/${batch.id}/cancel`)).status).toBe(202);
  expect((await rest(world, 'GET', `/batches/${batch.id}`)).body).toMatchObject({
    order: { kind: 'cancel', now: false, actor: 'api' },
  });
  // Without `now` what runs goes on.
  expect((await rest(world, 'POST', `/batches/${batch.id}/cancel`)).status).toBe(409);
  expect((await rest(world, 'POST', `/batches/${batch.id}/cancel`, { now: true })).status).toBe(202);
  await untilTask(world, batch, 'train', { state: 'cancelled' });
  await expect
    .poll(async () => (await rest(world, 'GET', `/batches/${batch.id}`)).body, WAIT)
    .toMatchObject({ state: 'cancelled', order: null, outcomes: { cancelled_by_person: 1 } });
});

it('an issue is explained, and a close does what was said', async () => {
  addIssues(world, 12);
  const batch = await submit(world, { train: { issue: 12, run: LONG } });
  await untilRunning(world, batch, 'train');
  const path = `/issues/${REPOSITORY}/12/explain`;
  expect((await rest(world, 'GET', path)).body).toMatchObject({
    ...{ issue: 12, state: 'open', title: 'Issue 12', note: null },
    tasks: [
      { key: 'train', if_closed: { not_planned: 'run 1 is stopped, and it becomes cancelled' }, if_reopened: null },
    ],
  });
  world.github.issue(REPOSITORY, 12).close({ by: 'ann', reason: 'not_planned' });
  await untilTask(world, batch, 'train', { state: 'cancelled' });
  expect((await rest(world, 'GET', path)).body).toMatchObject({
    state: 'closed',
    tasks: [{ if_reopened: expect.stringMatching(/^it is queued again as run 2 /) }],
  });
  expect((await rest(world, 'GET', `/issues/${REPOSITORY}/99/explain`)).status).toBe(404);
});
