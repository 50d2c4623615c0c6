/** A close survives `kill -9` of the app at every step: nothing lost, nothing doubled, nothing alive that should not be. */
import { expect, it } from 'vitest';
import { useCrashWalk } from '../support/crash-walk.ts';
import { pidsOf } from '../support/marked.ts';
import { outcomesOf, REPOSITORY } from '../support/world.ts';

const walk = useCrashWalk();

it('kill -9 before and after each step of a close stops the tree, ends the task once and tells it once', {
  timeout: 900_000,
}, async () => {
  const deaths = await walk.walk(async (step) => {
    const it = await walk.submitCase();
    await walk.untilRunning(it, 1);
    const close = async () => walk.github().issue(REPOSITORY, it.issue).close({ by: 'ann', reason: 'completed' });
    const told = async () => outcomesOf({ github: walk.github() }, it.issue).length > 0;
    const died = await walk.dieDuring(step, close, told);
    await walk.untilTask(it, { state: 'done', cause: 'issue_completed', runs: [{ number: 1, state: 'cancelled' }] });
    await walk.untilQuiet();
    expect(pidsOf(it.marker)).toEqual([]);
    await expect.poll(told, { timeout: 40_000 }).toBe(true);
    expect(outcomesOf({ github: walk.github() }, it.issue)).toHaveLength(1);
    expect(await walk.countOf(it, 'TASK_DONE')).toBe(1);
    expect(await walk.countOf(it, 'RUN_ENDED')).toBe(1);
    return died;
  });
  expect(deaths).toBeGreaterThan(20);
});
