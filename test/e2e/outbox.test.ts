/** How what happened is told while GitHub takes no words: a lock, a limit, a restart in the middle. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPOSITORY, submit, untilTask, WAIT } from '../support/world.ts';
import { pidsOf, untilAlive } from './programs.ts';
import { outcomesOf } from './rules.ts';
import {
  batchName,
  type ClockedWorld,
  closeWorld,
  makeClockedWorld,
  newIssue,
  startTask,
  untilSettled,
} from './support.ts';

let world: ClockedWorld;

beforeAll(async () => {
  world = await makeClockedWorld();
  await world.start();
});

afterAll(() => closeWorld(world));

const messagesOf = async () => (await world.app().deps.store.queries.backlog()).messages;

/** GitHub refuses the first comment on a new issue, and asks for silence for so long. */
async function askForSilence(seconds: number): Promise<void> {
  const issue = newIssue(world);
  const path = `/repos/${REPOSITORY}/issues/${issue.number}/comments`;
  world.github.faults.add({ kind: 'secondary_limit', retryAfterSeconds: seconds, method: 'POST', path, times: 1 });
  const { word } = await startTask(world, issue);
  issue.close({ by: 'ann' });
  await expect.poll(() => pidsOf(word), WAIT).toEqual([]);
  await expect.poll(() => refusals(issue.number), WAIT).toBe(1);
}

const refusals = (number: number) =>
  world.github
    .requests()
    .filter(
      ({ method, path, status }) => method === 'POST' && (status ?? 0) >= 400 && path.includes(`/issues/${number}/`),
    ).length;

describe('a locked issue', () => {
  it('that is closed stops its task at once, and is told of it once it is unlocked', async () => {
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    issue.lock({ by: 'ann' });
    world.clock.forward();
    issue.close({ by: 'ann' });
    await untilTask(world, batch, 'train', { state: 'done', cause: 'issue_completed' });
    expect(pidsOf(word)).toEqual([]);
    await untilSettled(world);
    expect(outcomesOf(world, issue.number)).toEqual([]);
    world.clock.forward();
    issue.unlock({ by: 'ann' });
    await expect.poll(() => outcomesOf(world, issue.number).length, WAIT).toBe(1);
    expect(outcomesOf(world, issue.number)[0]).toContain('Standing down');
  });

  it('whose unlock nobody told of is found by a sweep', async () => {
    const issue = newIssue(world);
    const { batch } = await startTask(world, issue);
    issue.lock({ by: 'ann' });
    world.clock.forward();
    issue.close({ by: 'ann' });
    await untilTask(world, batch, 'train', { state: 'done' });
    await untilSettled(world);
    world.github.webhooks.lose(1);
    issue.unlock({ by: 'ann' });
    await world.app().engine.requestSweep();
    await expect.poll(() => outcomesOf(world, issue.number).length, WAIT).toBe(1);
  });
});

describe('while GitHub asks for silence', () => {
  it('processes stop all the same, and a close and its reopen are told in one comment afterwards', async () => {
    await askForSilence(12);
    const issue = newIssue(world);
    const { word } = await startTask(world, issue);
    issue.close({ by: 'ann' });
    await expect.poll(() => pidsOf(word), WAIT).toEqual([]);
    await expect.poll(messagesOf, WAIT).toBeGreaterThanOrEqual(2);
    world.clock.forward();
    issue.reopen({ by: 'ann' });
    await untilAlive(word);
    await untilSettled(world);
    const [body, ...others] = outcomesOf(world, issue.number);
    expect(others).toEqual([]);
    expect(body!.indexOf('Standing down')).toBeGreaterThan(0);
    expect(body!.indexOf('Back in the queue')).toBeGreaterThan(body!.indexOf('Standing down'));
  });

  it('a restart does not break it', async () => {
    await askForSilence(12);
    const before = world.github.requests().length;
    const asked = Date.now();
    await world.stop();
    await world.start();
    await untilSettled(world);
    const made = world.github
      .requests()
      .slice(before)
      .filter(({ method, path, status }) => method === 'POST' && path.endsWith('/comments') && status === 201);
    expect(made.length).toBeGreaterThan(0);
    expect(Date.now() - asked).toBeGreaterThan(8_000);
  });
});

it('many issues that close at once are told of once each, though the app is restarted in the middle', async () => {
  const issues = Array.from({ length: 12 }, () => newIssue(world));
  const tasks = Object.fromEntries(
    issues.map(({ number }) => [`t${number}`, { issue: number, run: ['sh', '-c', 'exec sleep 600'] }]),
  );
  const batch = await submit(world, tasks, { ...batchName(), max_parallel: 12 });
  for (const { number } of issues) await untilTask(world, batch, `t${number}`, { state: 'running' });
  await world.stop();
  await world.start({ writePace: { gapMs: 200 } });
  world.clock.forward();
  for (const issue of issues) issue.close({ by: 'ann' });
  const told = () => issues.filter(({ number }) => outcomesOf(world, number).length > 0).length;
  await expect.poll(told, WAIT).toBeGreaterThan(3);
  for (const { number } of issues) await untilTask(world, batch, `t${number}`, { state: 'done' });
  await world.stop();
  await world.start();
  await untilSettled(world);
  for (const { number } of issues) expect(outcomesOf(world, number)).toHaveLength(1);
});
