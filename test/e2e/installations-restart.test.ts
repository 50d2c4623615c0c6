/** The App is taken from a repository while it restarts, or is down: the grace is a row, and GitHub is asked again before anything stops. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WAIT } from '../support/world.ts';
import {
  BY,
  expectCloseWorks,
  expectRunning,
  newPlace,
  PLACES,
  type Place,
  startAt,
  stateOf,
  told,
  untilAccess,
  untilGivenUp,
} from './places.ts';
import { pidOf } from './programs.ts';
import { type ClockedWorld, closeWorld, eventsOf, makeClockedWorld } from './support.ts';

const GRACE_MS = 2_500;
let world: ClockedWorld;

beforeAll(async () => {
  world = await makeClockedWorld({ operator: PLACES, app: { goneGraceMs: GRACE_MS } });
  await world.start();
});

afterAll(() => closeWorld(world));

const uninstall = ({ account }: Place) => world.github.installation.uninstall({ ...BY, account });

async function givenUpAt({ id }: Place): Promise<number> {
  const [event] = await eventsOf(world, { type: 'REPOSITORY_GIVEN_UP', repositoryId: id });
  return event?.at.getTime() ?? 0;
}

it('a restart during the grace neither forgets it nor begins it anew: it is over when it was to be, and stops once', async () => {
  const place = newPlace(world);
  const task = await startAt(world, place);
  uninstall(place);
  const since = await untilAccess(world, place, 'gone');
  await world.stop();
  await world.start();
  expect((await stateOf(world, place)).accessSince?.getTime()).toBe(since);
  await untilGivenUp(world, task);
  expect(await givenUpAt(place)).toBeGreaterThanOrEqual(since + GRACE_MS);
  expect(await told(world, place, 'REPOSITORY_ACCESS_CHANGED')).toHaveLength(1);
});

it('an uninstall while the app is down is found at its start, and the grace begins then', async () => {
  const place = newPlace(world);
  const task = await startAt(world, place);
  await world.stop();
  uninstall(place);
  await world.github.webhooks.settled();
  const startedAt = Date.now();
  await world.start();
  const since = await untilAccess(world, place, 'gone');
  expect(since).toBeGreaterThanOrEqual(startedAt);
  await untilGivenUp(world, task);
  expect(await givenUpAt(place)).toBeGreaterThanOrEqual(since + GRACE_MS);
});

it('an App that is back before the app is, though the grace is over, stops nothing', async () => {
  const place = newPlace(world);
  const task = await startAt(world, place);
  const pids = [await pidOf(task.word)];
  uninstall(place);
  const since = await untilAccess(world, place, 'gone');
  await world.stop();
  world.github.installation.install({ ...BY, account: place.account, repositories: [place.fullName] });
  await expect.poll(() => Date.now(), WAIT).toBeGreaterThan(since + GRACE_MS);
  await world.start();
  await untilAccess(world, place, 'ok');
  await expectRunning(world, task, pids);
  await expectCloseWorks(world, task);
  expect(await told(world, place, 'REPOSITORY_GIVEN_UP')).toEqual([]);
});
