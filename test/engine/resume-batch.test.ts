/** A resume between the word that asks for it and the last task that it is about, where GitHub is slow, silent or final. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { act, cancelBatch, GitHubError, resumeBatch, submitBatch } from '../../src/engine/index.ts';
import { batchKey } from '../../src/engine/keys.ts';
import { makeNeedsGraphs } from '../../src/engine/needs-graphs.ts';
import { reconcileBatch } from '../../src/engine/reconcile-batch.ts';
import { type Checker, makeChecker } from '../fixtures/engine/checker.ts';
import { documentOf, type Embedded, embed, submit } from '../fixtures/engine/embedded.ts';

const RUN = ['true'];
const by = { actor: 'ann', cause: 'api' } as const;

let checker: Checker;
let embedded: Embedded;
beforeEach(async () => {
  checker = makeChecker();
  for (const number of [1, 2]) checker.set(number, { state: 'open' });
  embedded = await embed(checker);
});
afterEach(() => embedded.close());

/** One task for each of the issues 1, 2 …, all cancelled, and the batch with them. */
async function interrupted(count: number): Promise<{ batchId: string; tasks: readonly string[] }> {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const tasks = await submit(embedded, Object.fromEntries(numbers.map((issue) => [`t${issue}`, { run: RUN, issue }])));
  for (const id of tasks) await act(embedded.deps, id, 'cancel', by);
  const batchId = (await embedded.deps.store.task(tasks[0]!))!.batchId!;
  await reconcile(batchId);
  expect(await batchOf(batchId)).toMatchObject({ state: 'cancelled' });
  return { batchId, tasks };
}

function reconcile(batchId: string): Promise<void> {
  return reconcileBatch(embedded.deps, makeNeedsGraphs(embedded.deps.store), batchId);
}

async function batchOf(id: string) {
  return (await embedded.deps.store.batch(id))!;
}

async function statesOf(tasks: readonly string[]) {
  return Promise.all(tasks.map(async (id) => (await embedded.deps.store.task(id))?.state));
}

/** From now on GitHub answers so about this issue, until it is said to answer again. */
function fails(number: number, error: GitHubError): { answersAgain(): void } {
  const { readIssue } = checker;
  checker.readIssue = async (repository, asked) => {
    if (asked === number) throw error;
    return readIssue(repository, asked);
  };
  return {
    answersAgain() {
      checker.readIssue = readIssue;
    },
  };
}

async function eventsOf(type: string): Promise<number> {
  const events = await embedded.deps.store.queries.events(null, 1_000);
  return events.filter((event) => event.type === type).length;
}

/** When the batch is looked at again, in ms from now. */
async function lookedAtAgainIn(batchId: string): Promise<number> {
  const { queue } = embedded.deps.store;
  for (const lease of await queue.claim('test', 99, 60_000)) {
    if (lease.key === batchKey(batchId)) return 0;
    await queue.complete(lease);
  }
  return ((await queue.nextDue())?.getTime() ?? Number.POSITIVE_INFINITY) - Date.now();
}

describe('a batch that is to be resumed', () => {
  it('has its name from that word on, and no other batch can take it', async () => {
    const { batchId, tasks } = await interrupted(1);
    checker.silence(1);
    await resumeBatch(embedded.deps, batchId, { ...by, force: false });
    await reconcile(batchId);
    expect(await batchOf(batchId)).toMatchObject({ state: 'running', stuck: false, finishedAt: null });
    const other = await submitBatch(embedded.deps, documentOf({ a: { run: RUN } }), { dryRun: false, actor: 'bob' });
    expect(other).toMatchObject({ result: 'conflict', batchId });
    expect(await statesOf(tasks)).toEqual(['cancelled']);
  });

  it('is what it was where nothing of it could be queued again', async () => {
    const { batchId } = await interrupted(1);
    checker.set(1, { state: 'closed', reason: 'completed' });
    await resumeBatch(embedded.deps, batchId, { ...by, force: false });
    await reconcile(batchId);
    await reconcile(batchId);
    expect(await batchOf(batchId)).toMatchObject({ state: 'cancelled', order: null });
    expect((await batchOf(batchId)).finishedAt).not.toBeNull();
  });

  it('can be cancelled while GitHub is silent', async () => {
    const { batchId, tasks } = await interrupted(1);
    checker.silence(1);
    await resumeBatch(embedded.deps, batchId, { ...by, force: false });
    await reconcile(batchId);
    expect(await cancelBatch(embedded.deps, batchId, { ...by, now: false })).toMatchObject({ result: 'accepted' });
    await reconcile(batchId);
    expect(await batchOf(batchId)).toMatchObject({ state: 'cancelled', order: null });
    expect(await statesOf(tasks)).toEqual(['cancelled']);
  });
});

describe('a resume', () => {
  it('waits for an issue that can not be read now, and tells once of those that it leaves', async () => {
    const { batchId, tasks } = await interrupted(2);
    checker.set(1, { state: 'closed', reason: 'completed' });
    const second = fails(2, new GitHubError('retryable', 'no answer'));
    await resumeBatch(embedded.deps, batchId, { ...by, force: false });
    for (let look = 0; look < 3; look++) await reconcile(batchId);
    expect(await batchOf(batchId)).toMatchObject({ order: { kind: 'resume' } });
    second.answersAgain();
    await reconcile(batchId);
    expect(await batchOf(batchId)).toMatchObject({ state: 'running', order: null });
    expect(await statesOf(tasks)).toEqual(['cancelled', 'ready']);
    expect(await eventsOf('TASK_RESUME_REFUSED')).toBe(1);
    expect(await eventsOf('BATCH_RESUMED')).toBe(1);
  });

  it('leaves a task whose issue this app may not read any more, and says so', async () => {
    const { batchId, tasks } = await interrupted(2);
    fails(1, new GitHubError('lost_access', 'not to be seen'));
    await resumeBatch(embedded.deps, batchId, { ...by, force: false });
    await reconcile(batchId);
    expect(await statesOf(tasks)).toEqual(['cancelled', 'ready']);
    expect((await batchOf(batchId)).order).toBeNull();
    expect(await eventsOf('TASK_RESUME_REFUSED')).toBe(1);
  });

  it('makes way for a cancel at once', async () => {
    const many = Array.from({ length: 30 }, (_, index) => index + 1);
    for (const number of many) checker.set(number, { state: 'open' });
    const { batchId, tasks } = await interrupted(many.length);
    const { readIssue } = checker;
    let cancelled: Promise<unknown> | null = null;
    checker.readIssue = async (...asked) => {
      cancelled ??= cancelBatch(embedded.deps, batchId, { ...by, now: true });
      await cancelled;
      return readIssue(...asked);
    };
    await resumeBatch(embedded.deps, batchId, { ...by, force: false });
    await reconcile(batchId);
    expect((await statesOf(tasks)).filter((state) => state === 'cancelled').length).toBeGreaterThan(20);
    await reconcile(batchId);
    expect(await batchOf(batchId)).toMatchObject({ state: 'cancelled', order: null });
    expect(new Set(await statesOf(tasks))).toEqual(new Set(['cancelled']));
    expect(await eventsOf('BATCH_RESUMED')).toBe(0);
  });

  it('asks again no sooner than GitHub wants', async () => {
    const { batchId } = await interrupted(1);
    fails(1, new GitHubError('throttled', 'slow down', { retryAfterSeconds: 600 }));
    await resumeBatch(embedded.deps, batchId, { ...by, force: false });
    for (const lease of await embedded.deps.store.queue.claim('test', 99, 60_000)) {
      await embedded.deps.store.queue.complete(lease);
    }
    await reconcile(batchId);
    expect(await lookedAtAgainIn(batchId)).toBeGreaterThan(590_000);
  });
});
