/** `close_delay_seconds`: a reopen within it voids the close, also where the app was not there for a while. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REPOSITORY, submit, taskOf, untilRunning, untilTask, WAIT } from '../support/world.ts';
import { pidsOf, untilAlive } from './programs.ts';
import { outcomesOf } from './rules.ts';
import {
  batchName,
  type ClockedWorld,
  closeWorld,
  eventsOf,
  makeClockedWorld,
  newIssue,
  startTask,
  untilSettled,
} from './support.ts';

let world: ClockedWorld;

beforeEach(async () => {
  world = await makeClockedWorld();
  await world.start();
});

afterEach(() => closeWorld(world));

/** Read at the repository's first batch. */
function delay(seconds: number, more = ''): void {
  const text = `policy:\n  close_delay_seconds: ${seconds}\n${more}`;
  world.github.pushFile(REPOSITORY, { by: 'ann', path: '.github/standdown.yml', text });
}

async function untilPending(issue: { number: number }): Promise<void> {
  const events = () => eventsOf(world, { type: 'ISSUE_CLOSED', issueNumber: issue.number });
  await expect.poll(events, WAIT).toMatchObject([{ data: { state: 'pending' } }]);
}

describe('a close with a delay', () => {
  it('that is reopened within it is as if it had not been', async () => {
    delay(3_600);
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    issue.close({ by: 'ann', reason: 'completed' });
    await untilPending(issue);
    world.clock.forward();
    issue.reopen({ by: 'ann' });
    await untilSettled(world);
    expect(await eventsOf(world, { type: 'ISSUE_CLOSE_VOIDED' })).toHaveLength(1);
    expect(await taskOf(world, batch, 'train')).toMatchObject({ state: 'running', target: null, generation: 1 });
    await untilAlive(word);
    expect(outcomesOf(world, issue.number)).toEqual([]);
  });

  it('is acted on when it is over, counted from the close, also by an app that was started anew meanwhile', async () => {
    delay(4);
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    issue.close({ by: 'ann', reason: 'completed' });
    await untilPending(issue);
    await world.stop();
    await untilAlive(word);
    await world.start();
    await untilTask(world, batch, 'train', { state: 'done', cause: 'issue_completed', actor: 'ann' });
    expect(pidsOf(word)).toEqual([]);
    expect(await eventsOf(world, { type: 'ISSUE_CLOSED' })).toHaveLength(1);
  });

  it.each([
    [500, 2, 'acted on'],
    [-25, 20, 'not'],
  ] as const)(
    'is counted by the clock of GitHub, which is %i s ahead of ours: after %i s it is %s',
    async (ahead, seconds, becomes) => {
      delay(seconds);
      world.clock.forward(ahead);
      const issue = newIssue(world);
      const { batch, word } = await startTask(world, issue);
      issue.close({ by: 'ann', reason: 'completed' });
      await untilPending(issue);
      if (becomes === 'not') return untilAlive(word);
      await untilTask(world, batch, 'train', { state: 'done', cause: 'issue_completed', actor: 'ann' });
      expect(pidsOf(word)).toEqual([]);
    },
  );

  it('that was reopened while no app was there is void all the same', async () => {
    delay(3_600);
    const issue = newIssue(world);
    const { batch } = await startTask(world, issue);
    issue.close({ by: 'ann', reason: 'completed' });
    await untilPending(issue);
    await world.stop();
    world.clock.forward();
    issue.reopen({ by: 'ann' });
    await world.start();
    await untilSettled(world);
    expect(await eventsOf(world, { type: 'ISSUE_CLOSE_VOIDED' })).toHaveLength(1);
    await untilRunning(world, batch, 'train', 1);
  });

  it('is judged by the policy as it is when the delay is over', async () => {
    delay(3_600);
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    issue.close({ by: 'ann', reason: 'completed' });
    await untilPending(issue);
    delay(0, '  on_close: { completed: cancel }\n');
    await untilSettled(world);
    // Whoever looks at the issue next sees that nothing is waited for any more.
    world.clock.forward();
    await world.app().engine.requestSweep();
    await untilTask(world, batch, 'train', { state: 'cancelled', cause: 'issue_completed' });
    expect(pidsOf(word)).toEqual([]);
  });

  it('lets nothing new come to its issue: a batch for it is refused as for any closed issue', async () => {
    delay(3_600);
    const issue = newIssue(world);
    await startTask(world, issue);
    issue.close({ by: 'ann', reason: 'completed' });
    await untilPending(issue);
    const refused = submit(world, { more: { issue: issue.number, run: ['true'] } }, batchName());
    await expect(refused).rejects.toThrow();
  });
});
