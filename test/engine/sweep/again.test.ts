/** What a sweep must not pass over, and what it must not ask for again and again. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GitHubError, sweep } from '../../../src/engine/index.ts';
import type { Write } from '../../../src/engine/ports.ts';
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

describe('a turn', () => {
  it('does not move on from an issue that changes too fast to be marked', async () => {
    const [id] = await running(ISSUE);
    github.set(ISSUE, { state: 'closed', reason: 'completed' });
    const { store } = embedded.deps;
    const isMark = (writes: readonly Write[]) => writes.some(({ write }) => write === 'issue.update');
    const commit = async (writes: readonly Write[]) => !isMark(writes) && store.commit(writes);
    const deps = { ...embedded.deps, store: { ...store, commit } };
    const swept = await sweepRepository({ ...sweeper, deps }, REPOSITORY.id);
    expect(swept.problem).toMatchObject({ code: 'retryable' });
    expect(await turn()).toMatchObject({ changes: 1 });
    await untilTask(embedded, id!, { state: 'done' });
  });

  it('costs as little where another app takes turns with it, whose token has validators of its own', async () => {
    await running(ISSUE);
    const withToken = (token: string): Sweeper => ({
      ...sweeperWith(30_000),
      github: {
        ...github,
        async listIssues(repository, since, validator) {
          const own = validator?.startsWith(token) ? validator.slice(token.length) : null;
          const listing = await github.listIssues(repository, since, own);
          return listing.found === 'unchanged' ? listing : { ...listing, validator: `${token}${listing.validator}` };
        },
      },
    });
    const apps = [withToken('one '), withToken('two ')];
    const turns = async () => {
      for (const app of apps) await sweepRepository(app, REPOSITORY.id);
      return github.asked();
    };
    expect(await turns()).toEqual(['list', 'list']);
    for (let rounds = 0; rounds < 2; rounds += 1) {
      expect(await turns()).toEqual(['list if changed', 'list if changed']);
    }
    github.set(ISSUE, { title: 'Another title' });
    expect(await turns()).toEqual(['list if changed', 'list if changed']);
    expect(await embedded.deps.store.issue({ repositoryId: REPOSITORY.id, number: ISSUE })).toMatchObject({
      title: 'Another title',
    });
  });

  it('comes again some time after what all have waited for, and not with all of them', async () => {
    await running(ISSUE);
    const resetAt = new Date(Date.now() + HOUR_MS);
    github.state.pausedUntil = resetAt;
    const apart = { ...sweeper, chance: () => 0.9 };
    for (const look of [sweepRepository, verifyRepository]) {
      const waits = [sweeper, apart].map(async (one) => (await look(one, REPOSITORY.id)).nextAt!.getTime());
      expect(await Promise.all(waits)).toEqual([resetAt.getTime() + 15_000, resetAt.getTime() + 27_000]);
    }
    expect(github.asked()).toEqual([]);
  });
});

describe('where nothing is tracked', () => {
  const reads = async (laterMs = 0) => {
    const clock = () => new Date(Date.now() + laterMs);
    const before = files.asked.length;
    await sweepRepository({ ...sweeper, deps: { ...embedded.deps, clock } }, REPOSITORY.id);
    return files.asked.length - before;
  };
  let files: ReturnType<typeof makeFiles>;

  beforeEach(async () => {
    files = makeFiles();
    Object.assign(github, { readFile: files.readFile });
    await embedded.deps.store.commit([{ write: 'repository.put', repository: REPOSITORY }]);
  });

  it('a file that is not there, which no validator makes cheap, is looked for once a day', async () => {
    expect([await reads(), await reads(), await reads(HOUR_MS), await reads(25 * HOUR_MS)]).toEqual([1, 0, 0, 1]);
  });

  it('a sweep that is asked for looks for it all the same', async () => {
    await reads();
    await sweep(embedded.deps);
    expect(files.asked).toHaveLength(2);
  });

  it('one that is there is asked for at each turn, and so is any where no push tells of it', async () => {
    files.push('policy: { on_close: { completed: cancel } }\n');
    expect([await reads(), await reads()]).toEqual([1, 1]);
    files.push(null);
    embedded.deps.configuredRepository = REPOSITORY.fullName;
    expect([await reads(), await reads()]).toEqual([1, 1]);
  });
});

describe('a sweep that is asked for', () => {
  it('goes on to the end of a listing that is longer than one turn', async () => {
    await running(ISSUE);
    for (let changes = 0; changes < 5; changes += 1) github.set(ISSUE, { dependsOn: ['#13'] });
    const { listIssues } = github;
    github.listIssues = async (_repository, since) => {
      github.listIssues = listIssues;
      const newest = new Date(since.getTime() + 1);
      return { found: 'issues', issues: [], unreadable: [], newest, isWhole: false, validator: null };
    };
    await sweep(embedded.deps);
    const ref = { repositoryId: REPOSITORY.id, number: ISSUE };
    await eventually(async () => expect(await embedded.deps.store.issue(ref)).toMatchObject({ dependsOn: ['#13'] }));
  });
});

describe('a look at everything', () => {
  it('has an issue read of whose text no listing will tell any more', async () => {
    await submit(embedded, { train: { run: embedded.long, issue: ISSUE } });
    github.set(ISSUE, { dependsOn: ['#13'] });
    const clock = () => new Date(Date.now() + HOUR_MS);
    const muchLater = { ...sweeper, deps: { ...embedded.deps, clock } };
    expect(await stateOf()).toMatchObject({ issuesSince: null });
    await verifyRepository(muchLater, REPOSITORY.id);
    await sweepRepository(muchLater, REPOSITORY.id);
    const issue = await embedded.deps.store.issue({ repositoryId: REPOSITORY.id, number: ISSUE });
    expect(issue).toMatchObject({ dependsOn: [], readDue: true });
  });

  it('leaves the text of an issue to the listing that will show it', async () => {
    await running(ISSUE);
    github.set(ISSUE, { dependsOn: ['#13'] });
    expect(await verifyRepository(sweeper, REPOSITORY.id)).toMatchObject({ changes: 0 });
    expect(await turn()).toMatchObject({ changes: 1 });
  });

  it('of a repository that nobody reads any more gives up after a few of its issues', async () => {
    const numbers = Array.from({ length: 60 }, (_, index) => 100 + index);
    for (const number of numbers) github.set(number, {});
    const tasks = numbers.map((issue) => [`on-${issue}`, { run: ['true'], issue, needs: ['long'] }]);
    await submit(embedded, { long: { run: embedded.long }, ...Object.fromEntries(tasks) });
    await untilQuiet();
    let reads = 0;
    github.state.sightsFail = new GitHubError('lost_access', 'no token', { status: 404 });
    github.readIssue = async () => {
      reads += 1;
      throw new GitHubError('lost_access', 'no token', { status: 404 });
    };
    const { problem } = await verifyRepository(sweeper, REPOSITORY.id);
    expect(problem).toMatchObject({ code: 'lost_access' });
    expect(reads).toBeLessThan(20);
  });
});
