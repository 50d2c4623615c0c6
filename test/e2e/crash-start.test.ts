/** A start survives `kill -9` of the app at every step: nothing lost, nothing doubled, nothing alive that should not be. */
import { expect, it } from 'vitest';
import type { Case } from '../support/crash-case.ts';
import { useCrashWalk } from '../support/crash-walk.ts';
import { pidsOf } from '../support/marked.ts';
import { REPOSITORY } from '../support/world.ts';

const walk = useCrashWalk();

it('kill -9 before and after each step of a start runs the task exactly once', { timeout: 900_000 }, async () => {
  const deaths = await walk.walk(async (step) => {
    let it: Case | null = null;
    const submitting = async () => {
      it = await walk.submitCase();
    };
    const running = async () => it !== null && (await walk.taskOf(it)).runs.at(-1)?.state === 'running';
    const died = await walk.dieDuring(step, submitting, running);
    const subject = it as Case | null;
    if (subject === null) throw new Error('not submitted');
    await walk.untilRunning(subject, 1);
    await expect.poll(() => pidsOf(subject.marker).length, { timeout: 40_000 }).toBe(1);
    walk.github().issue(REPOSITORY, subject.issue).close({ by: 'ann', reason: 'not_planned' });
    await walk.untilTask(subject, { state: 'cancelled', runs: [{ number: 1, state: 'cancelled' }] });
    expect(pidsOf(subject.marker)).toEqual([]);
    return died;
  });
  expect(deaths).toBeGreaterThan(20);
});
