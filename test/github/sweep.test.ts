/** Listings and sights against the stand-in GitHub: what changed, what it costs, and what is missing. */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type StandInGitHub, startStandInGitHub } from '../../src/demo/github/index.ts';
import type { IssueListing, RepositoryRef } from '../../src/engine/ports.ts';
import { makeGitHub } from '../../src/github/index.ts';
import { expectNoViolations, withOpenApiCheck } from '../support/openapi/index.ts';

const NAME = 'acme/widgets';
const LONG_AGO = new Date('2020-01-01T00:00:00Z');

const options = withOpenApiCheck();
let github: StandInGitHub;
let reader: ReturnType<typeof makeGitHub>['reader'];
let repository: RepositoryRef;
let nowMs: number;

beforeEach(async () => {
  nowMs = Date.parse('2026-01-01T10:00:00Z');
  github = await startStandInGitHub({ ...options, now: () => new Date(nowMs) });
  github.addRepository(NAME, { private: true });
  const { appId, privateKey, apiUrl: baseUrl } = github;
  ({ reader } = makeGitHub({ credentials: { mode: 'app', appId, privateKey }, baseUrl, now: () => new Date(nowMs) }));
  repository = (await reader.findRepository(NAME))!;
});

afterEach(async () => {
  await github.close();
  expectNoViolations(github);
});

function listed(listing: IssueListing) {
  if (listing.found === 'unchanged') throw new Error('nothing was listed');
  return listing;
}

async function list(since = LONG_AGO, validator: string | null = null) {
  return listed(await reader.listIssues(repository, since, validator));
}

/** Issues from 1 on, a second apart. */
function addIssues(count: number, secondsApart = 1): void {
  for (let number = 1; number <= count; number += 1) {
    github.addIssue(NAME, { number, by: 'ann' });
    nowMs += secondsApart * 1_000;
  }
}

describe('a listing', () => {
  test('gives what changed since, the oldest change first, without pull requests', async () => {
    addIssues(3);
    github.addIssue(NAME, { number: 4, isPullRequest: true });
    github.issue(NAME, 1).close({ by: 'ann', reason: 'not_planned' });
    const { issues, newest, isWhole } = await list();
    expect(issues.map(({ number }) => number)).toEqual([2, 3, 1]);
    expect(issues.at(-1)).toMatchObject({ state: 'closed', reason: 'not_planned', actor: null });
    expect({ newest, isWhole }).toEqual({ newest: new Date(nowMs), isWhole: true });
    expect((await list(new Date(nowMs))).issues.map(({ number }) => number)).toEqual([3, 1]);
  });

  test('that nothing was added to costs nothing, and one that something was is whole', async () => {
    addIssues(2);
    const { validator } = await list();
    const before = github.requests().length;
    expect(await reader.listIssues(repository, LONG_AGO, validator)).toEqual({ found: 'unchanged' });
    expect(github.requests().slice(before)).toMatchObject([{ status: 304 }]);
    github.issue(NAME, 2).lock({ by: 'ann' });
    const again = listed(await reader.listIssues(repository, LONG_AGO, validator));
    expect(again.issues.map(({ number, locked }) => [number, locked])).toEqual([
      [1, false],
      [2, true],
    ]);
  });

  test.each([99, 100, 101])(
    'of %i issues is repeated for nothing only where one page holds all, and then some',
    async (count) => {
      addIssues(count);
      const { issues, validator, isWhole } = await list();
      expect(issues).toHaveLength(count);
      expect(isWhole).toBe(true);
      expect(validator === null).toBe(count >= 100);
    },
  );

  test('of a whole page of one second is gone through by number', async () => {
    addIssues(250, 0);
    const { issues, isWhole } = await list();
    expect(new Set(issues.map(({ number }) => number)).size).toBe(250);
    expect(isWhole).toBe(true);
  });

  test('that is longer than one call reads says how far it came', async () => {
    addIssues(1_050);
    const { issues, newest, isWhole } = await list();
    expect(isWhole).toBe(false);
    const rest = await list(newest!);
    const all = new Set([...issues, ...rest.issues].map(({ number }) => number));
    expect(all.size).toBe(1_050);
  });

  test('loses no change that was made before it began, whatever changes while its pages are read', async () => {
    addIssues(230);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 230 }), { maxLength: 12 }), async (touched) => {
        const left = [...touched];
        let seen = github.requests().length;
        let reading = true;
        // With each page that was asked for, something else changes.
        const touch = () => {
          const asked = github.requests().length;
          const number = asked > seen ? left.shift() : undefined;
          seen = asked;
          if (number !== undefined) {
            nowMs += 1_000;
            github.issue(NAME, number).edit({ by: 'ann', title: `Touched at ${nowMs}` });
          }
          if (reading) setImmediate(touch);
        };
        touch();
        const { issues } = await list();
        reading = false;
        expect(new Set(issues.map(({ number }) => number)).size).toBe(230);
      }),
      { numRuns: 8 },
    );
  });
});

describe('a sight', () => {
  const nodesOf = async (...numbers: number[]) => {
    const { issues } = await list();
    return numbers.map((number) => issues.find((issue) => issue.number === number)!.nodeId);
  };

  test('of each issue tells its state, and what blocks it', async () => {
    addIssues(3);
    const ids = await nodesOf(1, 2);
    github.issue(NAME, 1).close({ by: 'ann', reason: 'duplicate' });
    github.issue(NAME, 2).blockBy({ by: 'ann', number: 3 });
    const sights = await reader.sightIssues(repository, ids);
    expect(sights.get(ids[0]!)).toEqual({
      sight: 'issue',
      repositoryId: repository.id,
      number: 1,
      state: 'closed',
      reason: 'duplicate',
      closedAt: new Date(nowMs),
      updatedAt: new Date(nowMs),
      locked: false,
      blockedBy: [],
    });
    expect(sights.get(ids[1]!)).toMatchObject({ state: 'open', closedAt: null, blockedBy: [`${NAME}#3`] });
  });

  test('of a deleted, a transferred and an unreadable one says that it is missing, and tells the rest', async () => {
    addIssues(3);
    const ids = await nodesOf(1, 2, 3);
    github.addRepository('acme/archive', { private: true });
    github.issue(NAME, 1).delete({ by: 'ann' });
    github.issue(NAME, 2).transfer('acme/archive', { by: 'ann' });
    const sights = await reader.sightIssues(repository, [...ids, 'I_nobody']);
    expect([...sights.values()].map(({ sight }) => sight)).toEqual(['missing', 'missing', 'issue', 'missing']);
  });
});
