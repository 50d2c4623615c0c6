/** What owners do with the App and with their repositories while work runs there: it goes on, and what was missed is made up for at once. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_PERMISSIONS } from '../../src/demo/github/options.ts';
import { rest, submit, taskOf, untilRunning, untilTask, WAIT } from '../support/world.ts';
import {
  BY,
  expectCloseWorks,
  expectRunning,
  newPlace,
  outcomesAt,
  PLACES,
  type Place,
  placeIn,
  SPARE,
  startAt,
  stateOf,
  told,
  untilAccess,
  waitingOn,
} from './places.ts';
import { finish, finisher, pidOf, pidsOf, sleeper, untilAlive } from './programs.ts';
import { batchName, type ClockedWorld, closeWorld, makeClockedWorld, sweepNow, untilSettled } from './support.ts';

const FILE = '.github/standdown.yml';
let world: ClockedWorld;

beforeAll(async () => {
  world = await makeClockedWorld({ operator: PLACES });
  await world.start();
});

afterAll(() => closeWorld(world));

/** Two tasks and one slot: `first` ends by a signal, and `next` would start then. */
async function startPair(place: Place, exitCode: number) {
  const issue = world.github.addIssue(place.fullName, BY);
  const [first, next] = [finisher(exitCode), sleeper()];
  const tasks = { first: { issue: issue.number, run: first.run }, next: { run: next.run } };
  const one = { max_parallel: 1, on_failure: 'continue', repository: place.fullName };
  const batch = await submit(world, tasks, { ...batchName(), ...one });
  await untilRunning(world, batch, 'first');
  const pid = await pidOf(first.word);
  return { batch, issue, next, end: () => finish(pid) };
}

/** Nothing but its repository keeps it. */
async function expectKept({ batch, next }: Awaited<ReturnType<typeof startPair>>, why: RegExp): Promise<void> {
  const task = await taskOf(world, batch, 'next');
  await expect.poll(() => waitingOn(world, task), WAIT).toMatch(why);
  await sweepNow(world);
  expect(await taskOf(world, batch, 'next')).toMatchObject({ state: 'ready', runNumber: 0 });
  expect(pidsOf(next.word)).toEqual([]);
}

describe('an App that is suspended', () => {
  it('leaves what runs alone and starts nothing; later a close made meanwhile is acted on, and what waits starts', async () => {
    const place = newPlace(world);
    const [task, pair] = [await startAt(world, place), await startPair(place, 0)];
    const pids = [await pidOf(task.word)];
    world.github.installation.suspend({ ...BY, account: place.account });
    await untilAccess(world, place, 'suspended');
    await pair.end();
    await untilTask(world, pair.batch, 'first', { state: 'done', cause: 'run_succeeded' });
    expect(task.issue.close(BY).state).toBe('inactive');
    await expectKept(pair, /^the App is suspended on org-/);
    await expectRunning(world, task, pids);

    world.github.installation.unsuspend({ ...BY, account: place.account });
    await untilTask(world, task.batch, 'train', { state: 'done', cause: 'issue_completed', actor: 'ann' });
    expect(pidsOf(task.word)).toEqual([]);
    await untilRunning(world, pair.batch, 'next');
    await untilAlive(pair.next.word);
    await expect.poll(() => outcomesAt(world, place.fullName, task.issue.number).length, WAIT).toBe(1);
    expect(await told(world, place, 'REPOSITORY_ACCESS_CHANGED')).toHaveLength(2);
  });
});

describe('an App that is uninstalled and installed again', () => {
  it('tells what it owed, also where a try came before anybody had heard of it', async () => {
    const place = newPlace(world);
    const { issue, batch } = await startAt(world, place);
    const { installationId } = await stateOf(world, place);
    const down = { kind: 'answer', status: 502, body: { message: 'Server Error' }, method: 'POST', times: 1 } as const;
    world.github.faults.add({ ...down, path: `/repos/${place.fullName}/issues/${issue.number}/comments` });
    world.github.webhooks.lose(({ event }) => event === 'installation');
    issue.close(BY);
    await untilTask(world, batch, 'train', { state: 'done', cause: 'issue_completed' });
    world.github.installation.uninstall({ ...BY, account: place.account });
    const tokens = `/app/installations/${installationId}/access_tokens`;
    const refusals = () => world.github.requests().filter(({ path, status }) => path === tokens && status === 404);
    await expect.poll(() => refusals().length, WAIT).toBeGreaterThan(0);
    world.github.webhooks.loseNone();
    world.github.installation.install({ ...BY, account: place.account, repositories: [place.fullName] });
    await expect.poll(() => outcomesAt(world, place.fullName, issue.number).length, WAIT).toBe(1);
  });
});

describe('an App that can not ask who closed an issue, since it is', () => {
  it.each(['suspended', 'uninstalled'] as const)('%s, asks once it is back', async (how) => {
    const place = newPlace(world);
    const { account, fullName } = place;
    const { issue, batch } = await startAt(world, place);
    const path = `/repos/${fullName}/collaborators/ann/permission`;
    const goOn = world.github.faults.add({ kind: 'delay', ms: 60_000, path, times: 1 });
    const asked = () => world.github.requests().some((request) => request.path === path);
    issue.close(BY);
    await expect.poll(asked, WAIT).toBe(true);
    const { suspend, uninstall, unsuspend, install } = world.github.installation;
    if (how === 'suspended') suspend({ ...BY, account });
    else uninstall({ ...BY, account });
    goOn();
    await untilAccess(world, place, how === 'suspended' ? 'suspended' : 'gone');
    await world.github.webhooks.settled();
    if (how === 'suspended') unsuspend({ ...BY, account });
    else install({ ...BY, account, repositories: [fullName] });
    await untilTask(world, batch, 'train', { state: 'done', cause: 'issue_completed', actor: 'ann' });
    await expect.poll(() => outcomesAt(world, fullName, issue.number).length, WAIT).toBe(1);
  });
});

describe('a repository that is archived', () => {
  it('keeps what runs and starts nothing, and says why; once it is not archived any more what waits starts', async () => {
    const place = newPlace(world);
    const [task, pair] = [await startAt(world, place), await startPair(place, 3)];
    const pids = [await pidOf(task.word)];
    world.github.repository(place.fullName).archive(BY);
    await untilAccess(world, place, 'archived');
    await pair.end();
    await untilTask(world, pair.batch, 'first', { state: 'failed', cause: 'run_failed' });
    await expectKept(pair, /^org-\d+\/widgets is archived/);
    await expectRunning(world, task, pids);

    world.github.repository(place.fullName).unarchive(BY);
    await untilRunning(world, pair.batch, 'next');
    await untilAlive(pair.next.word);
    await expect.poll(() => outcomesAt(world, place.fullName, pair.issue.number), WAIT).toHaveLength(1);
    await expectCloseWorks(world, task);
  });
});

/** Each gives the name that it goes by then. */
const MOVES: Record<string, (place: Place) => string | Promise<string>> = {
  renamed: ({ account, fullName }) => {
    world.github.repository(fullName).rename('gadgets', BY);
    return `${account}/gadgets`;
  },
  'transferred to another account of the App': ({ fullName }) => {
    const { account } = placeIn(world, 'acme', 'else');
    world.github.repository(fullName).rename('moved', BY);
    world.github.repository(fullName.replace('widgets', 'moved')).transfer(account, BY);
    return `${account}/moved`;
  },
  // Its own event is not among those that the App asks for.
  'of an account that is renamed': async ({ account }) => {
    world.github.installation.renameAccount(SPARE, { ...BY, account });
    await sweepNow(world);
    return `${SPARE}/widgets`;
  },
  'made private': ({ fullName }) => {
    world.github.repository(fullName).privatize(BY);
    return fullName;
  },
};

describe('a repository that is', () => {
  it.each(Object.entries(MOVES))('%s: its work goes on, and closes and reopens there count', async (_how, move) => {
    const place = newPlace(world);
    const task = await startAt(world, place);
    const pids = [await pidOf(task.word)];
    const now = await move(place);
    await untilSettled(world);
    await expect.poll(async () => (await stateOf(world, place)).fullName, WAIT).toBe(now);
    await expectRunning(world, task, pids);
    await expectCloseWorks(world, task, now);
    world.clock.forward();
    world.github.issue(now, task.issue.number).reopen(BY);
    await untilRunning(world, task.batch, 'train', 2);
    await untilAlive(task.word);
    const { body } = await rest(world, 'GET', `/batches/${task.batch.id}`);
    expect(body).toMatchObject({ repository: now });
  });

  it('added: commands and batches count there at once, and nothing that was said before', async () => {
    const { account } = newPlace(world);
    const place = placeIn(world, account, 'gadgets', { installed: false });
    const [byWord, byBatch] = [sleeper(), sleeper()];
    const text = `tasks:\n  train: { runs_on: local, run: ${JSON.stringify(byWord.run)} }\n`;
    world.github.pushFile(place.fullName, { ...BY, path: FILE, text });
    const issue = world.github.addIssue(place.fullName, BY);
    issue.comment({ ...BY, body: '/task run train' });
    await sweepNow(world);
    world.clock.forward();
    world.github.installation.addRepository(place.fullName, BY);
    world.clock.forward();
    const { id } = issue.comment({ ...BY, body: '/task run train' });
    const batch = await submit(world, { now: { run: byBatch.run } }, { ...batchName(), repository: place.fullName });
    await untilRunning(world, batch, 'now');
    await untilAlive(byBatch.word);
    await untilAlive(byWord.word);
    await sweepNow(world);
    const comments = world.github.comments(place.fullName, issue.number);
    expect(comments.filter(({ reactions }) => reactions.length > 0).map((comment) => comment.id)).toEqual([id]);
    expect(await told(world, place, 'RUN_STARTING')).toHaveLength(2);
  });
});

describe('new permissions that are accepted', () => {
  it('are a reason to look at once: a push and a close that nobody told of are found', async () => {
    const place = newPlace(world);
    const task = await startAt(world, place);
    world.github.webhooks.lose(2);
    const text = 'tasks:\n  train: { runs_on: local, run: ["true"] }\n';
    world.github.pushFile(place.fullName, { ...BY, path: FILE, text });
    task.issue.close(BY);
    await world.github.webhooks.settled();
    await expectRunning(world, task, [await pidOf(task.word)]);
    const permissions = { ...DEFAULT_PERMISSIONS, actions: 'read' } as const;
    world.github.installation.acceptPermissions({ ...BY, account: place.account, permissions });
    await untilTask(world, task.batch, 'train', { state: 'done', cause: 'issue_completed', actor: 'ann' });
    expect(pidsOf(task.word)).toEqual([]);
    const { store } = world.app().deps;
    await expect.poll(async () => (await store.repositoryFile(place.id))?.text, WAIT).toBe(text);
    await expect.poll(() => outcomesAt(world, place.fullName, task.issue.number).length, WAIT).toBe(1);
  });
});

describe('new permissions', () => {
  it('that are accepted are made use of at once: the file is read, and a close that nobody told of is acted on', async () => {
    const { contents: _, ...less } = DEFAULT_PERMISSIONS;
    world.github.installation.acceptPermissions({ ...BY, permissions: less });
    const place = newPlace(world);
    const text = 'tasks:\n  train: { runs_on: local, run: ["true"] }\n';
    world.github.pushFile(place.fullName, { ...BY, path: FILE, text });
    const task = await startAt(world, place);
    world.github.webhooks.lose();
    task.issue.close(BY);
    await world.github.webhooks.settled();
    // A token that was made just now holds all that is granted.
    world.clock.forward(10);
    world.github.installation.acceptPermissions({ ...BY, account: place.account, permissions: DEFAULT_PERMISSIONS });
    const { store } = world.app().deps;
    await expect.poll(async () => (await store.repositoryFile(place.id))?.text, WAIT).toBe(text);
    await untilTask(world, task.batch, 'train', { state: 'done', cause: 'issue_completed', actor: 'ann' });
    expect(pidsOf(task.word)).toEqual([]);
    await expect.poll(() => outcomesAt(world, place.fullName, task.issue.number).length, WAIT).toBe(1);
  });
});
