/** After the clock was set back, what was put off is put off for as long as it was meant to be. */
import { afterEach, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../src/core/policy.ts';
import { bringForward } from '../../src/engine/clock-set-back.ts';
import { issueKey, SCHEDULE_KEY } from '../../src/engine/keys.ts';
import { readIssue } from '../../src/engine/read-issue.ts';
import { reconcileIssue } from '../../src/engine/reconcile-issue.ts';
import { makeMemoryStore } from '../../src/store/memory/index.ts';
import { type Embedded, embed, REPOSITORY, submit } from '../fixtures/engine/embedded.ts';
import { makeLister } from '../fixtures/engine/lister.ts';

const HOUR_MS = 3_600_000;

let embedded: Embedded;

afterEach(() => embedded.close());

it('brings starts forward by what the clock lost, and leaves those that nothing puts off', async () => {
  embedded = await embed(null);
  const { store, clock } = embedded.deps;
  await store.commit([{ write: 'repository.put', repository: REPOSITORY }]);
  const [retry = '', free = ''] = await submit(embedded, { retry: { run: ['true'] }, free: { run: ['true'] } });
  const before = clock().getTime();
  const notBefore = new Date(before + HOUR_MS + 5_000);
  await store.commit([{ write: 'task.update', id: retry, version: 1, set: { notBefore } }]);

  await bringForward(embedded.deps, HOUR_MS);

  expect((await store.task(retry))?.notBefore).toEqual(new Date(before + 5_000));
  expect(await store.task(free)).toMatchObject({ notBefore: null, version: 1 });
  const due = await store.queue.claim('test', 99, 1_000);
  expect(due.map(({ key }) => key)).toContain(SCHEDULE_KEY);
});

it('makes due at once what was put off for less than that', async () => {
  embedded = await embed(null);
  const { store, clock } = embedded.deps;
  await store.commit([{ write: 'repository.put', repository: REPOSITORY }]);
  const [retry = ''] = await submit(embedded, { retry: { run: ['true'] } });
  const notBefore = new Date(clock().getTime() + 60_000);
  await store.commit([{ write: 'task.update', id: retry, version: 1, set: { notBefore } }]);

  await bringForward(embedded.deps, HOUR_MS);

  const due = (await store.task(retry))?.notBefore ?? notBefore;
  expect(due.getTime()).toBeLessThanOrEqual(clock().getTime());
});

it('lets what waits for a time that somebody outside told wait for just that', async () => {
  embedded = await embed(null);
  const { store, clock } = embedded.deps;
  await store.commit([{ write: 'repository.put', repository: REPOSITORY }]);
  const [limited = ''] = await submit(embedded, { limited: { run: ['true'] } });
  const until = new Date(clock().getTime() + 2 * HOUR_MS);
  const set = { notBefore: until, notBeforeTold: true };
  await store.commit([{ write: 'task.update', id: limited, version: 1, set }]);

  await bringForward(embedded.deps, HOUR_MS);

  expect((await store.task(limited))?.notBefore).toEqual(until);
});

it('looks at a close that waits for its delay when that is over, not when the clock has caught up', async () => {
  const github = makeLister();
  github.set(12, {});
  embedded = await embed(github);
  let aheadMs = HOUR_MS;
  const clock = () => new Date(Date.now() + aheadMs);
  const store = makeMemoryStore({ now: clock, onEnqueued: () => {} });
  const policyOf = async () => ({ ...DEFAULT_POLICY, closeDelaySeconds: 300 });
  const deps = { ...embedded.deps, store, clock, policyOf, github: { ...github, clockOffsetMs: () => -aheadMs } };
  const ref = { repositoryId: REPOSITORY.id, number: 12 };
  await store.commit([{ write: 'repository.put', repository: REPOSITORY }]);
  await readIssue(deps, ref);
  github.set(12, { state: 'closed', reason: 'completed' });
  await readIssue(deps, ref);
  await store.queue.claim('test', 99, 0);
  const [lease] = await store.queue.claim('test', 99, 60_000);
  await reconcileIssue(deps, ref);
  await store.queue.complete(lease!);

  aheadMs = 0;
  await bringForward(deps, HOUR_MS);

  const next = await store.queue.claim('test', 99, 60_000);
  expect(next.map(({ key }) => key)).not.toContain(issueKey(ref));
  aheadMs = 301_000;
  const due = await store.queue.claim('test', 99, 60_000);
  expect(due.map(({ key }) => key)).toContain(issueKey(ref));
});
