/** An app that stands still between GitHub's answer and what it makes of it: what it was told is as old as its question. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../src/core/policy.ts';
import { followAccess } from '../../src/engine/access/index.ts';
import type { Deps } from '../../src/engine/deps.ts';
import { GitHubError, type SweepReader } from '../../src/engine/ports.ts';
import { processDeliveries } from '../../src/engine/process-deliveries.ts';
import { readIssue } from '../../src/engine/read-issue.ts';
import { reconcileIssue } from '../../src/engine/reconcile-issue.ts';
import { reconcileTask } from '../../src/engine/reconcile-task.ts';
import { fileToStart, refreshFile } from '../../src/engine/repository-file.ts';
import { makeStartPace } from '../../src/engine/start-pace.ts';
import { startReady } from '../../src/engine/start-ready.ts';
import { makeSweeper, sweepRepository, verifyRepository } from '../../src/engine/sweep/index.ts';
import { type Embedded, embed, REPOSITORY, submit } from '../fixtures/engine/embedded.ts';
import { makeFiles } from '../fixtures/engine/files.ts';
import { type Lister, makeLister } from '../fixtures/engine/lister.ts';
import { findByWord } from '../support/processes.ts';

const NUMBER = 12;
const ISSUE = { repositoryId: REPOSITORY.id, number: NUMBER };
const MINUTE_MS = 60_000;

let github: Lister;
let embedded: Embedded;
let aheadMs: number;
let deps: Deps;

beforeEach(async () => {
  github = makeLister();
  github.set(NUMBER, {});
  aheadMs = 0;
  embedded = await embed(github);
  deps = { ...embedded.deps, clock: () => new Date(Date.now() + aheadMs) };
  await deps.store.commit([{ write: 'repository.put', repository: REPOSITORY }]);
});
afterEach(() => embedded.close());

type Call = (...given: never[]) => Promise<unknown>;

/** Once it has answered, so many minutes go by in which this app does nothing, and `meanwhile` happens. */
function standStillAfter<C extends Call>(call: C, minutes: number, meanwhile: () => void = () => {}): C {
  const standing = async (...given: Parameters<C>) => {
    const answer = await call(...given);
    aheadMs += minutes * MINUTE_MS;
    meanwhile();
    return answer;
  };
  return standing as C;
}

const observedAt = async () => (await deps.store.issue(ISSUE))!.observedAt.getTime();

it('starts nothing for an issue that was closed while it stood still', async () => {
  const [id = ''] = await submit(embedded, { train: { run: embedded.long, issue: NUMBER } });
  const { readIssue: read } = github;
  const close = () => {
    github.set(NUMBER, { state: 'closed', reason: 'not_planned' });
    github.readIssue = read;
  };
  deps.github = github;
  github.readIssue = standStillAfter(read, 10, close);
  await startReady(deps, makeStartPace());
  await reconcileTask(deps, id);
  await reconcileIssue(deps, ISSUE);
  await reconcileTask(deps, id);
  expect(findByWord(embedded.marker)).toEqual([]);
  expect(await deps.store.task(id)).toMatchObject({ state: 'cancelled', cause: 'issue_not_planned' });
});

it('takes what a listing tells of an issue for as old as the listing', async () => {
  await submit(embedded, { train: { run: embedded.long, issue: NUMBER } });
  const turn = () => sweepRepository(makeSweeper(deps, 30_000)!, REPOSITORY.id);
  await turn();
  await verifyRepository(makeSweeper(deps, 30_000)!, REPOSITORY.id);
  github.set(NUMBER, { title: 'Another title' });
  await github.readIssue(REPOSITORY, NUMBER);
  const before = Date.now();
  deps.github = { ...github, listIssues: standStillAfter<SweepReader['listIssues']>(github.listIssues, 10) } as Lister;
  await turn();
  expect(await deps.store.issue(ISSUE)).toMatchObject({ title: 'Another title' });
  expect((await observedAt()) - before).toBeLessThan(10 * MINUTE_MS);
});

it('takes what a delivery tells of an issue for no newer than when it was judged', async () => {
  github.set(NUMBER, { state: 'closed' });
  await readIssue(deps, ISSUE);
  github.set(NUMBER, { state: 'open' });
  const reading = await github.readIssue(REPOSITORY, NUMBER);
  const updatedAt = new Date(Math.floor(Date.now() / 1_000) * 1_000);
  const issue = { ...(reading.found === 'issue' ? reading.issue : null)!, updatedAt };
  const repository = { ...REPOSITORY, installationId: 1 };
  const store = { ...deps.store, repository: standStillAfter(deps.store.repository, 10) };
  deps = { ...deps, store, github: { ...github, clockOffsetMs: () => 0 } };
  deps.interpret = () => ({ kind: 'issue', action: 'reopened', ref: ISSUE, repository, issue });
  await store.inbox.insert({ id: 'd1', event: 'issues', payload: '{}', receivedAt: updatedAt });
  const before = Date.now();
  await processDeliveries(deps);
  expect(await deps.store.issue(ISSUE)).toMatchObject({ state: 'open', readDue: false });
  expect((await observedAt()) - before).toBeLessThan(10 * MINUTE_MS);
});

it("starts nothing on a repository's file that was confirmed before it stood still", async () => {
  const files = makeFiles();
  files.push('policy: { on_reopen: ignore }\n');
  deps.github = { ...github, readFile: standStillAfter(files.readFile, 11) };
  await refreshFile(deps, REPOSITORY);
  deps.github = github;
  expect(await fileToStart(deps, REPOSITORY)).toMatchObject({ ok: false });
});

it('gives no repository up by what it was told before the grace was over', async () => {
  const gone = async () => ({ access: 'gone', why: 'uninstalled' }) as const;
  deps.github = { ...github, readAccess: gone } as Lister;
  await followAccess(deps, REPOSITORY.id);
  deps.github = { ...github, readAccess: standStillAfter(gone, 11) } as Lister;
  await followAccess(deps, REPOSITORY.id);
  const types = async () => (await deps.store.queries.events(null, 100)).map(({ type }) => type);
  expect(await types()).not.toContain('REPOSITORY_GIVEN_UP');
  deps.github = { ...github, readAccess: gone } as Lister;
  await followAccess(deps, REPOSITORY.id);
  expect(await types()).toContain('REPOSITORY_GIVEN_UP');
});

describe('a close that waits for its delay', () => {
  const look = () => reconcileIssue(deps, ISSUE);
  const episode = () => deps.store.newestEpisode(`I_${NUMBER}`);
  const reopen = () => github.set(NUMBER, { state: 'open' });

  beforeEach(async () => {
    deps.github = github;
    deps.policyOf = async () => ({ ...DEFAULT_POLICY, closeDelaySeconds: 300 });
    await readIssue(deps, ISSUE);
    github.set(NUMBER, { state: 'closed', reason: 'completed' });
    await deps.store.commit([{ write: 'issue.update', ref: ISSUE, version: 1, set: { readDue: true } }]);
  });

  it('is not acted on by an answer from before the app stood still, and is void where it was reopened meanwhile', async () => {
    const { readIssue: read } = github;
    github.readIssue = standStillAfter(read, 10, () => {
      github.readIssue = read;
      reopen();
    });
    await look();
    expect(await episode()).toMatchObject({ state: 'pending' });
    await look();
    expect(await episode()).toMatchObject({ state: 'voided' });
  });

  it('is void where it was reopened within it, and nobody was there to hear of that', async () => {
    await look();
    expect(await episode()).toMatchObject({ state: 'pending' });
    reopen();
    aheadMs += 10 * MINUTE_MS;
    await look();
    expect(await episode()).toMatchObject({ state: 'voided' });
  });

  describe('late', () => {
    const failWith = (error: GitHubError) => {
      github.readIssue = async () => Promise.reject(error);
    };

    beforeEach(async () => {
      await look();
      aheadMs += 10 * MINUTE_MS;
    });

    it('is acted on where the issue is closed still, as soon as GitHub tells so', async () => {
      const { readIssue: read } = github;
      failWith(new GitHubError('retryable', 'no answer'));
      await expect(look()).rejects.toThrow('no answer');
      expect(await episode()).toMatchObject({ state: 'pending' });
      github.readIssue = read;
      await look();
      expect(await episode()).toMatchObject({ state: 'acted' });
    });

    it('is acted on by what is known where GitHub does not tell within a few tries, and undone by a reopen that was missed', async () => {
      const { readIssue: read } = github;
      reopen();
      failWith(new GitHubError('retryable', 'no answer'));
      for (let failures = 0; failures < 4; failures += 1) {
        await expect(reconcileIssue(deps, ISSUE, failures)).rejects.toThrow('no answer');
      }
      await reconcileIssue(deps, ISSUE, 4);
      expect(await episode()).toMatchObject({ state: 'acted' });
      github.readIssue = read;
      await readIssue(deps, ISSUE);
      await look();
      expect(await episode()).toMatchObject({ state: 'undone' });
    });

    it('waits for no silence that GitHub asks for', async () => {
      failWith(new GitHubError('throttled', 'the limit is used up', { retryAfterSeconds: 3_600 }));
      await look();
      expect(await episode()).toMatchObject({ state: 'acted' });
    });
  });
});
