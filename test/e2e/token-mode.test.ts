/** With a token alone there are no webhooks and no door for them: the sweep drives everything. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outcomesOf, REPOSITORY, rest, untilRunning, untilTask, WAIT } from '../support/world.ts';
import { pidsOf } from './programs.ts';
import { type ClockedWorld, closeWorld, makeClockedWorld, newIssue, startTask, untilSettled } from './support.ts';

let world: ClockedWorld;

beforeAll(async () => {
  world = await makeClockedWorld({ mode: 'token' });
  await world.start();
});

afterAll(() => closeWorld(world));

describe('token mode', () => {
  it('stops and requeues by the sweep alone, by whom GitHub names', async () => {
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    issue.close({ by: 'tom', reason: 'completed' });
    await untilTask(world, batch, 'train', { state: 'done', cause: 'issue_completed', actor: 'tom' });
    expect(pidsOf(word)).toEqual([]);
    world.clock.forward();
    issue.reopen({ by: 'ann' });
    await untilRunning(world, batch, 'train', 2);
    await untilSettled(world);
    expect(outcomesOf(world, issue.number)).toHaveLength(2);
    const authors = world.github.comments(REPOSITORY, issue.number).map(({ author }) => author.login);
    expect(new Set(authors)).toEqual(new Set(['ann']));
    expect(world.github.requests().every(({ caller }) => caller === 'user ann')).toBe(true);
  });

  it('has no door for webhooks', async () => {
    const response = await fetch(`${world.app().url}/api/github/webhooks`, { method: 'POST', body: '{}' });
    await response.text();
    expect(response.status).toBe(404);
  });

  it('drives no other repository, although the token reaches it', async () => {
    world.github.addRepository('acme/gadgets');
    const tasks = { train: { runs_on: 'local', run: ['true'] } };
    const document = { repository: 'acme/gadgets', name: 'nightly', tasks };
    expect(await rest(world, 'POST', '/batches', document)).toMatchObject({
      status: 422,
      body: {
        error: {
          problems: [
            {
              path: 'repository',
              message: 'acme/gadgets is not known: the App has to be installed there, or GITHUB_REPO to name it',
            },
          ],
        },
      },
    });
    expect(
      (await rest(world, 'POST', '/batches?dry_run=true', { ...document, repository: 'ACME/Widgets' })).status,
    ).toBe(200);
  });

  it('tells once, although every sweep looks again', async () => {
    const issue = newIssue(world);
    const { batch } = await startTask(world, issue);
    issue.close({ by: 'ann' });
    await untilTask(world, batch, 'train', { state: 'done' });
    const before = world.app().engine.status().lastSweepAt?.getTime() ?? 0;
    await expect
      .poll(() => (world.app().engine.status().lastSweepAt?.getTime() ?? 0) - before, WAIT)
      .toBeGreaterThan(1_500);
    await untilSettled(world);
    expect(outcomesOf(world, issue.number)).toHaveLength(1);
  });
});
