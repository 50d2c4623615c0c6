/** Closes that overtake one another while GitHub does not tell what their closer may do. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runOf, untilTask, WAIT } from '../support/world.ts';
import { type ClockedWorld, closeWorld, eventsOf, makeClockedWorld, newIssue, startTask } from './support.ts';

let world: ClockedWorld;

beforeAll(async () => {
  world = await makeClockedWorld();
  await world.start();
});

afterAll(() => closeWorld(world));

it('a stop is not left waiting for the permission of a closer, when the issue is closed again meanwhile', async () => {
  const issue = newIssue(world);
  const { batch } = await startTask(world, issue);
  const silence = world.github.faults.add({ kind: 'hang', path: /\/collaborators\// });
  issue.close({ by: 'ann' });
  const gone = async () => (await runOf(world, batch, 'train'))?.goneAt ?? null;
  await expect.poll(gone, WAIT).not.toBeNull();
  // The app dies before it has read the permission; the reopen is never heard of.
  await world.stop();
  world.clock.forward();
  world.github.webhooks.lose(1);
  issue.reopen({ by: 'ann' });
  world.clock.forward();
  issue.close({ by: 'ann', reason: 'not_planned' });
  await world.start();
  await expect.poll(async () => (await eventsOf(world, { type: 'ISSUE_CLOSED' })).length, WAIT).toBe(2);
  silence();
  await untilTask(world, batch, 'train', { state: 'done', cause: 'issue_completed', actor: 'ann' });
});
