/** The App is taken from a repository: what runs there goes on for a grace, and is then stopped, whatever way it was taken away. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { submit, untilTask, WAIT } from '../support/world.ts';
import {
  BY,
  expectCloseWorks,
  expectRunning,
  newPlace,
  outcomesAt,
  PLACES,
  type Place,
  placeIn,
  startAt,
  stateOf,
  told,
  untilAccess,
  untilGivenUp,
} from './places.ts';
import { nasty, pidOf, pidsOf } from './programs.ts';
import {
  batchName,
  type ClockedWorld,
  closeWorld,
  eventsOf,
  makeClockedWorld,
  sweepNow,
  untilSays,
} from './support.ts';

const GRACE_MS = 2_000;
let world: ClockedWorld;

beforeAll(async () => {
  world = await makeClockedWorld({ operator: PLACES, app: { goneGraceMs: GRACE_MS } });
  await world.start();
});

afterAll(() => closeWorld(world));

const givenUpAt = async ({ id }: Place) =>
  (await eventsOf(world, { type: 'REPOSITORY_GIVEN_UP', repositoryId: id })).map(({ at }) => at.getTime());

async function untilOver(since: number): Promise<void> {
  await expect.poll(() => Date.now(), WAIT).toBeGreaterThan(since + GRACE_MS);
}

describe('an App that is uninstalled', () => {
  it('stops the whole tree and ends what waits, once the grace is over and not before; nothing starts meanwhile', async () => {
    const place = newPlace(world);
    const task = await startAt(world, place, nasty('tree'));
    await untilSays(world, task, 'ready tree');
    world.github.installation.uninstall({ ...BY, account: place.account });
    const since = await untilAccess(world, place, 'gone');
    const more = { next: { run: ['true'] }, after: { run: ['true'], needs: ['next'] } };
    const batch = await submit(world, more, { ...batchName(), repository: place.fullName });
    for (const key of ['next', 'after']) {
      await untilTask(world, batch, key, {
        state: 'cancelled',
        cause: 'app_uninstalled',
        actor: 'github',
        runNumber: 0,
      });
    }
    await untilTask(world, task.batch, 'train', { state: 'cancelled', cause: 'app_uninstalled', actor: 'github' });
    expect(pidsOf(task.word)).toEqual([]);
    expect(await told(world, place, 'RUN_STARTING', 'RUN_STOPPING', 'REPOSITORY_GIVEN_UP')).toEqual([
      'RUN_STARTING',
      'REPOSITORY_GIVEN_UP',
      'RUN_STOPPING',
    ]);
    expect((await givenUpAt(place))[0]).toBeGreaterThanOrEqual(since + GRACE_MS);
    expect(outcomesAt(world, place.fullName, task.issue.number)).toEqual([]);
  });

  it('that is installed again within the grace is as if nothing had been: a close is acted on and answered', async () => {
    const place = newPlace(world);
    const task = await startAt(world, place);
    const pids = [await pidOf(task.word)];
    const before = await stateOf(world, place);
    world.github.installation.uninstall({ ...BY, account: place.account });
    const since = await untilAccess(world, place, 'gone');
    world.github.installation.install({ ...BY, account: place.account, repositories: [place.fullName] });
    await untilAccess(world, place, 'ok');
    expect((await stateOf(world, place)).installationId).not.toBe(before.installationId);
    await untilOver(since);
    await sweepNow(world);
    await expectRunning(world, task, pids);
    expect(await givenUpAt(place)).toEqual([]);
    await expectCloseWorks(world, task);
  });

  it('is found by a sweep where no webhook told of it, and the grace begins then', async () => {
    const place = newPlace(world);
    const task = await startAt(world, place);
    world.github.webhooks.lose();
    world.github.installation.uninstall({ ...BY, account: place.account });
    await world.github.webhooks.settled();
    expect(await stateOf(world, place)).toMatchObject({ access: 'ok' });
    await sweepNow(world);
    const since = await untilAccess(world, place, 'gone');
    await untilGivenUp(world, task);
    expect((await givenUpAt(place))[0]).toBeGreaterThanOrEqual(since + GRACE_MS);
  });
});

const WAYS: Record<string, (place: Place) => unknown> = {
  removed: ({ fullName }) => world.github.installation.removeRepository(fullName, BY),
  deleted: ({ fullName }) => world.github.repository(fullName).delete(BY),
  // Only the new account is told.
  'transferred to where the App is not': async ({ account, fullName }) => {
    world.github.repository(fullName).transfer(`${account}-else`, BY);
    await sweepNow(world);
  },
  'removed unheard, and then made private': async ({ fullName }) => {
    world.github.webhooks.lose();
    world.github.installation.removeRepository(fullName, BY);
    await world.github.webhooks.settled();
    world.github.repository(fullName).privatize(BY);
    await sweepNow(world);
  },
};

it(`a repository that is ${Object.keys(WAYS).join(', or ')}: its tasks alone are stopped after the grace`, async () => {
  const laid = await Promise.all(
    Object.values(WAYS).map(async (takeAway) => {
      const place = newPlace(world);
      const other = placeIn(world, place.account, 'gadgets');
      return { takeAway, task: await startAt(world, place), beside: await startAt(world, other) };
    }),
  );
  const untouched = await Promise.all(laid.map(({ beside }) => pidOf(beside.word)));
  for (const { takeAway, task } of laid) {
    await takeAway(task.place);
    await untilAccess(world, task.place, 'gone');
  }
  await Promise.all(laid.map(({ task }) => untilGivenUp(world, task)));
  for (const [index, { beside }] of laid.entries()) {
    await expectRunning(world, beside, [untouched[index] as number]);
    expect(await stateOf(world, beside.place)).toMatchObject({ access: 'ok' });
    await expectCloseWorks(world, beside);
  }
});
