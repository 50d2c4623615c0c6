/** What a look at an issue does where nothing of the issue itself is new, and where what it saw is old by the time it acts. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { checkTask, type Deps } from '../../src/engine/index.ts';
import type { Write } from '../../src/engine/ports.ts';
import { readIssue } from '../../src/engine/read-issue.ts';
import { reconcileIssue } from '../../src/engine/reconcile-issue.ts';
import { reconcileTask } from '../../src/engine/reconcile-task.ts';
import { type Checker, makeChecker } from '../fixtures/engine/checker.ts';
import { type Embedded, embed, REPOSITORY, submit } from '../fixtures/engine/embedded.ts';

const REF = { repositoryId: REPOSITORY.id, number: 1 };

let checker: Checker;
let embedded: Embedded;
beforeEach(async () => {
  checker = makeChecker();
  checker.set(1, { state: 'open' });
  embedded = await embed(checker);
});
afterEach(() => embedded.close());

/** Takes every key out of the queue. */
async function dueKeys({ store }: Deps): Promise<string[]> {
  const leases = await store.queue.claim('test', 99, 60_000);
  for (const lease of leases) await store.queue.complete(lease);
  return leases.map(({ key }) => key);
}

async function closeOnce(deps: Deps, taskId: string): Promise<void> {
  checker.set(1, { state: 'closed', reason: 'not_planned' });
  await checkTask(deps, taskId);
  await reconcileIssue(deps, REF);
}

it('finds the task that came after its close had been acted on', async () => {
  const { deps } = embedded;
  const [first, late] = await submit(embedded, { first: { run: ['true'], issue: 1 }, late: { run: ['true'] } });
  await closeOnce(deps, first!);
  const task = await deps.store.task(late!);
  await deps.store.commit([{ write: 'task.update', id: late!, version: task!.version, set: { issueNumber: 1 } }]);
  await dueKeys(deps);
  await reconcileIssue(deps, REF);
  expect(await dueKeys(deps)).toContain(`task:${late}`);
});

it('finds the ended task whose reopen was judged while the issue counted as closed once more', async () => {
  const { deps } = embedded;
  const [id] = await submit(embedded, { a: { run: ['true'], issue: 1 } });
  await closeOnce(deps, id!);
  await reconcileTask(deps, id!);
  expect(await deps.store.task(id!)).toMatchObject({ state: 'cancelled' });
  checker.set(1, { state: 'open' });
  await readIssue(deps, REF);
  await reconcileIssue(deps, REF);
  // The task's own look came while the issue was closed: nothing was to be done.
  expect(await dueKeys(deps)).toContain(`task:${id}`);
  await reconcileIssue(deps, REF);
  expect(await dueKeys(deps)).toContain(`task:${id}`);
  await reconcileTask(deps, id!);
  expect(await deps.store.task(id!)).toMatchObject({ state: 'ready' });
});

it('reads again where a hint came while it read', async () => {
  const { deps } = embedded;
  await submit(embedded, { a: { run: ['true'], issue: 1 } });
  const { readIssue: ask } = checker;
  let asked = 0;
  checker.readIssue = async (repository, number) => {
    asked += 1;
    const answer = await ask(repository, number);
    if (asked > 1) return answer;
    checker.set(1, { state: 'closed', reason: 'completed' });
    const { version } = (await deps.store.issue(REF))!;
    await deps.store.commit([{ write: 'issue.update', ref: REF, version, set: { readDue: true } }]);
    return answer;
  };
  expect(await readIssue(deps, REF)).toMatchObject({ state: 'closed' });
  expect(await deps.store.issue(REF)).toMatchObject({ state: 'closed', readDue: false });
});

it('takes what somebody else has read at the same time', async () => {
  const { deps } = embedded;
  await submit(embedded, { a: { run: ['true'], issue: 1 } });
  const readings = await Promise.all(Array.from({ length: 9 }, () => readIssue(deps, REF)));
  expect(new Set(readings.map((issue) => issue?.state))).toEqual(new Set(['open']));
});

it('without GitHub takes what is known for what is so, and is not asked for again', async () => {
  const { deps } = embedded;
  await submit(embedded, { a: { run: ['true'], issue: 1 } });
  const { version } = (await deps.store.issue(REF))!;
  await deps.store.commit([
    { write: 'issue.update', ref: REF, version, set: { readDue: true, observedAt: new Date(0) } },
  ]);
  await reconcileIssue({ ...deps, github: null }, REF);
  const issue = await deps.store.issue(REF);
  expect(issue).toMatchObject({ state: 'open', readDue: false });
  expect(issue!.observedAt.getTime()).toBeGreaterThan(0);
});

it('does not take a reopen back that came while it looked', async () => {
  const { deps } = embedded;
  const [id] = await submit(embedded, { a: { run: ['true'], issue: 1 } });
  await closeOnce(deps, id!);
  const { nodeId } = (await deps.store.issue(REF))!;
  let raced = false;
  const store: Deps['store'] = Object.assign(Object.create(deps.store), {
    async newestEpisode(node: string) {
      if (!raced) {
        raced = true;
        checker.set(1, { state: 'open' });
        await checkTask(deps, id!);
        await reconcileIssue(deps, REF);
      }
      return deps.store.newestEpisode(node);
    },
  });
  await dueKeys(deps);
  await reconcileIssue({ ...deps, store }, REF);
  expect(await deps.store.newestEpisode(nodeId)).toMatchObject({ state: 'undone' });
  expect(await dueKeys(deps)).toContain(`issue:${REF.repositoryId}#1`);
});

it('owes the status of an issue anew when it closes and when it opens again', async () => {
  const { deps } = embedded;
  const [id] = await submit(embedded, { a: { run: ['true'], issue: 1 } });
  const owed: string[] = [];
  const store: Deps['store'] = Object.assign(Object.create(deps.store), {
    commit(writes: readonly Write[]) {
      owed.push(...writes.flatMap((write) => (write.write === 'outbox.owe' ? [write.item.key] : [])));
      return deps.store.commit(writes);
    },
  });
  const status = `status:${REF.repositoryId}#${REF.number}`;
  await closeOnce({ ...deps, store }, id!);
  expect(owed).toEqual([status]);
  checker.set(1, { state: 'open' });
  await checkTask(deps, id!);
  await reconcileIssue({ ...deps, store }, REF);
  expect(owed).toEqual([status, status]);
});
