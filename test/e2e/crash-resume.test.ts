/** A batch's resume survives `kill -9` of the app at every step: what had failed is queued again and runs exactly once more. */
import { expect, it } from 'vitest';
import { useCrashWalk } from '../support/crash-walk.ts';
import { outcomesOf } from '../support/world.ts';

const walk = useCrashWalk();

/** Fails in its first run, and would in any after the second. */
const SECOND_TIME_LUCKY = ['sh', '-c', 'test "$STANDDOWN_RUN_NUMBER" = 2'];

it('kill -9 before and after each step of a resume runs each failed task once more, and no other', {
  timeout: 900_000,
}, async () => {
  const deaths = await walk.walk(async (step) => {
    const it = await walk.submitCase(({ issue }) => ({
      tasks: { linked: { issue, run: SECOND_TIME_LUCKY }, free: { run: SECOND_TIME_LUCKY } },
    }));
    await walk.untilBatch(it, { state: 'failed' });
    await walk.untilQuiet();
    const died = await walk.dieDuringOrder(step, it, { path: 'resume' });
    const { tasks } = await walk.untilBatch(it, { state: 'completed', order: null });
    await walk.untilQuiet();
    const again = [
      { number: 1, state: 'failed' },
      { number: 2, state: 'succeeded' },
    ];
    expect(tasks).toMatchObject([
      { key: 'linked', state: 'done', cause: 'run_succeeded', runs: again },
      { key: 'free', state: 'done', cause: 'run_succeeded', runs: again },
    ]);
    // Of the failure.
    expect(outcomesOf({ github: walk.github() }, it.issue)).toHaveLength(1);
    expect(await walk.countOf(it, 'TASK_REQUEUED')).toBe(2);
    expect(await walk.countOf(it, 'BATCH_RESUMED')).toBe(1);
    return died;
  });
  expect(deaths).toBeGreaterThan(20);
});
