/** `close_issue_on_done`: closed once for each set of ends, and a close of our own ends nothing. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isCloseDue } from '../../src/engine/close-on-done.ts';
import { act, DEFAULT_POLICY, GitHubError, type Policy, submitBatch } from '../../src/engine/index.ts';
import { readIssue } from '../../src/engine/read-issue.ts';
import { reconcileIssue } from '../../src/engine/reconcile-issue.ts';
import { type Checker, makeChecker } from '../fixtures/engine/checker.ts';
import {
  documentOf,
  type Embedded,
  embed,
  REPOSITORY,
  submit,
  untilRunning,
  untilTask,
} from '../fixtures/engine/embedded.ts';
import { makeWriting, type Writing } from '../fixtures/engine/writing.ts';
import { eventually } from '../support/processes.ts';

const BOT = 'standdown[bot]';
const ISSUE = 12;
const REF = { repositoryId: REPOSITORY.id, number: ISSUE };
const OK = { run: ['true'], issue: ISSUE };

let checker: Checker;
let writing: Writing;
let embedded: Embedded;
let policy: Policy;

afterEach(() => embedded.close());

/** By an App, unless `installationId` is null: then by a token of somebody called ann. */
async function begin({
  installationId = 5 as number | null,
  self = async () => ({ login: BOT, app: 'standdown' }),
} = {}) {
  checker = makeChecker();
  checker.set(ISSUE, {});
  writing = makeWriting(checker, installationId === null ? 'ann' : BOT);
  const repository = { ...REPOSITORY, installationId };
  embedded = await embed({ ...checker, ...writing, self, findRepository: async () => repository });
  policy = { ...DEFAULT_POLICY, closeIssueOnDone: true };
  embedded.deps.policyOf = async () => policy;
  await embedded.start();
}

async function untilClosed(times: number): Promise<void> {
  await eventually(() => expect(writing.closed).toEqual(Array(times).fill(ISSUE)));
}

/** As a webhook would have it looked at. */
async function learn(): Promise<void> {
  await readIssue(embedded.deps, REF);
  await reconcileIssue(embedded.deps, REF);
}

const episode = () => embedded.deps.store.newestEpisode(`I_${ISSUE}`);

/** Everything that is due has been done, and sent. */
async function untilQuiet(): Promise<void> {
  await eventually(async () => {
    const { messages, keys } = await embedded.deps.store.queries.backlog();
    // The looks at the runners, at what lives there unwanted, and at what is old are always there.
    expect({ messages, keys }).toEqual({ messages: 0, keys: 3 });
  });
}

async function whatHappened(): Promise<string[]> {
  return (await embedded.deps.store.queries.events(null, 1_000)).map(({ type }) => type);
}

describe('an issue all of whose tasks are done', () => {
  beforeEach(() => begin());

  it('is closed when the last of them ends, once, and neither task nor anybody takes it for a person’s close', async () => {
    const [first, last] = await submit(embedded, { first: OK, last: { run: embedded.long, issue: ISSUE } });
    await untilTask(embedded, first!, { state: 'done' });
    await untilRunning(embedded, last!);
    await untilQuiet();
    expect(writing.closed).toEqual([]);
    await act(embedded.deps, last!, 'done', { actor: 'ann', cause: 'api' });
    await untilClosed(1);
    await learn();
    await learn();
    await untilQuiet();
    expect(writing.closed).toEqual([ISSUE]);
    expect(await episode()).toMatchObject({ state: 'acted', action: 'ignore', actor: BOT, reason: 'completed' });
    expect(await embedded.deps.store.task(first!)).toMatchObject({ state: 'done', cause: 'run_succeeded' });
    // The one comment is that of ann's own `done`.
    expect(writing.bodies.size).toBe(1);
    expect(await whatHappened()).not.toContain('RECONCILIATION_TASK_SKIPPED');
  });

  it('is left open where the policy does not ask for it', async () => {
    policy = DEFAULT_POLICY;
    const [id] = await submit(embedded, { first: OK });
    await untilTask(embedded, id!, { state: 'done' });
    await untilQuiet();
    expect(writing.closed).toEqual([]);
  });

  it('is left open while one of them has failed, until a person says that it is done', async () => {
    const [, bad] = await submit(embedded, { good: OK, bad: { run: ['false'], issue: ISSUE } });
    await untilTask(embedded, bad!, { state: 'failed' });
    await untilQuiet();
    expect(writing.closed).toEqual([]);
    await act(embedded.deps, bad!, 'done', { actor: 'ann', cause: 'api' });
    await untilClosed(1);
  });

  it('stays open once a person has reopened it, until something of it was queued again and done again', async () => {
    const [id] = await submit(embedded, { first: OK });
    await untilClosed(1);
    await learn();
    checker.set(ISSUE, { state: 'open', actor: 'ann' });
    await learn();
    await untilQuiet();
    // Looks at its tasks change nothing.
    await learn();
    await untilQuiet();
    expect(writing.closed).toEqual([ISSUE]);
    expect(await embedded.deps.store.newestRun(id!)).toMatchObject({ number: 1 });
    await act(embedded.deps, id!, 'retry', { actor: 'ann', cause: 'api' });
    await untilTask(embedded, id!, { state: 'done', generation: 2 });
    await untilClosed(2);
  });

  it('is left to a person who closes it by hand afterwards, and whose close stops what runs then', async () => {
    const [id] = await submit(embedded, { first: OK });
    await untilClosed(1);
    await learn();
    checker.set(ISSUE, { state: 'open', actor: 'ann' });
    await learn();
    const [again] = await submit(embedded, { again: { run: embedded.long, issue: ISSUE } }, { name: 'again' });
    await untilRunning(embedded, again!);
    checker.set(ISSUE, { state: 'closed', reason: 'not_planned', actor: 'ann' });
    await learn();
    await untilTask(embedded, again!, { state: 'cancelled', cause: 'issue_not_planned', actor: 'ann' });
    expect(await embedded.deps.store.task(id!)).toMatchObject({ state: 'done', cause: 'run_succeeded' });
  });
});

describe('right before the close is sent', () => {
  /** Owed, and not sent: nothing can be written. */
  async function owed(): Promise<string> {
    await begin();
    const { closeIssue: _, ...readOnly } = embedded.deps.github!;
    embedded.deps.github = readOnly;
    const [id] = await submit(embedded, { first: OK });
    await untilTask(embedded, id!, { state: 'done' });
    await eventually(async () => expect((await embedded.deps.store.queries.backlog()).messages).toBe(1));
    return id!;
  }

  async function isDue(): Promise<boolean> {
    const [lease] = await embedded.deps.store.outbox.claim('test', 1, 60_000);
    if (lease === undefined) throw new Error('nothing is owed');
    await embedded.deps.store.outbox.release(lease, { state: 'owed' });
    return isCloseDue(embedded.deps, lease.item);
  }

  it('it still holds where nothing has changed', async () => {
    await owed();
    expect(await isDue()).toBe(true);
  });

  it('it is off where a task was queued again, also once that is done: that is another close', async () => {
    const id = await owed();
    await act(embedded.deps, id, 'retry', { actor: 'ann', cause: 'api' });
    expect(await isDue()).toBe(false);
  });

  it('it is off where another task came to the issue', async () => {
    await owed();
    await submit(embedded, { more: { run: embedded.long, issue: ISSUE } }, { name: 'more' });
    expect(await isDue()).toBe(false);
  });

  it('it is off where somebody has closed the issue meanwhile, whose reason stays', async () => {
    await owed();
    checker.set(ISSUE, { state: 'closed', reason: 'not_planned', actor: 'ann' });
    expect(await isDue()).toBe(false);
  });

  it('it is off where the policy does not ask for it any more', async () => {
    await owed();
    policy = DEFAULT_POLICY;
    expect(await isDue()).toBe(false);
  });

  it('it waits where the issue can not be read', async () => {
    await owed();
    checker.silence(ISSUE);
    await expect(isDue()).rejects.toBeInstanceOf(GitHubError);
  });
});

describe('a close while something runs', () => {
  async function closeBy(actor: string, options: Parameters<typeof begin>[0] = {}): Promise<string> {
    await begin(options);
    const [id] = await submit(embedded, { train: { run: embedded.long, issue: ISSUE } });
    await untilRunning(embedded, id!);
    checker.set(ISSUE, { state: 'closed', reason: 'completed', actor });
    await learn();
    return id!;
  }

  it('by our own App ends nothing and stops nothing', async () => {
    const id = await closeBy(BOT);
    await untilQuiet();
    expect(await embedded.deps.store.task(id)).toMatchObject({ state: 'running', target: null });
    expect(await embedded.deps.store.newestRun(id)).toMatchObject({ state: 'running' });
    expect(writing.bodies.size).toBe(0);
  });

  it('by another bot is a close like any other', async () => {
    const id = await closeBy('stale[bot]');
    await untilTask(embedded, id, { state: 'done', cause: 'issue_completed', actor: 'stale[bot]' });
  });

  it('by a bot, where GitHub does not tell who we are, stops it all the same', async () => {
    const id = await closeBy(BOT, { self: () => Promise.reject(new GitHubError('retryable', 'bad gateway')) });
    await untilTask(embedded, id, { state: 'done', actor: BOT });
  });
});

describe('with a token', () => {
  it('our own close is known by what was owed, and the same person’s close by hand is a person’s', async () => {
    await begin({ installationId: null, self: async () => ({ login: 'ann', app: null as unknown as string }) });
    await submit(embedded, { first: OK });
    await untilClosed(1);
    await learn();
    expect(await episode()).toMatchObject({ state: 'acted', action: 'ignore', actor: 'ann' });
    checker.set(ISSUE, { state: 'open', actor: 'ann' });
    await learn();
    const submitted = await submitBatch(
      embedded.deps,
      documentOf({ more: { run: embedded.long, issue: ISSUE } }, { name: 'more' }),
      {
        dryRun: false,
        actor: 'ann',
      },
    );
    if (submitted.result !== 'created') throw new Error(JSON.stringify(submitted));
    const id = submitted.tasks[0]!.id;
    await untilRunning(embedded, id);
    await embedded.deps.github?.closeIssue?.(REPOSITORY, REF.number);
    await learn();
    await untilTask(embedded, id, { state: 'done', cause: 'issue_completed', actor: 'ann' });
    expect(await episode()).toMatchObject({ action: 'done' });
  });
});
