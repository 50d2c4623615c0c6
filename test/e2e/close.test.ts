/** The main job, end to end: close an issue and its process tree is gone, and the comment says what was seen. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectNoViolations } from '../support/openapi/index.ts';
import {
  addIssues,
  makeWorld,
  outcomesOf,
  REPOSITORY,
  submit,
  untilQuiet,
  untilRunning,
  untilTask,
  type World,
} from '../support/world.ts';

let world: World;

beforeEach(async () => {
  world = await makeWorld();
  addIssues(world, 1, 2, 3);
  await world.start();
});

afterEach(async () => {
  await world.close();
  expectNoViolations(world.github);
});

const SLEEP = ['sh', '-c', 'echo working; sleep 300'];

describe('closing an issue', () => {
  it('as completed stops the run and makes the task done, with one comment that says so', async () => {
    const batch = await submit(world, { train: { issue: 1, run: SLEEP } });
    const run = await untilRunning(world, batch, 'train');
    world.github.issue(REPOSITORY, 1).close({ by: 'ann', reason: 'completed' });

    const task = await untilTask(world, batch, 'train', { state: 'done', cause: 'issue_completed', actor: 'ann' });
    expect(task.target).toBeNull();
    const probe = (await world.app().deps.runners.get('local')?.inspect([run.id]))?.get(run.id);
    expect(probe).toMatchObject({ state: 'exited', survivors: [] });
    await expect.poll(() => outcomesOf(world, 1).length).toBe(1);
    await untilQuiet(world);
    const [body] = outcomesOf(world, 1);
    expect(body).toMatch(
      /^<!-- standdown:outcome [\w-]+ -->\n\*\*Standing down\.\*\* This issue was closed as completed by \*\*ann\*\*/,
    );
    expect(body).toMatch(
      /`train`: run 1 was stopped \(TERM, gone after [\d.]+ m?s, (cgroup|pidns|scan: best effort)\); the task is \*\*done\*\*/,
    );
    expect(outcomesOf(world, 1)).toHaveLength(1);
  });

  it('as not planned or duplicate makes the task cancelled', async () => {
    const batch = await submit(world, { a: { issue: 1, run: SLEEP }, b: { issue: 2, run: SLEEP } });
    await untilRunning(world, batch, 'a');
    await untilRunning(world, batch, 'b');
    world.github.issue(REPOSITORY, 1).close({ by: 'ann', reason: 'not_planned' });
    world.github.issue(REPOSITORY, 2).close({ by: 'ann', reason: 'duplicate' });
    await untilTask(world, batch, 'a', { state: 'cancelled', cause: 'issue_not_planned' });
    await untilTask(world, batch, 'b', { state: 'cancelled', cause: 'issue_duplicate' });
    await expect.poll(async () => (await world.app().deps.store.batch(batch.id))?.state).toBe('cancelled');
  });

  it('is undone by a reopen: a new run with the next number, told why', async () => {
    const batch = await submit(world, {
      train: { issue: 1, run: ['sh', '-c', 'echo "why: $STANDDOWN_REQUEUE_REASON"; sleep 300'] },
    });
    await untilRunning(world, batch, 'train');
    world.github.issue(REPOSITORY, 1).close({ by: 'ann', reason: 'completed' });
    await untilTask(world, batch, 'train', { state: 'done' });
    await expect.poll(async () => (await world.app().deps.store.batch(batch.id))?.state).toBe('completed');

    world.github.issue(REPOSITORY, 1).reopen({ by: 'ann' });
    const second = await untilRunning(world, batch, 'train', 2);
    await expect.poll(async () => (await world.app().deps.store.batch(batch.id))?.state).toBe('running');
    await expect.poll(() => world.app().deps.runners.get('local')?.log(second.id, 1_000)).toBe('why: issue_reopened\n');
    await untilQuiet(world);
    expect(outcomesOf(world, 1)).toHaveLength(2);
    expect(outcomesOf(world, 1)[1]).toContain('`train` is queued again as run 2');
  });
});
