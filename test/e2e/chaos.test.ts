/**
 * Whatever happens to webhooks, reads and the app in between: once all is quiet, the work is as GitHub's state says. Each seed
 * is one story, told again the same way by the same seed.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { makeRandom, type Random } from '../support/random.ts';
import { submit, taskOf, WAIT } from '../support/world.ts';
import { pidsOf, sleeper, untilAlive } from './programs.ts';
import {
  batchName,
  type ClockedWorld,
  closeWorld,
  type Hands,
  makeClockedWorld,
  newIssue,
  sweepNow,
  untilSettled,
} from './support.ts';

const ISSUES = 4;
const STEPS = 24;
/** More within an hour would be held, which is another story. */
const REOPENS = 3;

let world: ClockedWorld;

afterEach(() => closeWorld(world));

interface Story {
  issues: readonly Hands[];
  random: Random;
  reopens: Map<number, number>;
  told: string[];
}

async function toggle({ issues, random, reopens, told }: Story): Promise<void> {
  const issue = issues[random(issues.length)] as Hands;
  const isOpen = world.github.findIssue('acme/widgets', issue.number)?.state === 'open';
  const count = reopens.get(issue.number) ?? 0;
  if (!isOpen && count === REOPENS) return;
  told.push(`${isOpen ? 'close' : 'reopen'} #${issue.number}`);
  if (isOpen) issue.close({ by: 'ann', reason: 'completed' });
  else {
    reopens.set(issue.number, count + 1);
    issue.reopen({ by: 'ann' });
  }
}

/** What happens between the closes and reopens. Each leaves the world as able as before. */
const DISTURBANCES: readonly ((story: Story) => Promise<unknown> | unknown)[] = [
  () => world.clock.forward(),
  () => world.clock.forward(),
  ({ random }) => world.github.webhooks.lose(1 + random(2)),
  () => world.github.webhooks.duplicate(2),
  () => world.github.webhooks.hold(),
  ({ random }) => world.github.webhooks.release((held) => held.toSorted(() => random(3) - 1)),
  ({ random, issues }) =>
    world.github.faults.add({
      kind: 'answer',
      status: 502,
      method: 'GET',
      path: `/repos/{owner}/{repo}/issues/${issues[random(issues.length)]?.number}`,
      times: 1,
    }),
  () => world.github.faults.add({ kind: 'lost_answer', method: 'POST', path: /comments$/, times: 1 }),
  ({ random }) => {
    const sent = world.github.deliveries();
    const again = sent[random(sent.length)];
    return again && world.github.webhooks.redeliver(again.guid);
  },
  () => sweepNow(world),
  async () => {
    await world.stop();
    await world.start();
  },
  () => untilSettled(world),
];

async function live(story: Story): Promise<void> {
  for (let step = 0; step < STEPS; step += 1) {
    if (story.random(2) === 0) await toggle(story);
    else {
      const index = story.random(DISTURBANCES.length);
      story.told.push(`disturbance ${index}`);
      await DISTURBANCES[index]?.(story);
    }
  }
}

async function calmDown(): Promise<void> {
  await world.github.webhooks.release();
  world.github.webhooks.loseNone();
  world.github.faults.clear();
  await untilSettled(world);
  await sweepNow(world);
  await untilSettled(world);
}

describe('after whatever happened', () => {
  it.each([1, 2, 3, 4])('the work is as the issues are (seed %i)', async (seed) => {
    world = await makeClockedWorld();
    await world.start();
    const issues = Array.from({ length: ISSUES }, () => newIssue(world));
    const programs = issues.map(() => sleeper());
    const tasks = Object.fromEntries(
      issues.map(({ number }, index) => [`t${number}`, { issue: number, run: programs[index]?.run ?? [] }]),
    );
    const batch = await submit(world, tasks, batchName());
    for (const { word } of programs) await untilAlive(word);
    world.clock.forward();
    const story = { issues, random: makeRandom(seed), reopens: new Map<number, number>(), told: [] };
    await live(story);
    await calmDown();
    for (const [index, { number }] of issues.entries()) {
      const isOpen = world.github.findIssue('acme/widgets', number)?.state === 'open';
      // A start whose issue could not be read is tried again after a while.
      const state = async () => (await taskOf(world, batch, `t${number}`)).state;
      await expect.poll(state, { ...WAIT, message: story.told.join(', ') }).toBe(isOpen ? 'running' : 'done');
      if (isOpen) await untilAlive(programs[index]?.word ?? '');
      else expect(pidsOf(programs[index]?.word ?? '')).toEqual([]);
    }
  });
});
