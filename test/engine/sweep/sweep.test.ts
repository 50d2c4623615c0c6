/** The sweep by what changed: what it asks, what it finds, and what it leaves alone. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GitHubError } from '../../../src/engine/index.ts';
import { makePolicyOf } from '../../../src/engine/policies.ts';
import { makeSweeper, type Sweeper, sweepRepository, verifyRepository } from '../../../src/engine/sweep/index.ts';
import { type Embedded, embed, REPOSITORY, submit, untilRunning, untilTask } from '../../fixtures/engine/embedded.ts';
import { makeFiles } from '../../fixtures/engine/files.ts';
import { type Lister, makeLister } from '../../fixtures/engine/lister.ts';
import { eventually } from '../../support/processes.ts';

const ISSUE = 12;
const HOUR_MS = 3_600_000;

let github: Lister;
let embedded: Embedded;
let sweeper: Sweeper;

beforeEach(async () => {
  github = makeLister();
  github.set(ISSUE, {});
  embedded = await embed(github);
  embedded.deps.limits = { ...embedded.deps.limits, massStop: 2 };
  await embedded.start();
  sweeper = sweeperWith(30_000);
});
afterEach(() => embedded.close());

function sweeperWith(intervalMs: number): Sweeper {
  const made = makeSweeper(embedded.deps, intervalMs, () => 0.5);
  if (made === null) throw new Error('this GitHub can not be swept');
  return made;
}

const turn = () => sweepRepository(sweeper, REPOSITORY.id);
const stateOf = async () => (await embedded.deps.store.repositoryState(REPOSITORY.id))!;
const eventsOf = async (type: string) =>
  (await embedded.deps.store.queries.events(null, 10_000)).filter((event) => event.type === type);

async function running(...numbers: number[]): Promise<string[]> {
  const tasks = Object.fromEntries(numbers.map((issue) => [`on-${issue}`, { run: embedded.long, issue }]));
  const ids = await submit(embedded, tasks);
  for (const id of ids) await untilRunning(embedded, id);
  // The first turn sets the cursor, and asks for a look at each issue once.
  await turn();
  await verifyRepository(sweeper, REPOSITORY.id);
  await untilQuiet();
  github.asked();
  return ids;
}

/** What is due now is worked off. */
async function untilQuiet(): Promise<void> {
  await eventually(async () => {
    const due = await embedded.deps.store.queue.nextDue();
    expect(due === null || due > new Date()).toBe(true);
  });
}

describe('a turn of a repository', () => {
  it('asks once, and by what it was told the last time, while all is quiet', async () => {
    await running(ISSUE);
    await turn();
    github.asked();
    for (let turns = 0; turns < 3; turns += 1) expect(await turn()).toMatchObject({ changes: 0, problem: null });
    expect(github.asked()).toEqual(['list if changed', 'list if changed', 'list if changed']);
  });

  it('finds a close that no webhook told of, reads that issue alone, and stops its run', async () => {
    github.set(13, {});
    const [first, second] = await running(ISSUE, 13);
    github.set(ISSUE, { state: 'closed', reason: 'not_planned' });
    expect(await turn()).toMatchObject({ changes: 1 });
    await untilTask(embedded, first!, { state: 'cancelled', cause: 'issue_not_planned' });
    expect(github.asked().filter((call) => call.startsWith('read'))).toEqual([`read #${ISSUE}`]);
    expect(await embedded.deps.store.task(second!)).toMatchObject({ state: 'running' });
    expect(await eventsOf('RECONCILIATION_STARTED')).toMatchObject([{ data: { changes: 1 } }]);
  });

  it.each([
    ['a turn without webhooks', () => turn()],
    ['a look at everything', () => verifyRepository(sweeper, REPOSITORY.id)],
  ])('judges a close by the policy that was pushed before it, though both came during %s', async (_, look) => {
    const files = makeFiles();
    Object.assign(embedded.deps, {
      configuredRepository: REPOSITORY.fullName,
      policyOf: makePolicyOf(embedded.deps.store, () => ({})),
    });
    const [id] = await running(ISSUE);
    const { github: asked } = sweeper;
    const { listIssues, sightIssues } = asked;
    const pushAndClose = async () => {
      files.push('policy: { on_close: { completed: cancel } }\n');
      github.set(ISSUE, { state: 'closed', reason: 'completed' });
      await github.readIssue(REPOSITORY, ISSUE);
      Object.assign(asked, { listIssues, sightIssues });
    };
    Object.assign(asked, {
      readFile: files.readFile,
      async listIssues(...args: Parameters<typeof listIssues>) {
        await pushAndClose();
        return listIssues(...args);
      },
      async sightIssues(...args: Parameters<typeof sightIssues>) {
        await pushAndClose();
        return sightIssues(...args);
      },
    });
    expect(await look()).toMatchObject({ changes: 1, problem: null });
    await untilTask(embedded, id!, { state: 'cancelled', cause: 'issue_completed' });
  });

  it('reads nothing of an issue that was only talked about', async () => {
    await running(ISSUE);
    github.set(ISSUE, { title: 'Another title' });
    expect(await turn()).toMatchObject({ changes: 0 });
    expect(github.asked()).toEqual(['list if changed']);
    const issue = await embedded.deps.store.issue({ repositoryId: REPOSITORY.id, number: ISSUE });
    expect(issue).toMatchObject({ title: 'Another title', readDue: false });
  });

  it('says when the next one is, and how old what is known is', async () => {
    await running(ISSUE);
    const before = new Date();
    const { nextAt } = await turn();
    expect(nextAt!.getTime() - Date.now()).toBeGreaterThan(25_000);
    expect((await stateOf()).sweptAt!.getTime()).toBeGreaterThanOrEqual(before.getTime());
    sweeper = sweeperWith(0);
    expect((await turn()).nextAt).toBeNull();
  });

  it('asks nothing at the reserve or while GitHub asked for silence, and comes again when that is over', async () => {
    await running(ISSUE);
    const resetAt = new Date(Date.now() + HOUR_MS);
    github.state.quota = { limit: 5_000, remaining: 900, resetAt };
    const nextAt = new Date(resetAt.getTime() + 15_000);
    expect(await turn()).toMatchObject({ problem: null, nextAt });
    github.state.quota = null;
    github.state.pausedUntil = resetAt;
    expect((await turn()).nextAt).toEqual(nextAt);
    expect((await verifyRepository(sweeper, REPOSITORY.id)).nextAt).toEqual(nextAt);
    expect(github.asked()).toEqual([]);
  });

  it('that fails is told once with its class, tried again later each time, and changes nothing', async () => {
    const [id] = await running(ISSUE);
    const { sweptAt } = await stateOf();
    github.state.listingFails = new GitHubError('retryable', 'no answer');
    github.set(ISSUE, { state: 'closed', reason: 'completed' });
    const nexts = [await turn(), await turn(), await turn()].map(({ nextAt }) => nextAt!.getTime() - Date.now());
    expect(nexts[1]!).toBeGreaterThan(nexts[0]!);
    expect(nexts[2]!).toBeGreaterThan(nexts[1]!);
    expect(await stateOf()).toMatchObject({ sweptAt, sweepProblem: { code: 'retryable', failures: 3 } });
    expect(await eventsOf('RECONCILIATION_ERROR')).toHaveLength(1);
    expect(await embedded.deps.store.task(id!)).toMatchObject({ state: 'running' });
    github.state.listingFails = null;
    expect(await turn()).toMatchObject({ changes: 1, problem: null });
    expect((await stateOf()).sweepProblem).toBeNull();
    await untilTask(embedded, id!, { state: 'done' });
  });

  it('lists what a crash kept it from keeping once more', async () => {
    const [id] = await running(ISSUE);
    github.set(ISSUE, { state: 'closed', reason: 'completed' });
    const { store } = embedded.deps;
    const broken = { ...store, commit: () => Promise.reject(new Error('killed')) };
    await expect(
      sweepRepository({ ...sweeper, deps: { ...embedded.deps, store: broken } }, REPOSITORY.id),
    ).rejects.toThrow('killed');
    expect(await turn()).toMatchObject({ changes: 1 });
    await untilTask(embedded, id!, { state: 'done' });
  });
});

describe('a look at everything', () => {
  it('finds a deleted issue, which no listing shows, and has its own answer say so', async () => {
    const [id] = await running(ISSUE);
    github.remove(ISSUE);
    expect(await turn()).toMatchObject({ changes: 0 });
    expect(await verifyRepository(sweeper, REPOSITORY.id)).toMatchObject({ changes: 1, problem: null });
    await untilTask(embedded, id!, { state: 'cancelled', cause: 'issue_deleted' });
  });

  it('takes an issue that got no answer for neither there nor gone, and reads it', async () => {
    const [id] = await running(ISSUE);
    github.state.hidden.add(ISSUE);
    await verifyRepository(sweeper, REPOSITORY.id);
    await eventually(() => expect(github.asked().join()).toContain(`read #${ISSUE}`));
    await untilQuiet();
    expect(await embedded.deps.store.task(id!)).toMatchObject({ state: 'running' });
    expect(await stateOf()).toMatchObject({ sweepProblem: null });
  });

  it('reads the issues one by one where GitHub answers no query', async () => {
    const [id] = await running(ISSUE);
    github.state.sightsFail = new GitHubError('lost_access', 'no queries here', { status: 403 });
    github.remove(ISSUE);
    expect(await verifyRepository(sweeper, REPOSITORY.id)).toMatchObject({ problem: null });
    await untilTask(embedded, id!, { state: 'cancelled', cause: 'issue_deleted' });
  });

  it('comes again within the hour or so, and sooner after a failure', async () => {
    await running(ISSUE);
    const inMs = ({ nextAt }: { nextAt: Date | null }) => nextAt!.getTime() - Date.now();
    expect(inMs(await verifyRepository(sweeper, REPOSITORY.id))).toBeGreaterThan(0.8 * HOUR_MS);
    github.state.sightsFail = new GitHubError('retryable', 'no answer');
    const failed = await verifyRepository(sweeper, REPOSITORY.id);
    expect(failed.problem).toMatchObject({ code: 'retryable' });
    expect(inMs(failed)).toBeLessThan(0.2 * HOUR_MS);
  });
});

describe('more stops at once than are allowed', () => {
  const NUMBERS = [12, 13, 14];
  const closedBy = (closedAt: Date) => (issue: { updatedAt: Date }) =>
    ({
      ...issue,
      state: 'closed',
      reason: 'completed',
      closedAt,
      updatedAt: new Date(closedAt.getTime() + 1_000),
    }) as never;

  beforeEach(() => {
    for (const number of NUMBERS) github.set(number, {});
  });

  it('wait for one more answer, and happen where that one says the same', async () => {
    const ids = await running(...NUMBERS);
    for (const number of NUMBERS) github.set(number, { state: 'closed', reason: 'completed' });
    await turn();
    expect(github.asked().filter((call) => call.startsWith('list'))).toEqual(['list if changed', 'list']);
    for (const id of ids) await untilTask(embedded, id, { state: 'done' });
    expect(await eventsOf('RECONCILIATION_ASKED_AGAIN')).toMatchObject([
      { data: { stops: 3, issues_not_confirmed: 0 } },
    ]);
  });

  it('do not happen where it does not, by a listing as by a look at everything', async () => {
    const ids = await running(...NUMBERS);
    const { issuesSince } = await stateOf();
    for (const number of NUMBERS) github.set(number, {});
    github.state.lies.push(closedBy(new Date()));
    expect((await turn()).problem).toMatchObject({ code: 'retryable', message: expect.stringContaining('3 issues') });
    github.state.lies.push(closedBy(new Date()));
    expect((await verifyRepository(sweeper, REPOSITORY.id)).problem).toMatchObject({ code: 'retryable' });
    await untilQuiet();
    for (const id of ids) expect(await embedded.deps.store.task(id)).toMatchObject({ state: 'running' });
    expect((await stateOf()).issuesSince).toEqual(issuesSince);
  });

  it('of one turn after the other are counted together', async () => {
    await running(...NUMBERS);
    for (const number of NUMBERS) {
      github.set(number, { state: 'closed', reason: 'completed' });
      await turn();
    }
    expect(await eventsOf('RECONCILIATION_ASKED_AGAIN')).toHaveLength(1);
  });
});

describe('a listing that is empty', () => {
  it('stops nothing', async () => {
    const [id] = await running(ISSUE);
    github.state.listingFails = null;
    const { listIssues } = github;
    github.listIssues = async () => ({
      found: 'issues',
      issues: [],
      unreadable: [],
      newest: null,
      isWhole: true,
      validator: 'empty',
    });
    embedded.deps.github = github;
    await sweepRepository({ ...sweeper, github }, REPOSITORY.id);
    github.listIssues = listIssues;
    await untilQuiet();
    expect(await embedded.deps.store.task(id!)).toMatchObject({ state: 'running' });
  });
});
