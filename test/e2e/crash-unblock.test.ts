/** What a blocker's close starts survives `kill -9` of the app at every step: nothing lost, nothing started twice. */
import { expect, it } from 'vitest';
import { useCrashWalk } from '../support/crash-walk.ts';
import { pidsOf } from '../support/marked.ts';
import { REPOSITORY } from '../support/world.ts';

const walk = useCrashWalk();

it('kill -9 before and after each step of an unblocking starts what waited, once', { timeout: 900_000 }, async () => {
  const deaths = await walk.walk(async (step) => {
    const it = await walk.submitBlockedCase();
    await walk.untilTask(it, { state: 'blocked', cause: 'blocker' });
    await walk.untilQuiet();
    const close = async () => walk.github().issue(REPOSITORY, it.blocker).close({ by: 'ann', reason: 'completed' });
    const running = async () => (await walk.taskOf(it)).runs.at(-1)?.state === 'running';
    const died = await walk.dieDuring(step, close, running);
    await walk.untilRunning(it, 1);
    await walk.untilQuiet();
    await expect.poll(() => pidsOf(it.marker).length, { timeout: 40_000 }).toBe(1);
    expect((await walk.taskOf(it)).runs).toHaveLength(1);
    expect(await walk.countOf(it, 'RECONCILIATION_TASK_REQUEUED')).toBe(1);
    expect(await walk.countOf(it, 'RUN_STARTED')).toBe(1);
    walk.github().issue(REPOSITORY, it.issue).close({ by: 'ann', reason: 'not_planned' });
    await walk.untilTask(it, { state: 'cancelled' });
    return died;
  });
  expect(deaths).toBeGreaterThan(20);
});
