/** A clock here that is wrong: GitHub's own, read off its answers, is what counts. */
import { afterEach, describe, expect, it } from 'vitest';
import { endByWord } from '../support/processes.ts';
import { outcomesOf, REPOSITORY, rest, runOf, untilTask, WAIT } from '../support/world.ts';
import { nasty, pidsOf } from './programs.ts';
import {
  batchName,
  type ClockedWorld,
  closeWorld,
  eventsOf,
  makeClockedWorld,
  newIssue,
  startTask,
  untilSettled,
} from './support.ts';

let world: ClockedWorld;

afterEach(() => closeWorld(world));

/** The first token is signed by a wrong clock, and GitHub's refusal tells the right one. */
async function untilGitHubTellsTheTime(): Promise<void> {
  const trial = { repository: REPOSITORY, ...batchName(), tasks: { a: { runs_on: 'local', run: ['true'] } } };
  await expect.poll(async () => (await rest(world, 'POST', '/batches?dry_run=true', trial)).status, WAIT).toBe(200);
}

describe('a clock that is far', () => {
  it.each([
    ['behind', -400_000],
    ["ahead of GitHub's", 400_000],
  ])('%s keeps no webhook from stopping a run at once, while GitHub is down', async (_where, by) => {
    world = await makeClockedWorld({ app: { now: () => new Date(Date.now() + by) } });
    await world.start();
    const issue = newIssue(world);
    await untilGitHubTellsTheTime();
    const { word, batch } = await startTask(world, issue);
    world.github.faults.add({ kind: 'drop' });
    issue.close({ by: 'ann' });
    await expect.poll(() => pidsOf(word), WAIT).toEqual([]);
    world.github.faults.clear();
    await untilTask(world, batch, 'train', { state: 'done' });
    await untilSettled(world);
    expect(outcomesOf(world, issue.number)).toHaveLength(1);
  });
});

it('a clock that is set back by an hour keeps no run from being killed, nor the sweep from coming', async () => {
  let ahead = 3_600_000;
  world = await makeClockedWorld({
    sweepSeconds: 1,
    graceSeconds: 1,
    app: { now: () => new Date(Date.now() + ahead) },
  });
  await world.start();
  await untilGitHubTellsTheTime();
  const [stopping, missed] = [newIssue(world), newIssue(world)];
  const stubborn = nasty('ignores_term');
  try {
    const first = await startTask(world, stopping, stubborn);
    const second = await startTask(world, missed);
    stopping.close({ by: 'ann' });
    await expect.poll(async () => (await runOf(world, first.batch, 'train'))?.termAt, WAIT).toBeTruthy();
    ahead = 0;
    await untilTask(world, first.batch, 'train', { state: 'done' });
    expect(pidsOf(stubborn.word)).toEqual([]);
    world.github.webhooks.lose(1);
    missed.close({ by: 'ann' });
    await untilTask(world, second.batch, 'train', { state: 'done' });
    expect(pidsOf(second.word)).toEqual([]);
  } finally {
    endByWord(stubborn.word);
  }
});

it('a clock that is set back by an hour keeps no comment that is owed back', async () => {
  let ahead = 3_600_000;
  world = await makeClockedWorld({ app: { now: () => new Date(Date.now() + ahead) } });
  await world.start();
  await untilGitHubTellsTheTime();
  const issue = newIssue(world);
  const { word } = await startTask(world, issue);
  world.github.faults.add({ kind: 'drop' });
  issue.close({ by: 'ann' });
  await expect.poll(() => pidsOf(word), WAIT).toEqual([]);
  const { store } = world.app().deps;
  const [closed] = await eventsOf(world, { type: 'ISSUE_CLOSED', issueNumber: issue.number });
  const message = () => store.outbox.view(`close-${closed?.data.episode}`);
  await expect.poll(async () => (await message())?.item.failures ?? 0, WAIT).toBeGreaterThan(0);
  ahead = 0;
  world.github.faults.clear();
  await untilSettled(world);
  expect(outcomesOf(world, issue.number)).toHaveLength(1);
});
