/** What is no matter here: it costs GitHub no request, and changes nothing. A pull request is no issue, wherever it is named. */
import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FILE_PATH } from '../../src/engine/repository-file.ts';
import { REPOSITORY, submit, taskOf, untilTask, WAIT } from '../support/world.ts';
import { sleeper, untilAlive } from './programs.ts';
import {
  batchName,
  type ClockedWorld,
  closeWorld,
  eventsOf,
  type Hands,
  makeClockedWorld,
  newIssue,
  type RunningTask,
  startTask,
  sweepNow,
  untilSettled,
} from './support.ts';

const by = 'ann';
type Payload = Record<string, unknown> & { issue: Record<string, unknown> };

let world: ClockedWorld;
let issue: Hands;
let started: RunningTask;

beforeAll(async () => {
  world = await makeClockedWorld();
  await world.start();
  issue = newIssue(world);
});

afterAll(() => closeWorld(world));

/** Posts to the webhook's door, as GitHub would. */
async function post(event: string, payload: object): Promise<number> {
  const body = JSON.stringify(payload);
  const signature = createHmac('sha256', world.github.webhookSecret).update(body).digest('hex');
  const response = await fetch(`${world.app().url}/api/github/webhooks`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-github-event': event,
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': `sha256=${signature}`,
    },
    body,
  });
  await response.text();
  return response.status;
}

/** What the app asks for by itself now and then is no matter of these events. */
const requests = () => world.github.requests().filter(({ path }) => !path.startsWith('/app'));

async function whatIsThere() {
  return {
    task: await taskOf(world, started.batch, 'train'),
    journal: await eventsOf(world, {}),
    asked: requests().length,
  };
}

async function expectNothingFrom(happens: () => Promise<unknown>): Promise<void> {
  await untilSettled(world);
  const before = await whatIsThere();
  await happens();
  await untilSettled(world);
  expect(await whatIsThere()).toEqual(before);
  await untilAlive(started.word);
}

const asIssue = [
  'opened',
  'assigned',
  'unassigned',
  'milestoned',
  'demilestoned',
  'pinned',
  'unpinned',
  'typed',
  'untyped',
];
const asPull = ['closed', 'reopened', 'edited', 'locked', 'unlocked', 'deleted', 'transferred'];

describe('no request and no change comes of', () => {
  it('what else happens to an issue than is of use', async () => {
    started = await startTask(world, issue);
    await expectNothingFrom(async () => {
      const { payload } = issue.label({ by, name: 'wontfix' });
      issue.unlabel({ by, name: 'wontfix' });
      for (const action of asIssue) expect(await post('issues', { ...payload, action })).toBe(202);
    });
  });

  it('what happens to a pull request, of whatever number and in whatever event', async () => {
    const { payload } = issue.label({ by, name: 'wontfix' }) as unknown as { payload: Payload };
    const closed = { state: 'closed', state_reason: 'completed', closed_at: world.github.now().toISOString() };
    const pull = { ...payload.issue, ...closed, pull_request: { url: 'https://example.test/pulls/1' } };
    await expectNothingFrom(async () => {
      for (const action of asPull) {
        expect(await post('issues', { ...payload, issue: pull, action })).toBe(202);
        expect(await post('pull_request', { ...payload, pull_request: pull, action })).toBe(202);
      }
      const blocking = { blocked_issue: pull, blocking_issue: payload.issue };
      expect(await post('issue_dependencies', { ...payload, ...blocking, action: 'blocked_by_added' })).toBe(202);
      expect(await post('pull_request_review', { ...payload, pull_request: pull, action: 'submitted' })).toBe(202);
    });
  });

  it('a command said on a pull request', async () => {
    const pull = newIssue(world, by, { isPullRequest: true });
    await expectNothingFrom(async () => {
      pull.comment({ by, body: '/task cancel' });
      pull.comment({ by, body: `/task link ${started.batch.tasks[0]?.id}` });
    });
    expect(world.github.comments(REPOSITORY, pull.number).map(({ reactions }) => reactions)).toEqual([[], []]);
  });
});

describe('a pull request', () => {
  it('that is closed or commands unheard is passed over by the sweep', async () => {
    const pull = newIssue(world, by, { isPullRequest: true });
    await untilSettled(world);
    world.clock.forward();
    world.github.webhooks.lose(() => true);
    pull.close({ by });
    const before = requests().length;
    await sweepNow(world);
    const asked = requests().slice(before);
    expect(asked.filter(({ path }) => path.includes(`/${pull.number}`))).toEqual([]);
    pull.comment({ by, body: `/task cancel ${started.batch.tasks[0]?.id}` });
    await sweepNow(world);
    await untilSettled(world);
    world.github.webhooks.loseNone();
    expect(world.github.comments(REPOSITORY, pull.number)).toMatchObject([{ reactions: [] }]);
    expect(await taskOf(world, started.batch, 'train')).toMatchObject({ state: 'running', runNumber: 1 });
  });

  it('that is named by a line of an issue blocks nothing', async () => {
    const pull = newIssue(world, by, { isPullRequest: true });
    const waiting = newIssue(world);
    waiting.edit({ by, body: `Depends on #${pull.number}` });
    const { word, run } = sleeper();
    const batch = await submit(world, { train: { issue: waiting.number, run } }, batchName());
    await untilAlive(word);
    await untilTask(world, batch, 'train', { state: 'running', runNumber: 1 });
  });

  it('that is named by a batch which somebody asks for is the reason why it does not start', async () => {
    const pull = newIssue(world, by, { isPullRequest: true });
    const tasks = `    tasks: { train: { issue: ${pull.number}, runs_on: local, run: ["true"] } }`;
    world.github.pushFile(REPOSITORY, { by, path: FILE_PATH, text: `batches:\n  pulled:\n${tasks}\n` });
    await untilSettled(world);
    const { id } = issue.comment({ by, body: '/batch run pulled' });
    const comments = () => world.github.comments(REPOSITORY, issue.number);
    const answer = () => comments().find(({ body }) => body.startsWith('<!-- standdown:reply '))?.body;
    await expect.poll(answer, WAIT).toContain(`#${pull.number}\` is a pull request, not an issue`);
    await untilSettled(world);
    const said = comments().find((comment) => comment.id === id);
    expect(said?.reactions.map(({ content }) => content)).toContain('confused');
    expect(await eventsOf(world, { issueNumber: pull.number })).toEqual([]);
  });
});
