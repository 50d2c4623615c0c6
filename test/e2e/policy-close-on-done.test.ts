/** `close_issue_on_done`: the issue is closed by the App when its last task is done, and GitHub's word of it ends nothing. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPOSITORY, rest, submit, taskOf, untilRunning, untilTask, WAIT } from '../support/world.ts';
import { finish, finisher, pidOf, pidsOf, sleeper } from './programs.ts';
import { outcomesOf } from './rules.ts';
import {
  batchName,
  type ClockedWorld,
  closeWorld,
  eventsOf,
  type Hands,
  makeClockedWorld,
  newIssue,
  startTask,
  sweepNow,
  untilSettled,
} from './support.ts';

let world: ClockedWorld;

beforeAll(async () => {
  world = await makeClockedWorld();
  const text = 'policy: { close_issue_on_done: true }\n';
  world.github.pushFile(REPOSITORY, { by: 'ann', path: '.github/standdown.yml', text });
  await world.start();
});

afterAll(() => closeWorld(world));

const bot = () => `${world.github.appSlug}[bot]`;

/** Who has closed it, in turn. */
function closers({ number }: Hands): string[] {
  const events = world.github.findIssue(REPOSITORY, number)?.events ?? [];
  return events.filter(({ event }) => event === 'closed').map(({ actor }) => actor.login);
}

async function untilClosedBy(issue: Hands, ...logins: string[]): Promise<void> {
  await expect.poll(() => closers(issue), WAIT).toEqual(logins);
  await untilSettled(world);
}

describe('an issue whose tasks are done', () => {
  it('is closed as completed once the last of them is, which is no end of anything', async () => {
    const issue = newIssue(world);
    const [first, last] = [finisher(0), finisher(0)];
    const tasks = { first: { issue: issue.number, run: first.run }, last: { issue: issue.number, run: last.run } };
    const batch = await submit(world, tasks, batchName());
    for (const key of ['first', 'last']) await untilRunning(world, batch, key);
    await finish(await pidOf(first.word));
    await untilTask(world, batch, 'first', { state: 'done' });
    await untilSettled(world);
    expect(closers(issue)).toEqual([]);
    await finish(await pidOf(last.word));
    await untilClosedBy(issue, bot());
    expect(world.github.findIssue(REPOSITORY, issue.number)).toMatchObject({
      state: 'closed',
      stateReason: 'completed',
    });
    await sweepNow(world);
    await untilSettled(world);
    expect(closers(issue)).toEqual([bot()]);
    expect(await eventsOf(world, { type: 'ISSUE_CLOSED', issueNumber: issue.number })).toMatchObject([
      { data: { actor: bot(), action: 'ignore' } },
    ]);
    for (const key of ['first', 'last']) {
      expect(await taskOf(world, batch, key)).toMatchObject({ state: 'done', cause: 'run_succeeded' });
    }
    expect(outcomesOf(world, issue.number)).toEqual([]);
  });

  it('stays open for a person who reopens it, and is closed again once something was retried and done', async () => {
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue, finisher(0));
    await finish(await pidOf(word));
    await untilClosedBy(issue, bot());
    world.clock.forward();
    issue.reopen({ by: 'ann' });
    await untilSettled(world);
    await sweepNow(world);
    await untilSettled(world);
    expect(closers(issue)).toEqual([bot()]);
    const { id } = await taskOf(world, batch, 'train');
    expect((await rest(world, 'POST', `/tasks/${id}/retry`, {})).status).toBe(202);
    await untilRunning(world, batch, 'train', 2);
    world.clock.forward();
    await finish(await pidOf(word));
    await untilClosedBy(issue, bot(), bot());
  });

  it('and that a person closes by hand later, is closed by a person: what runs then is stopped', async () => {
    const issue = newIssue(world);
    const { word } = await startTask(world, issue, finisher(0));
    await finish(await pidOf(word));
    await untilClosedBy(issue, bot());
    world.clock.forward();
    issue.reopen({ by: 'ann' });
    await untilSettled(world);
    const again = await startTask(world, issue, sleeper());
    issue.close({ by: 'ann', reason: 'not_planned' });
    await untilTask(world, again.batch, 'train', { state: 'cancelled', cause: 'issue_not_planned', actor: 'ann' });
    expect(pidsOf(again.word)).toEqual([]);
  });

  it('and that blocks another one frees the tasks behind it by its close', async () => {
    const [issue, behind] = [newIssue(world), newIssue(world)];
    behind.blockBy({ by: 'ann', number: issue.number });
    const { word } = await startTask(world, issue, finisher(0));
    const next = sleeper();
    const waiting = await submit(world, { train: { issue: behind.number, run: next.run } }, batchName());
    await untilTask(world, waiting, 'train', { state: 'blocked' });
    await finish(await pidOf(word));
    await untilClosedBy(issue, bot());
    await untilRunning(world, waiting, 'train');
  });

  it('is left open by a failure', async () => {
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue, finisher(1));
    await finish(await pidOf(word));
    await untilTask(world, batch, 'train', { state: 'failed' });
    await untilSettled(world);
    expect(closers(issue)).toEqual([]);
  });
});

describe("another App's close", () => {
  it('is a close like any other', async () => {
    world.github.addUser('stale[bot]');
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    issue.close({ by: 'stale[bot]', reason: 'not_planned' });
    await untilTask(world, batch, 'train', { state: 'cancelled', actor: 'stale[bot]' });
    expect(pidsOf(word)).toEqual([]);
  });
});
