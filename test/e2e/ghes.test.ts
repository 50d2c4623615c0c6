/** A GitHub Enterprise Server that has no rate limits and no issue dependencies: everything works but them, and none of it is asked for again and again. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeMarker } from '../support/processes.ts';
import { makeWorld, REPOSITORY, submit, taskOf, untilRunning, untilTask } from '../support/world.ts';
import { makeGitHubClock } from './github-clock.ts';
import { pidsOf, sleeper, untilAlive } from './programs.ts';
import { outcomesOf } from './rules.ts';
import {
  batchName,
  type ClockedWorld,
  closeWorld,
  eventsOf,
  type Hands,
  newIssue,
  startTask,
  sweepNow,
  untilSettled,
} from './support.ts';

let world: ClockedWorld;

beforeAll(async () => {
  const clock = makeGitHubClock();
  const github = { edition: 'enterprise', now: clock.now } as const;
  world = Object.assign(await makeWorld({ github }), { clock });
  await world.start();
});

afterAll(() => closeWorld(world));

/** A program with a child. */
function family() {
  const word = makeMarker();
  return { word, run: ['sh', '-c', `sh -c "echo child; sleep 300; : ${word}" & sleep 300; : ${word}`] };
}

/** Requests for what this GitHub has not. */
function askedInVain(): string[] {
  return world.github.requests().flatMap(({ path, body }) => {
    const { query = '' } = Object(body) as { query?: string };
    const isLacking = /\/dependencies\/|^\/rate_limit/.test(path) || /blockedBy|enableDuplicate/.test(query);
    return isLacking ? [path] : [];
  });
}

async function submitWaitingFor(blocker: Hands) {
  const issue = newIssue(world);
  issue.edit({ by: 'ann', body: `Depends on #${blocker.number}` });
  const { word, run } = sleeper();
  const batch = await submit(world, { train: { issue: issue.number, run } }, batchName());
  await untilTask(world, batch, 'train', { state: 'blocked', cause: 'blocker' });
  world.clock.forward();
  return { batch, word };
}

describe('on a GitHub Enterprise Server without limits and dependencies', () => {
  it('a close stops the whole tree of its run, and one comment tells it', async () => {
    const issue = newIssue(world);
    const { word, run } = family();
    const batch = await submit(world, { train: { issue: issue.number, run } }, batchName());
    await untilRunning(world, batch, 'train');
    await untilAlive(word, 2);
    world.clock.forward();
    issue.close({ by: 'ann' });
    await untilTask(world, batch, 'train', { state: 'done', cause: 'issue_completed', actor: 'ann' });
    expect(pidsOf(word)).toEqual([]);
    await untilSettled(world);
    expect(outcomesOf(world, issue.number)).toHaveLength(1);
  });

  it('a sweep finds a close and a deleted issue that no webhook told of, and leaves the others running', async () => {
    const [closed, deleted, other] = [newIssue(world), newIssue(world), newIssue(world)];
    const done = await startTask(world, closed);
    const gone = await startTask(world, deleted);
    const left = await startTask(world, other);
    world.github.webhooks.lose(2);
    closed.close({ by: 'ann', reason: 'not_planned' });
    deleted.delete({ by: 'ann' });
    await sweepNow(world);
    await untilTask(world, done.batch, 'train', { state: 'cancelled', cause: 'issue_not_planned' });
    await untilTask(world, gone.batch, 'train', { state: 'cancelled', cause: 'issue_deleted' });
    await untilSettled(world);
    expect([...pidsOf(done.word), ...pidsOf(gone.word)]).toEqual([]);
    expect(outcomesOf(world, closed.number)).toHaveLength(1);
    expect(await taskOf(world, left.batch, 'train')).toMatchObject({ state: 'running', runNumber: 1 });
    await untilAlive(left.word);
  });

  it.each(['by webhook', 'by the sweep'])(
    'a line keeps a task from starting until its blocker closes, %s',
    async (how) => {
      const blocker = newIssue(world);
      const { batch, word } = await submitWaitingFor(blocker);
      expect(pidsOf(word)).toEqual([]);
      if (how === 'by the sweep') world.github.webhooks.lose(1);
      blocker.close({ by: 'ann' });
      if (how === 'by the sweep') await sweepNow(world);
      await untilRunning(world, batch, 'train');
      await untilAlive(word);
    },
  );

  it('what it has not is asked for once, however often everything is looked at', async () => {
    await untilSettled(world);
    const before = askedInVain();
    expect(before).not.toEqual([]);
    for (let sweeps = 0; sweeps < 3; sweeps += 1) await sweepNow(world);
    const issue = newIssue(world);
    const { batch } = await startTask(world, issue);
    await sweepNow(world);
    await untilSettled(world);
    expect(askedInVain()).toEqual(before);
    expect(await taskOf(world, batch, 'train')).toMatchObject({ state: 'running' });
  });

  it('nothing fails', async () => {
    await untilSettled(world);
    expect(await eventsOf(world, { type: 'RECONCILIATION_ERROR' })).toEqual([]);
    const ready = await fetch(`${world.app().url}/readyz`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toMatchObject({
      status: 'ok',
      github: 'ok',
      sweep: { done_at_start: true, errors: 0 },
      data: { problems: [] },
    });
    const refused = world.github.requests().filter(({ status }) => status !== null && status >= 400);
    const places = refused.map(({ path }) => decodeURIComponent(path).replace(/\/\d+/, '/N').replace(REPOSITORY, 'R'));
    expect([...new Set(places)].sort()).toEqual([
      '/repos/R/contents/.github/standdown.yml',
      '/repos/R/issues/N',
      '/repos/R/issues/N/dependencies/blocked_by',
    ]);
  });
});
