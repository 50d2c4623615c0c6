/** An issue that is moved to another repository: its tree dies, and one comment says so where the issue is now. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { REPOSITORY, submit, untilRunning, untilTask, WAIT } from '../support/world.ts';
import { nasty, pidsOf } from './programs.ts';
import { outcomesOf } from './rules.ts';
import {
  batchName,
  type ClockedWorld,
  closeWorld,
  eventsOf,
  type Hands,
  makeClockedWorld,
  newIssue,
  numberOfRuns,
  type RunningTask,
  startTask,
  sweepNow,
  untilSays,
  untilSettled,
} from './support.ts';

const THERE = 'acme/archive';
const MOVED = { state: 'cancelled', cause: 'issue_transferred', actor: 'github' } as const;
const by = 'ann';

let world: ClockedWorld;
/** The app's clock is put forward where a test would have to wait for a pause between edits. */
let ahead = 0;

beforeAll(async () => {
  const now = () => new Date(Date.now() + ahead);
  world = await makeClockedWorld({ graceSeconds: 0.5, app: { now } });
  world.github.addRepository(THERE);
  await world.start();
});

afterEach(() => {
  world.github.faults.clear();
  world.github.webhooks.loseNone();
});

afterAll(() => closeWorld(world));

interface Moving extends RunningTask {
  issue: Hands;
}

async function start(): Promise<Moving> {
  const issue = newIssue(world);
  return { ...(await startTask(world, issue)), issue };
}

/** A whole tree of processes. */
async function startTree(): Promise<Moving> {
  const issue = newIssue(world);
  const { word, run } = nasty('tree');
  const batch = await submit(world, { train: { issue: issue.number, run } }, batchName());
  const first = await untilRunning(world, batch, 'train');
  await untilSays(world, { batch }, 'ready tree');
  world.clock.forward();
  return { batch, word, first, issue };
}

const DOWN = { kind: 'answer', status: 502, body: { message: 'Server Error' } } as const;
const ANY_COMMENTS = `/repos/${THERE}/issues/*/comments`;
const commentsPath = (repository: string, number: number) => `/repos/${repository}/issues/${number}/comments`;

function creates(repository: string, number: number) {
  const made = world.github.requests().filter(({ method }) => method === 'POST');
  return made.filter(({ path }) => path === commentsPath(repository, number));
}

function told(number: number, repository = THERE): string[] {
  const bodies = world.github.comments(repository, number).map(({ body }) => body);
  return bodies.filter((body) => body.startsWith('<!-- standdown:outcome '));
}

async function expectMovedOnce({ batch, word, issue }: Moving, number: number): Promise<void> {
  const { id } = await untilTask(world, batch, 'train', MOVED);
  expect(pidsOf(word)).toEqual([]);
  await expect.poll(() => told(number).length, WAIT).toBe(1);
  await untilSettled(world);
  const [body, ...more] = told(number);
  expect(more).toEqual([]);
  expect(body).toContain(`\`${REPOSITORY}#${issue.number}\` was moved to [another repository](`);
  expect(body).toContain(`/${THERE}/issues/${number})`);
  expect(outcomesOf(world, issue.number)).toEqual([]);
  expect(await numberOfRuns(world, id)).toBe(1);
  expect(await eventsOf(world, { type: 'ISSUE_TRANSFERRED', issueNumber: issue.number })).toHaveLength(1);
}

describe('a transferred issue', () => {
  it.each(['webhook', 'sweep'] as const)('that is told of by the %s alone has its tree stopped', async (channel) => {
    const moving = await startTree();
    if (channel === 'sweep') world.github.webhooks.lose(() => true);
    const { number } = moving.issue.transfer(THERE, { by });
    if (channel === 'sweep') await sweepNow(world);
    await expectMovedOnce(moving, number);
    await sweepNow(world);
    await expectMovedOnce(moving, number);
  });

  it('has what was owed on it before told once, at its new place', async () => {
    const { issue, batch, word } = await start();
    // What was tried is looked for first, where nothing is any more.
    world.github.faults.add({ ...DOWN, method: 'POST', path: commentsPath(REPOSITORY, issue.number), times: 1 });
    issue.close({ by });
    await untilTask(world, batch, 'train', { state: 'done', cause: 'issue_completed' });
    expect(pidsOf(word)).toEqual([]);
    const tried = () => creates(REPOSITORY, issue.number).map(({ status }) => status);
    await expect.poll(tried, WAIT).toEqual([502]);
    world.github.webhooks.lose(() => true);
    const { number } = issue.transfer(THERE, { by });
    await expect.poll(() => told(number).length, WAIT).toBe(1);
    await untilSettled(world);
    expect(told(number)[0]).toContain('was closed as completed');
    expect(outcomesOf(world, issue.number)).toEqual([]);
    expect(await eventsOf(world, { type: 'COMMENT_REFUSED', issueNumber: issue.number })).toEqual([]);
  });

  it('that went where the App is not has its tree stopped, and its words given up', async () => {
    const away = 'acme/hidden';
    world.github.addRepository(away, { private: true, installed: false });
    const { issue, batch, word } = await start();
    const { number } = issue.transfer(away, { by });
    await untilTask(world, batch, 'train', MOVED);
    expect(pidsOf(word)).toEqual([]);
    await untilSettled(world);
    expect(told(number, away)).toEqual([]);
    expect(await eventsOf(world, { type: 'COMMENT_REFUSED', issueNumber: issue.number })).toHaveLength(1);
  });
});

describe('an app that ends', () => {
  it('right after it heard of a transfer stops the tree when it is back', async () => {
    const moving = await start();
    const { number, delivery } = moving.issue.transfer(THERE, { by });
    await expect.poll(() => delivery.state, WAIT).toBe('delivered');
    await world.stop();
    await world.start();
    await expectMovedOnce(moving, number);
  });

  it('before its comment is made makes it when it is back', async () => {
    const moving = await start();
    world.github.faults.add({ ...DOWN, method: 'POST', path: ANY_COMMENTS });
    const { number } = moving.issue.transfer(THERE, { by });
    await expect.poll(() => creates(THERE, number).length, WAIT).toBeGreaterThan(0);
    expect(pidsOf(moving.word)).toEqual([]);
    await world.stop();
    world.github.faults.clear();
    await world.start();
    await expectMovedOnce(moving, number);
  });

  it('before it knows of its comment finds it when it is back', async () => {
    const moving = await start();
    // It is made, and its answer is lost; then no other comes either.
    world.github.faults.add({ kind: 'drop', after: true, method: 'POST', path: ANY_COMMENTS, times: 1 });
    const { number } = moving.issue.transfer(THERE, { by });
    await expect.poll(() => told(number).length, WAIT).toBe(1);
    world.github.faults.add({ ...DOWN, method: 'GET', path: ANY_COMMENTS });
    await world.stop();
    world.github.faults.clear();
    await world.start();
    await expectMovedOnce(moving, number);
    expect(creates(THERE, number)).toHaveLength(1);
  });
});

it('the status comment of a transferred issue, which moved along, tells of the end', async () => {
  const moving = await start();
  const { issue } = moving;
  const statuses = (repository: string, number: number) =>
    world.github.comments(repository, number).filter(({ body }) => body.startsWith('<!-- standdown:status '));
  issue.comment({ by, body: '/task status' });
  await expect.poll(() => statuses(REPOSITORY, issue.number).length, WAIT).toBe(1);
  const { number } = issue.transfer(THERE, { by });
  await expectMovedOnce(moving, number);
  // Edits of it are far apart.
  await world.stop();
  ahead += 60_000;
  await world.start();
  await expect.poll(() => statuses(THERE, number)[0]?.body, WAIT).toContain('issue transferred');
  expect(statuses(THERE, number)).toHaveLength(1);
});
