/** What comes in at the webhook's door: doubled, forged, malformed, or about something else. */
import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPOSITORY, taskOf, untilTask } from '../support/world.ts';
import { pidsOf, untilAlive } from './programs.ts';
import { outcomesOf } from './rules.ts';
import {
  type ClockedWorld,
  closeWorld,
  eventsOf,
  type Hands,
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

/** Posts to the webhook's door, as GitHub would. */
async function post(body: string, headers: Record<string, string> = {}): Promise<number> {
  const signature = createHmac('sha256', world.github.webhookSecret).update(body).digest('hex');
  const response = await fetch(`${world.app().url}/api/github/webhooks`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'issues',
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': `sha256=${signature}`,
      ...headers,
    },
    body,
  });
  await response.text();
  return response.status;
}

/** The body of a close that GitHub never sent, since its hook was held and what was held is dropped. */
async function bodyOfClose(issue: Hands): Promise<string> {
  world.github.webhooks.lose();
  const { body } = issue.close({ by: 'ann', reason: 'completed' });
  await world.github.webhooks.settled();
  return body;
}

async function closesOf(issue: Hands) {
  return eventsOf(world, { type: 'ISSUE_CLOSED', issueNumber: issue.number });
}

async function stopsOf(taskId: string) {
  return eventsOf(world, { type: 'RUN_STOPPING', taskId });
}

async function expectOneStop(issue: Hands, taskId: string): Promise<void> {
  await untilSettled(world);
  expect(await closesOf(issue)).toHaveLength(1);
  expect(await stopsOf(taskId)).toHaveLength(1);
  expect(await eventsOf(world, { type: 'TASK_DONE', taskId })).toHaveLength(1);
  expect(outcomesOf(world, issue.number)).toHaveLength(1);
}

describe('one close', () => {
  it('delivered five times within milliseconds under one id stops once, tells once, and is journalled once', async () => {
    const issue = newIssue(world);
    const { batch } = await startTask(world, issue);
    const body = await bodyOfClose(issue);
    const id = randomUUID();
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(body, { 'x-github-delivery': id })));
    expect(answers.toSorted()).toEqual([200, 200, 200, 200, 202]);
    const task = await untilTask(world, batch, 'train', { state: 'done', cause: 'issue_completed', actor: 'ann' });
    await expectOneStop(issue, task.id);
  });

  it('delivered five times under five ids has one effect as well', async () => {
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    const body = await bodyOfClose(issue);
    expect(await Promise.all(Array.from({ length: 5 }, () => post(body)))).toEqual([202, 202, 202, 202, 202]);
    const task = await untilTask(world, batch, 'train', { state: 'done' });
    await expectOneStop(issue, task.id);
    expect(pidsOf(word)).toEqual([]);
  });

  it('under an id that is known already, whatever its body says, changes nothing', async () => {
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    const id = randomUUID();
    const known = JSON.stringify({ action: 'labeled' });
    expect(await post(known, { 'x-github-delivery': id })).toBe(202);
    const forged = (await bodyOfClose(issue)).replace('"closed"', '"closed" ');
    expect(await post(forged, { 'x-github-delivery': id })).toBe(200);
    await untilSettled(world);
    expect((await taskOf(world, batch, 'train')).state).toBe('running');
    await untilAlive(word);
  });
});

describe('a delivery that can not be believed', () => {
  it.each([
    ['no issue', (payload: Payload) => ({ ...payload, issue: undefined })],
    ['an issue without a state', (payload: Payload) => ({ ...payload, issue: { ...payload.issue, state: undefined } })],
    ['an unknown state', (payload: Payload) => ({ ...payload, issue: { ...payload.issue, state: 'shut' } })],
    ['no repository', (payload: Payload) => ({ ...payload, repository: null })],
    ['a time that is none', (payload: Payload) => ({ ...payload, issue: { ...payload.issue, updated_at: 'soon' } })],
    ['no action', (payload: Payload) => ({ ...payload, action: undefined })],
  ])('with %s is accepted, and stops nothing', async (_what, spoil) => {
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    const payload = JSON.parse(await bodyOfClose(issue)) as Payload;
    expect(await post(JSON.stringify(spoil(payload)))).toBe(202);
    await untilSettled(world);
    expect((await taskOf(world, batch, 'train')).state).toBe('running');
    await untilAlive(word);
  });

  it('because of its signature is refused and not kept: with the right one it is new', async () => {
    const issue = newIssue(world);
    const { batch } = await startTask(world, issue);
    const body = await bodyOfClose(issue);
    const id = randomUUID();
    const wrong = createHmac('sha256', 'another secret').update(body).digest('hex');
    const forged = { 'x-github-delivery': id, 'x-hub-signature-256': `sha256=${wrong}` };
    expect(await post(body, forged)).toBe(401);
    await untilSettled(world);
    expect((await taskOf(world, batch, 'train')).state).toBe('running');
    expect(await post(body, { 'x-github-delivery': id })).toBe(202);
    await untilTask(world, batch, 'train', { state: 'done' });
  });

  it.each(['[]', '"closed"', '7', 'null', 'true', '{"action":'])(
    'because its signed body is %s is a 400',
    async (body) => {
      expect(await post(body)).toBe(400);
    },
  );
});

describe('a delivery about something else', () => {
  it('such as a pull request is ignored, also where it has the shape of an issue', async () => {
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    const payload = JSON.parse(await bodyOfClose(issue)) as Payload;
    expect(await post(JSON.stringify(payload), { 'x-github-event': 'pull_request' })).toBe(202);
    expect(await post(JSON.stringify({ ...payload, issue: { ...payload.issue, pull_request: {} } }))).toBe(202);
    await untilSettled(world);
    expect((await taskOf(world, batch, 'train')).state).toBe('running');
    await untilAlive(word);
  });

  it('such as an issue of the same number in another repository leaves the task alone', async () => {
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    world.github.addRepository('acme/gadgets');
    const other = world.github.addIssue('acme/gadgets', { number: issue.number });
    world.clock.forward();
    other.close({ by: 'ann' });
    await untilSettled(world);
    expect((await taskOf(world, batch, 'train')).state).toBe('running');
    await untilAlive(word);
    expect(world.github.comments('acme/gadgets', issue.number)).toEqual([]);
    expect(world.github.comments(REPOSITORY, issue.number)).toEqual([]);
  });
});

interface Payload {
  action: string;
  issue: Record<string, unknown>;
}
