/** What fails of a sweep is told of what it is about, and keeps nothing else from being found. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Fault } from '../../src/demo/github/index.ts';
import { REPOSITORY, type RestBatch, submit, taskOf, untilRunning, untilTask, WAIT } from '../support/world.ts';
import { pidsOf, sleeper, untilAlive } from './programs.ts';
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

/** Of another account, and so of an installation with limits of its own. */
const OTHER = 'globex/gadgets';
const EVERYTHING = `/repos/${REPOSITORY}*`;
/** As long as a limit is asked to last here, and the patience after a failure. */
const PATIENCE_MS = 100_000;

let world: ClockedWorld;
/** The app's clock is put forward where a test would have to wait. */
let ahead = 0;

beforeAll(async () => {
  const now = () => new Date(Date.now() + ahead);
  const operator = 'runners:\n  local: { kind: process, repositories: ["acme/*", "globex/*"], grace_seconds: 2 }\n';
  world = await makeClockedWorld({ app: { now }, operator });
  world.github.addRepository(OTHER);
  world.github.setPermission(OTHER, 'ann', 'write');
  await world.start();
});

afterEach(() => {
  world.github.faults.clear();
  world.github.webhooks.loseNone();
});

afterAll(() => closeWorld(world));

interface Work {
  issue: Hands;
  batch: RestBatch;
  word: string;
}

async function workHere(): Promise<Work> {
  const issue = newIssue(world);
  return { issue, ...(await startTask(world, issue)) };
}

async function workThere(): Promise<Work> {
  const issue = world.github.addIssue(OTHER, { by: 'ann' });
  const { word, run } = sleeper();
  const batch = await submit(world, { train: { issue: issue.number, run } }, { ...batchName(), repository: OTHER });
  await untilRunning(world, batch, 'train');
  await untilAlive(word);
  world.clock.forward();
  return { issue, batch, word };
}

function loseCloses(...works: Work[]): void {
  world.github.webhooks.lose(works.length);
  for (const { issue } of works) issue.close({ by: 'ann' });
}

async function expectStopped(...works: Work[]): Promise<void> {
  for (const { batch, word } of works) {
    await untilTask(world, batch, 'train', { state: 'done', cause: 'issue_completed', actor: 'ann' });
    expect(pidsOf(word)).toEqual([]);
  }
}

async function expectUntouched({ batch, word }: Work): Promise<void> {
  expect(await taskOf(world, batch, 'train')).toMatchObject({ state: 'running', runNumber: 1 });
  await untilAlive(word);
}

interface Ready {
  status: string;
  sweep: { errors: number; issues: { issue: string; code: string; since: string; next_try_at: string }[] };
  data: { problems: { repository: string; code: string; message: string; since: string; next_try_at: string }[] };
}

async function readyz(): Promise<Ready> {
  const answer = await fetch(`${world.app().url}/readyz`);
  expect(answer.status).toBe(200);
  return (await answer.json()) as Ready;
}

async function errorsSince(count: number, repository = REPOSITORY) {
  const id = (await world.app().deps.store.repositoryByName(repository))?.id ?? '';
  const events = (await eventsOf(world, {})).slice(count);
  const errors = events.filter(({ type, repositoryId }) => type === 'RECONCILIATION_ERROR' && repositoryId === id);
  return errors.map(({ issueNumber, data }) => ({ issue: issueNumber, code: data.code }));
}

async function eventCount(): Promise<number> {
  return (await eventsOf(world, {})).length;
}

const SCOPE = { message: 'Resource not accessible by integration' };
const SLOW_DOWN = { message: 'You have exceeded a secondary rate limit. Please wait a few minutes.' };
const RETRY = { 'retry-after': '60' };

describe('a repository about which GitHub', () => {
  const troubles: [string, Fault, string, number][] = [
    ['answers 503', { kind: 'answer', status: 503, body: { message: 'Service Unavailable' } }, 'retryable', 2_000],
    ['answers a page', { kind: 'garbage' }, 'retryable', 2_000],
    ['refuses by scope', { kind: 'answer', status: 403, body: SCOPE }, 'lost_access', 2_000],
    ['answers 429', { kind: 'answer', status: 429, body: SLOW_DOWN, headers: RETRY }, 'throttled', 60_000],
  ];

  it.each(troubles)('%s keeps its work, says why and until when, and holds no other up', async (_, fault, code, ms) => {
    const [here, there] = [await workHere(), await workThere()];
    const before = await eventCount();
    loseCloses(here, there);
    world.github.faults.add({ ...fault, path: EVERYTHING });
    await sweepNow(world);
    await expectStopped(there);
    await expectUntouched(here);
    const { status, sweep, data } = await readyz();
    expect(status).toBe('ok');
    expect(sweep.errors).toBeGreaterThan(0);
    expect(data.problems).toMatchObject([{ repository: REPOSITORY, code, message: expect.stringMatching(/\w/) }]);
    const [problem] = data.problems;
    const tries = Date.parse(problem?.next_try_at ?? '') - Date.parse(problem?.since ?? '');
    expect(tries).toBeGreaterThanOrEqual(ms);
    expect(await errorsSince(before)).toContainEqual({ issue: null, code });
    expect(await errorsSince(before, OTHER)).toEqual([]);

    world.github.faults.clear();
    ahead += PATIENCE_MS;
    await sweepNow(world);
    await expectStopped(here);
    await untilSettled(world);
    expect(await readyz()).toMatchObject({ sweep: { errors: 0 }, data: { problems: [] } });
    expect(outcomesOf(world, here.issue.number)).toHaveLength(1);
  });

  it('says nothing for long holds no other up meanwhile', async () => {
    const [here, there] = [await workHere(), await workThere()];
    loseCloses(here, there);
    const release = world.github.faults.add({ kind: 'hang', path: EVERYTHING });
    const swept = sweepNow(world);
    await expectStopped(there);
    await expectUntouched(here);
    release();
    await swept;
    ahead += PATIENCE_MS;
    await sweepNow(world);
    await expectStopped(here);
  });
});

describe('an issue about which GitHub', () => {
  const troubles: [string, Fault, string][] = [
    ['refuses by scope', { kind: 'answer', status: 403, body: SCOPE }, 'lost_access'],
    ['asks for silence', { kind: 'secondary_limit', retryAfterSeconds: 60 }, 'throttled'],
    ['answers a page of a proxy with 404', { kind: 'answer', status: 404, body: '<html>' }, 'retryable'],
  ];

  it.each(troubles)('%s keeps its work, and holds no other up', async (_, fault, code) => {
    const [silent, next] = [await workHere(), await workHere()];
    const there = await workThere();
    const before = await eventCount();
    loseCloses(silent, next, there);
    world.github.faults.add({ ...fault, method: 'GET', path: `/repos/${REPOSITORY}/issues/${silent.issue.number}` });
    await sweepNow(world);
    await expectStopped(next, there);
    await expect.poll(() => errorsSince(before), WAIT).toEqual([{ issue: silent.issue.number, code }]);
    await expectUntouched(silent);
    const { errors, issues } = (await readyz()).sweep;
    expect(errors).toBe(1);
    expect(issues).toMatchObject([{ issue: `${REPOSITORY}#${silent.issue.number}`, code }]);
    const [problem] = issues;
    expect(Date.parse(problem?.next_try_at ?? '')).toBeGreaterThan(Date.parse(problem?.since ?? ''));
    expect(await errorsSince(before, OTHER)).toEqual([]);

    world.github.faults.clear();
    ahead += PATIENCE_MS;
    await sweepNow(world);
    await expectStopped(silent);
    await untilSettled(world);
    expect((await readyz()).sweep).toMatchObject({ errors: 0, issues: [] });
  });
});

describe('an answer of which a part is missing', () => {
  interface Nodes {
    data: { nodes: ({ number: number } | null)[] };
    errors?: object[];
  }

  /** As GitHub answers where a part of it is down. */
  function withoutNode({ number }: Hands) {
    return (body: unknown) => {
      const { data, errors = [] } = body as Nodes;
      const at = data.nodes.findIndex((node) => node?.number === number);
      if (at < 0) return body;
      const nodes = data.nodes.map((node, index) => (index === at ? null : node));
      const error = { type: 'SERVICE_UNAVAILABLE', path: ['nodes', at], message: 'Something went wrong' };
      return { data: { nodes }, errors: [error, ...errors] };
    };
  }

  it('tells of all others by a query, and that part is asked about by itself', async () => {
    const [missing, gone, closed] = [await workHere(), await workHere(), await workHere()];
    const before = await eventCount();
    world.github.webhooks.lose(2);
    gone.issue.delete({ by: 'ann' });
    closed.issue.close({ by: 'ann' });
    world.github.faults.add({ kind: 'change', path: '/graphql', change: withoutNode(missing.issue) });
    const path = `/repos/${REPOSITORY}/issues/${missing.issue.number}`;
    world.github.faults.add({ kind: 'answer', status: 403, body: SCOPE, method: 'GET', path });
    await sweepNow(world);
    await untilTask(world, gone.batch, 'train', { state: 'cancelled', cause: 'issue_deleted' });
    await expectStopped(closed);
    const told = [{ issue: missing.issue.number, code: 'lost_access' }];
    await expect.poll(() => errorsSince(before), WAIT).toEqual(told);
    await expectUntouched(missing);
    world.github.faults.clear();
    ahead += PATIENCE_MS;
    await sweepNow(world);
    await untilSettled(world);
    await expectUntouched(missing);
    expect((await readyz()).sweep.errors).toBe(0);
  });

  it('tells of all others by a listing, and that part is asked about by itself', async () => {
    const [broken, closed] = [await workHere(), await workHere()];
    const { number } = broken.issue;
    loseCloses(broken, closed);
    // The listing alone tells anything.
    world.github.faults.add({ kind: 'answer', status: 502, body: { message: 'Bad Gateway' }, path: '/graphql' });
    const spoil = (item: { number: number }) =>
      item.number === number ? { ...item, title: null, state: 'odd' } : item;
    const change = (body: unknown) => (body as { number: number }[] | undefined)?.map(spoil);
    world.github.faults.add({ kind: 'change', method: 'GET', path: `/repos/${REPOSITORY}/issues`, change });
    await sweepNow(world);
    await expectStopped(closed, broken);
    const asked = () => world.github.requests().filter(({ path }) => path.endsWith(`/issues/${number}`)).length;
    // It has changed once more by what was told there.
    await untilSettled(world);
    await sweepNow(world);
    await untilSettled(world);
    const before = asked();
    await sweepNow(world);
    await untilSettled(world);
    expect(asked()).toBe(before);
    const problem = { repository: REPOSITORY, code: 'retryable', message: expect.stringContaining('graphql') };
    expect((await readyz()).data.problems).toContainEqual(expect.objectContaining(problem));
  });
});
