/** When GitHub fails: stops go on, nothing is stopped on a guess, one issue's trouble is its own, each comment comes once. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Fault } from '../../src/demo/github/index.ts';
import { REPOSITORY, rest, submit, taskOf, untilRunning, untilTask, WAIT } from '../support/world.ts';
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

let world: ClockedWorld;
/** The app's clock is put forward where a test would have to wait for a back-off. */
let ahead = 0;

beforeAll(async () => {
  const now = () => new Date(Date.now() + ahead);
  world = await makeClockedWorld({ app: { now } });
  await world.start();
});

afterEach(() => world.github.faults.clear());

afterAll(() => closeWorld(world));

const issuePath = ({ number }: Hands) => `/repos/{owner}/{repo}/issues/${number}`;
const commentsPath = (issue: Hands) => `${issuePath(issue)}/comments`;

function createsOf(issue: Hands) {
  const path = new RegExp(`/issues/${issue.number}/comments$`);
  return world.github.requests().filter((request) => request.method === 'POST' && path.test(request.path));
}

describe('an issue about which GitHub', () => {
  const troubles: [string, Fault][] = [
    ['fails', { kind: 'answer', status: 500, body: { message: 'Server Error' } }],
    ['answers garbage', { kind: 'garbage' }],
    ['answers half an issue', { kind: 'garbage', body: '{"number":', contentType: 'application/json' }],
    ['drops the connection', { kind: 'drop' }],
    ['never answers', { kind: 'hang' }],
  ];

  it.each(troubles)(
    '%s is left as it is, while the others are acted on; it is acted on later',
    async (_what, fault) => {
      const issues = [newIssue(world), newIssue(world), newIssue(world)] as const;
      const [silent, closed, other] = issues;
      const tasks = await Promise.all(issues.map((issue) => startTask(world, issue)));
      const [left, acted, also] = tasks as [(typeof tasks)[0], (typeof tasks)[0], (typeof tasks)[0]];
      world.github.webhooks.lose(3);
      for (const issue of issues) issue.close({ by: 'ann' });
      await world.github.webhooks.settled();
      world.github.faults.add({ ...fault, method: 'GET', path: issuePath(silent) });
      expect((await rest(world, 'POST', '/sweep')).status).toBe(202);
      await untilTask(world, acted.batch, 'train', { state: 'done' });
      await untilTask(world, also.batch, 'train', { state: 'done' });
      const errors = () => eventsOf(world, { type: 'RECONCILIATION_ERROR', issueNumber: silent.number });
      await expect.poll(async () => (await errors()).length, WAIT).toBeGreaterThan(0);
      expect((await taskOf(world, left.batch, 'train')).state).toBe('running');
      await untilAlive(left.word);
      world.github.faults.clear();
      await sweepNow(world);
      await untilTask(world, left.batch, 'train', { state: 'done' });
      await untilSettled(world);
      for (const issue of [silent, closed, other]) expect(outcomesOf(world, issue.number)).toHaveLength(1);
    },
  );

  it('says that it is gone ends its work, and no other', async () => {
    const [deleted, moved, other] = [newIssue(world), newIssue(world), newIssue(world)];
    world.github.addRepository('acme/elsewhere');
    const first = await startTask(world, deleted);
    const second = await startTask(world, moved);
    const third = await startTask(world, other);
    world.github.webhooks.lose(2);
    deleted.delete({ by: 'ann' });
    moved.transfer('acme/elsewhere', { by: 'ann' });
    await sweepNow(world);
    await untilTask(world, first.batch, 'train', { state: 'cancelled', cause: 'issue_deleted' });
    await untilTask(world, second.batch, 'train', { state: 'cancelled', cause: 'issue_transferred' });
    await untilSettled(world);
    expect([...pidsOf(first.word), ...pidsOf(second.word)]).toEqual([]);
    await untilAlive(third.word);
    expect((await taskOf(world, third.batch, 'train')).state).toBe('running');
  });

  it('says so by webhook is asked about, and believed only then', async () => {
    const deleted = newIssue(world);
    const { batch, word } = await startTask(world, deleted);
    world.github.faults.add({ kind: 'answer', status: 502, path: issuePath(deleted), times: 1 });
    deleted.delete({ by: 'ann' });
    await untilTask(world, batch, 'train', { state: 'cancelled', cause: 'issue_deleted' });
    expect(pidsOf(word)).toEqual([]);
  });

  it('says 404 stops nothing as long as its repository can not be read either', async () => {
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    const notFound = { kind: 'answer', status: 404, body: { message: 'Not Found' } } as const;
    world.github.faults.add({ ...notFound, path: issuePath(issue) });
    world.github.faults.add({ ...notFound, path: '/repos/{owner}/{repo}' });
    // Its change is a reason to read it.
    issue.lock({ by: 'ann' });
    const codes = async () =>
      (await eventsOf(world, { type: 'RECONCILIATION_ERROR', issueNumber: issue.number })).map(({ data }) => data.code);
    await sweepNow(world);
    await expect.poll(codes, WAIT).toEqual(['lost_access']);
    expect((await taskOf(world, batch, 'train')).state).toBe('running');
    await untilAlive(word);
  });
});

describe('a comment', () => {
  it('whose answer was lost after it was made is there once', async () => {
    const issue = newIssue(world);
    const { batch } = await startTask(world, issue);
    world.github.faults.add({ kind: 'lost_answer', method: 'POST', path: commentsPath(issue), times: 1 });
    issue.close({ by: 'ann' });
    await untilTask(world, batch, 'train', { state: 'done' });
    await untilSettled(world);
    expect(outcomesOf(world, issue.number)).toHaveLength(1);
    expect(createsOf(issue)).toHaveLength(1);
  });

  it('whose connection was dropped after it was made is there once', async () => {
    const issue = newIssue(world);
    const { batch } = await startTask(world, issue);
    world.github.faults.add({ kind: 'drop', after: true, method: 'POST', path: commentsPath(issue), times: 1 });
    issue.close({ by: 'ann' });
    await untilTask(world, batch, 'train', { state: 'done' });
    await untilSettled(world);
    expect(outcomesOf(world, issue.number)).toHaveLength(1);
  });

  it('that GitHub refuses for now delays no stop, comes once, and holds the others back for as long as asked', async () => {
    const [issue, other] = [newIssue(world), newIssue(world)];
    const first = await startTask(world, issue);
    const second = await startTask(world, other);
    const limit = { kind: 'secondary_limit', retryAfterSeconds: 2, method: 'POST', times: 1 } as const;
    world.github.faults.add({ ...limit, path: commentsPath(issue) });
    issue.close({ by: 'ann' });
    await expect.poll(() => pidsOf(first.word), WAIT).toEqual([]);
    await expect.poll(() => createsOf(issue).length, WAIT).toBe(1);
    other.close({ by: 'ann' });
    await untilTask(world, second.batch, 'train', { state: 'done' });
    await untilSettled(world);
    const [refused, ...later] = [...createsOf(issue), ...createsOf(other)].map(({ at }) => at).toSorted();
    for (const at of later) expect(at - (refused ?? 0)).toBeGreaterThanOrEqual(1_000);
    expect(outcomesOf(world, issue.number)).toHaveLength(1);
    expect(outcomesOf(world, other.number)).toHaveLength(1);
  });

  it('that GitHub will not have is given up, and the stop has happened', async () => {
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    const body = { message: 'Validation Failed' };
    world.github.faults.add({ kind: 'answer', status: 422, body, method: 'POST', path: commentsPath(issue) });
    issue.close({ by: 'ann' });
    await untilTask(world, batch, 'train', { state: 'done' });
    await untilSettled(world);
    expect(pidsOf(word)).toEqual([]);
    expect(createsOf(issue)).toHaveLength(1);
    expect(outcomesOf(world, issue.number)).toEqual([]);
  });
});

describe('while GitHub is down', () => {
  it('webhooks stop runs all the same, and their comment comes later', async () => {
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    world.github.faults.add({ kind: 'drop' });
    const delivery = issue.close({ by: 'ann' });
    await world.github.webhooks.settled();
    expect(delivery.statusCode).toBe(202);
    await expect.poll(() => pidsOf(word), WAIT).toEqual([]);
    // Who closed it could not be asked: it stops, and does not count as done.
    await untilTask(world, batch, 'train', { state: 'cancelled', cause: 'issue_closed' });
    expect(outcomesOf(world, issue.number)).toEqual([]);
    world.github.faults.clear();
    await expect.poll(() => outcomesOf(world, issue.number).length, WAIT).toBe(1);
  });

  it('a reopen starts nothing before it can be asked about', async () => {
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    issue.close({ by: 'ann' });
    await untilTask(world, batch, 'train', { state: 'done' });
    world.github.faults.add({ kind: 'answer', status: 503, path: /./, times: 2 });
    world.clock.forward();
    const delivery = issue.reopen({ by: 'ann' });
    await world.github.webhooks.settled();
    expect(delivery.statusCode).toBe(202);
    await untilRunning(world, batch, 'train', 2);
    await untilAlive(word);
  });

  it('a task with an issue waits, and one without starts', async () => {
    const issue = newIssue(world);
    const [first, linked, free] = [sleeper(), sleeper(), sleeper()];
    const tasks = {
      first: { run: first.run },
      linked: { issue: issue.number, needs: ['first'], run: linked.run },
      free: { needs: ['first'], run: free.run },
    };
    const batch = await submit(world, tasks, batchName());
    await untilAlive(first.word);
    world.github.faults.add({ kind: 'drop' });
    const { id } = await taskOf(world, batch, 'first');
    expect((await rest(world, 'POST', `/tasks/${id}/done`)).status).toBe(202);
    await untilAlive(free.word);
    await untilTask(world, batch, 'linked', { state: 'ready', runNumber: 0 });
    const delayed = () => eventsOf(world, { type: 'TASK_START_DELAYED', issueNumber: issue.number });
    await expect.poll(async () => (await delayed()).length, WAIT).toBeGreaterThan(0);
    expect(pidsOf(linked.word)).toEqual([]);
    world.github.faults.clear();
    ahead += 20_000;
    await untilRunning(world, batch, 'linked');
    await untilAlive(linked.word);
  });

  it('linking a task and submitting a batch are answered as what they are: not possible now', async () => {
    const issue = newIssue(world);
    const { batch } = await startTask(world, issue);
    const { id } = await taskOf(world, batch, 'train');
    const target = newIssue(world);
    world.github.faults.add({ kind: 'drop' });
    const link = await rest(world, 'PUT', `/tasks/${id}/issue`, { issue: target.number });
    expect(link).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    const document = { repository: REPOSITORY, ...batchName(), tasks: { a: { runs_on: 'local', run: ['true'] } } };
    const submitted = await rest(world, 'POST', '/batches', document);
    expect(submitted).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    world.github.faults.clear();
    expect((await rest(world, 'POST', '/batches', document)).status).toBe(201);
  });
});
