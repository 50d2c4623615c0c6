/** What is told of issues that can't be followed. */
import { beforeEach, expect, it } from 'vitest';
import { GitHubError } from '../../src/engine/index.ts';
import { type IssueProblems, makeIssueProblems } from '../../src/engine/issue-problems.ts';
import { makeMemoryStore } from '../../src/store/memory/index.ts';
import { silentLog } from '../support/databases.ts';

const ISSUE = { repositoryId: '7', number: 12 };
const MINUTE_MS = 60_000;

let now: Date;
let problems: IssueProblems;

beforeEach(() => {
  now = new Date('2026-01-02T03:04:05Z');
  const clock = () => now;
  problems = makeIssueProblems({ store: makeMemoryStore({ now: clock, onEnqueued: () => {} }), clock, log: silentLog });
});

const fail = (failures: number) =>
  problems.watch(ISSUE, failures, () => Promise.reject(new GitHubError('retryable', 'no answer'))).catch(() => {});
const wait = (ms: number) => {
  now = new Date(now.getTime() + ms);
};

it('lasts from the first failure to the next success', async () => {
  await fail(0);
  const since = now;
  wait(MINUTE_MS);
  await fail(1);
  expect(problems.list()).toMatchObject([{ issue: ISSUE, code: 'retryable', failures: 2, since }]);
  await problems.watch(ISSUE, 2, async () => {});
  expect(problems.list()).toEqual([]);
});

it('is told no more once the next try is long past: another app has made it', async () => {
  await fail(7);
  wait(2 * MINUTE_MS);
  expect(problems.list()).toHaveLength(1);
  wait(5 * MINUTE_MS);
  expect(problems.list()).toEqual([]);
});
