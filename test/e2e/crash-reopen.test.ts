/** A reopen survives `kill -9` of the app at every step: nothing lost, nothing doubled, nothing alive that should not be. */
import { expect, it } from 'vitest';
import { useCrashWalk } from '../support/crash-walk.ts';
import { pidsOf } from '../support/marked.ts';
import { outcomesOf, REPOSITORY } from '../support/world.ts';

const walk = useCrashWalk();

it('kill -9 before and after each step of a reopen starts the next run once and tells it once', {
  timeout: 900_000,
}, async () => {
  const deaths = await walk.walk(async (step) => {
    const it = await walk.submitCase();
    await walk.untilRunning(it, 1);
    walk.github().issue(REPOSITORY, it.issue).close({ by: 'ann', reason: 'completed' });
    await walk.untilTask(it, { state: 'done' });
    await expect.poll(() => outcomesOf({ github: walk.github() }, it.issue).length, { timeout: 40_000 }).toBe(1);
    await walk.untilQuiet();
    const reopen = async () => walk.github().issue(REPOSITORY, it.issue).reopen({ by: 'ann' });
    const running = async () =>
      (await walk.taskOf(it)).runs.at(-1)?.state === 'running' &&
      outcomesOf({ github: walk.github() }, it.issue).length > 1;
    const died = await walk.dieDuring(step, reopen, running);
    await walk.untilRunning(it, 2);
    await walk.untilQuiet();
    await expect.poll(() => pidsOf(it.marker).length, { timeout: 40_000 }).toBe(1);
    expect((await walk.taskOf(it)).runs.map((run) => run.state)).toEqual(['cancelled', 'running']);
    expect(outcomesOf({ github: walk.github() }, it.issue)).toHaveLength(2);
    expect(await walk.countOf(it, 'TASK_REQUEUED')).toBe(1);
    walk.github().issue(REPOSITORY, it.issue).close({ by: 'ann', reason: 'not_planned' });
    await walk.untilTask(it, { state: 'cancelled' });
    return died;
  });
  expect(deaths).toBeGreaterThan(20);
});
