/** One comment per issue tells how its tasks are: made when there is something to follow, then edited in place. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { REPOSITORY, runOf, submit, untilTask, WAIT } from '../support/world.ts';
import { finish, finisher, pidOf, sleeper, untilAlive } from './programs.ts';
import {
  batchName,
  type ClockedWorld,
  closeWorld,
  type Hands,
  makeClockedWorld,
  newIssue,
  startTask,
  untilSettled,
} from './support.ts';

let world: ClockedWorld;

beforeAll(async () => {
  world = await makeClockedWorld();
  await world.start();
});

afterAll(() => closeWorld(world));

function statusesOn(issue: Pick<Hands, 'number'>): { id: number; body: string }[] {
  const comments = world.github.comments(REPOSITORY, issue.number);
  return comments.filter(({ body }) => body.startsWith('<!-- standdown:status '));
}

/** It is edited every 20 seconds at most. */
const FOLLOWS = { ...WAIT, timeout: 60_000 };

it('follows a run from its start to the close of its issue, and says how to run it again once it is open', async () => {
  const issue = newIssue(world);
  const { batch } = await startTask(world, issue);
  await expect.poll(() => statusesOn(issue)[0]?.body, FOLLOWS).toMatch(/^\| `train` \| ● running \|/m);
  const [made] = statusesOn(issue);
  issue.close({ by: 'ann', reason: 'not_planned' });
  await untilTask(world, batch, 'train', { state: 'cancelled' });
  await untilSettled(world);
  await expect
    .poll(() => statusesOn(issue)[0]?.body, FOLLOWS)
    .toMatch(
      /^\| `train` \| − cancelled \| issue closed as not planned by \*\*ann\*\* \| `local` \| 1 of 1 \| .* \| \[comment\]\(.*#issuecomment-\d+\) \|$/m,
    );
  expect(statusesOn(issue).map(({ id }) => id)).toEqual([made?.id]);
  expect((await runOf(world, batch, 'train'))?.state).toBe('cancelled');
});

it('is made again where somebody deleted it, and is not made for what is over at once', async () => {
  const issue = newIssue(world);
  const quick = newIssue(world);
  const done = finisher(0);
  const both = await submit(world, { train: { issue: quick.number, run: done.run } }, batchName());
  await finish(await pidOf(done.word));
  await untilTask(world, both, 'train', { state: 'done' });
  const { batch, word } = await startTask(world, issue, sleeper());
  await expect.poll(() => statusesOn(issue).length, FOLLOWS).toBe(1);
  issue.deleteComment(statusesOn(issue)[0]?.id ?? 0, { by: 'ann' });
  const program = sleeper();
  const second = await submit(world, { test: { issue: issue.number, run: program.run } }, batchName());
  await untilAlive(program.word);
  await expect.poll(() => statusesOn(issue)[0]?.body, FOLLOWS).toMatch(/`test` \| ● running/);
  expect(statusesOn(issue)).toHaveLength(1);
  expect(statusesOn(quick)).toEqual([]);
  issue.close({ by: 'ann' });
  await untilTask(world, second, 'test', { state: 'done' });
  await untilTask(world, batch, 'train', { state: 'done' });
  await untilAlive(word, 0);
});
