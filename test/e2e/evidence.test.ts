/** A run that is lost without a trace, of a task that names a branch: from GitHub's answers to the comment, with real processes. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { taskKey } from '../../src/engine/keys.ts';
import { endByWord } from '../support/processes.ts';
import { REPOSITORY, type RestBatch, submit, untilRunning, untilTask } from '../support/world.ts';
import { nasty, untilAlive } from './programs.ts';
import { outcomesOf } from './rules.ts';
import {
  batchName,
  type ClockedWorld,
  closeWorld,
  type Hands,
  makeClockedWorld,
  newIssue,
  untilSettled,
} from './support.ts';

let world: ClockedWorld;
let issue: Hands;

beforeEach(async () => {
  world = await makeClockedWorld();
  await world.start();
  issue = newIssue(world);
});

afterEach(() => closeWorld(world));

const branchOf = ({ number }: Hands) => `work/${number}`;
const push = () => world.github.pushBranch(REPOSITORY, branchOf(issue), { by: 'ann', commits: 2 });

/** Its run is lost while the app is down, after `meanwhile`. */
async function loseRun(meanwhile: () => unknown): Promise<RestBatch> {
  const { word, run } = nasty('plain');
  const evidence = { branch: `work/\${{ issue.number }}` };
  const train = { issue: issue.number, run, evidence, retry: { environment_attempts: 1 } };
  const batch = await submit(world, { train }, batchName());
  await untilRunning(world, batch, 'train');
  await untilAlive(word);
  meanwhile();
  await world.stop();
  endByWord(word);
  await world.start();
  return batch;
}

it('the commits that it pushed are for a person to judge, and the comment names their branch', async () => {
  const batch = await loseRun(push);
  await untilTask(world, batch, 'train', { state: 'blocked', cause: 'review' });
  await untilSettled(world);
  expect(outcomesOf(world, issue.number)).toEqual([expect.stringContaining(branchOf(issue))]);
});

it('commits that were there before it began are not its work', async () => {
  push();
  const batch = await loseRun(() => {});
  await untilTask(world, batch, 'train', { state: 'failed', cause: 'runner_lost' });
});

it('is judged once GitHub answers, and not before', async () => {
  const silence = { kind: 'answer', status: 502, path: `/repos/${REPOSITORY}/compare/*` } as const;
  let answers = () => {};
  const batch = await loseRun(() => {
    push();
    answers = world.github.faults.add(silence);
  });
  const compared = () => world.github.requests().filter(({ path }) => path.includes('/compare/'));
  await expect.poll(() => compared().length, { timeout: 40_000 }).toBeGreaterThan(0);
  await untilSettled(world);
  const { id } = await untilTask(world, batch, 'train', { state: 'running', notBefore: expect.any(Date) });
  answers();
  // As half a minute later.
  const { store } = world.app().deps;
  const { version } = (await store.task(id))!;
  await store.commit([
    { write: 'task.update', id, version, set: { notBefore: new Date() } },
    { write: 'work.enqueue', key: taskKey(id), dueAt: new Date() },
  ]);
  await untilTask(world, batch, 'train', { state: 'blocked', cause: 'review' });
});
