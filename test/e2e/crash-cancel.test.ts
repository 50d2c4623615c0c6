/** A batch's cancel survives `kill -9` of the app at every step: each task ends once, nothing of it lives, it is told once. */
import { expect, it } from 'vitest';
import { longProgram } from '../support/crash-case.ts';
import { useCrashWalk } from '../support/crash-walk.ts';
import { pidsOf } from '../support/marked.ts';
import { outcomesOf } from '../support/world.ts';

const walk = useCrashWalk();

it('kill -9 before and after each step of a cancel ends what runs, what is ready and what waits, once each', {
  timeout: 900_000,
}, async () => {
  const deaths = await walk.walk(async (step) => {
    const it = await walk.submitCase(({ issue, marker }) => ({
      max_parallel: 1,
      tasks: {
        runs: { issue, run: longProgram(marker) },
        ready: { issue, run: longProgram(marker) },
        waits: { needs: ['runs'], run: longProgram(marker) },
      },
    }));
    await walk.untilRunning(it, 1);
    const died = await walk.dieDuringOrder(step, it, { path: 'cancel', body: { now: true } });
    const { tasks } = await walk.untilBatch(it, { state: 'cancelled', order: null });
    await walk.untilQuiet();
    const ended = { state: 'cancelled', cause: 'api' };
    expect(tasks).toMatchObject([
      { key: 'runs', ...ended, runs: [{ number: 1, state: 'cancelled' }] },
      { key: 'ready', ...ended, runs: [] },
      { key: 'waits', ...ended, runs: [] },
    ]);
    expect(pidsOf(it.marker)).toEqual([]);
    const comments = () => outcomesOf({ github: walk.github() }, it.issue);
    await expect.poll(() => comments().length, { timeout: 40_000 }).toBe(1);
    expect(comments()[0]?.match(/^- /gm)).toHaveLength(2);
    expect(await walk.countOf(it, 'TASK_CANCELLED')).toBe(3);
    expect(await walk.countOf(it, 'RUN_ENDED')).toBe(1);
    expect(await walk.countOf(it, 'BATCH_CANCELLED')).toBe(1);
    return died;
  });
  expect(deaths).toBeGreaterThan(20);
});
