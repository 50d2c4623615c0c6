/** A command in a comment survives `kill -9` of the app at every step: it acts once, is signed once, and answered once. */
import { expect, it } from 'vitest';
import { useCrashWalk } from '../support/crash-walk.ts';
import { pidsOf } from '../support/marked.ts';
import { REPOSITORY } from '../support/world.ts';

const walk = useCrashWalk();

it('kill -9 before and after each step of a comment stops the run once, and says so once', {
  timeout: 900_000,
}, async () => {
  const deaths = await walk.walk(async (step) => {
    const it = await walk.submitCase();
    await walk.untilRunning(it, 1);
    let comment = 0;
    const say = async () => {
      comment = walk.github().issue(REPOSITORY, it.issue).comment({ by: 'ann', body: '/task hold\n/task cancel' }).id;
    };
    const comments = () => walk.github().comments(REPOSITORY, it.issue);
    const replies = () => comments().filter(({ body }) => body.startsWith('<!-- standdown:reply '));
    const signs = () =>
      (comments().find(({ id }) => id === comment)?.reactions ?? []).filter(({ content }) => content !== 'eyes');
    const died = await walk.dieDuring(step, say, async () => replies().length > 0 && signs().length > 0);
    await walk.untilTask(it, { state: 'cancelled', cause: 'command', runs: [{ number: 1, state: 'cancelled' }] });
    await expect
      .poll(() => [replies().length, signs().map(({ content }) => content)], { timeout: 40_000 })
      .toEqual([1, ['rocket']]);
    await walk.untilQuiet();
    expect(replies()).toHaveLength(1);
    expect(pidsOf(it.marker)).toEqual([]);
    expect(await walk.countOf(it, 'TASK_HELD')).toBe(1);
    expect(await walk.countOf(it, 'RUN_STOPPING')).toBe(1);
    expect(await walk.countOf(it, 'COMMAND_ACCEPTED')).toBe(2);
    return died;
  });
  expect(deaths).toBeGreaterThan(30);
});
