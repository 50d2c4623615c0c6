/** How the App stands with the stateful stand-in GitHub, which holds every call against GitHub's description. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type StandInGitHub, startStandInGitHub } from '../../src/demo/github/index.ts';
import type { RepositoryRef } from '../../src/engine/ports.ts';
import { makeGitHub } from '../../src/github/index.ts';
import { expectNoViolations, withOpenApiCheck } from '../support/openapi/index.ts';

const options = withOpenApiCheck();
let github: StandInGitHub;
let reader: ReturnType<typeof makeGitHub>['reader'];
let repository: RepositoryRef;

beforeEach(async () => {
  github = await startStandInGitHub(options);
  github.addRepository('acme/widgets', { private: true });
  github.addIssue('acme/widgets', { number: 12 });
  const { appId, privateKey, apiUrl: baseUrl } = github;
  ({ reader } = makeGitHub({ credentials: { mode: 'app', appId, privateKey }, baseUrl }));
  const found = await reader.findRepository('acme/widgets');
  if (found === null) expect.fail('the repository is not found');
  repository = found;
});

afterEach(async () => {
  await github.close();
  expectNoViolations(github);
});

const BY = { by: 'ann' };

describe('a repository', () => {
  const access = () => reader.readAccess(repository);

  test('is reached, also under another name', async () => {
    expect(await access()).toEqual({ access: 'ok', repository, archived: false });
    github.renameRepository('acme/widgets', 'gadgets');
    const renamed = { ...repository, fullName: 'acme/gadgets' };
    expect(await access()).toEqual({ access: 'ok', repository: renamed, archived: false });
  });

  test('is found by its id where a new one has its name', async () => {
    github.renameRepository('acme/widgets', 'gadgets');
    github.addRepository('acme/widgets', { private: true });
    expect(await access()).toMatchObject({ access: 'ok', repository: { id: repository.id, fullName: 'acme/gadgets' } });
  });

  test.each([true, false])('that is taken from the App is unreachable (private: %j)', async (isPrivate) => {
    github.addRepository('acme/data', { private: isPrivate });
    const data = await reader.findRepository('acme/data');
    if (data === null) expect.fail('the repository is not found');
    github.installation.removeRepository('acme/data', BY);
    expect(await reader.readAccess(data)).toEqual({ access: 'gone', why: 'unreachable' });
    github.installation.addRepository('acme/data', BY);
    expect(await reader.readAccess(data)).toMatchObject({ access: 'ok' });
  });

  test('is suspended and reached again with its installation, whatever tokens are cached', async () => {
    expect(await access()).toMatchObject({ access: 'ok' });
    github.installation.suspend(BY);
    expect(await access()).toEqual({ access: 'suspended', installationId: repository.installationId });
    github.installation.unsuspend(BY);
    expect(await access()).toMatchObject({ access: 'ok' });
  });

  test('is uninstalled, and reached by the next installation', async () => {
    expect(await access()).toMatchObject({ access: 'ok' });
    github.installation.uninstall(BY);
    expect(await access()).toEqual({ access: 'gone', why: 'uninstalled' });
    github.installation.install({ ...BY, repositories: ['acme/widgets'] });
    const found = await access();
    expect(found).toMatchObject({ access: 'ok', repository: { id: repository.id, fullName: 'acme/widgets' } });
    expect(found).not.toMatchObject({ repository: { installationId: repository.installationId } });
  });

  test.each([
    ['a garbled answer', { kind: 'garbage' as const }],
    ['a dropped connection', { kind: 'drop' as const }],
    ['a 503', { kind: 'answer' as const, status: 503 }],
  ])('is in no state after %s', async (_name, trouble) => {
    github.faults.add({ ...trouble, path: '/repos/{owner}/{repo}/installation', times: 1 });
    await expect(access()).rejects.toMatchObject({ code: 'retryable' });
    expect(await access()).toMatchObject({ access: 'ok' });
  });
});

test('what the App is installed on is listed over all pages, and without what is suspended', async () => {
  for (let index = 0; index < 120; index += 1) github.addRepository(`acme/r${index}`);
  github.addRepository('ben/tools');
  expect(await reader.installedRepositories()).toHaveLength(122);
  github.installation.suspend({ ...BY, account: 'acme' });
  expect(await reader.installedRepositories()).toMatchObject([{ fullName: 'ben/tools' }]);
});

test('a delivery that was lost is told as failed, and asked for again', async () => {
  github.webhooks.to('http://127.0.0.1:9/');
  const lost = github.issue('acme/widgets', 12).close(BY);
  await github.webhooks.settled();
  const page = await reader.hookAttempts(null);
  expect(page?.attempts).toMatchObject([{ guid: lost.guid, event: 'issues', action: 'closed', isOk: false }]);
  expect(await reader.askAgain(page?.attempts[0]?.id ?? '')).toBe('asked');
  await github.webhooks.settled();
  const again = (await reader.hookAttempts(null))?.attempts ?? [];
  expect(again.map(({ guid, isOk }) => ({ guid, isOk }))).toEqual([
    { guid: lost.guid, isOk: false },
    { guid: lost.guid, isOk: false },
  ]);
  expect(Number(again[0]?.id)).toBeGreaterThan(Number(again[1]?.id));
  expect(await reader.askAgain('999999999')).toBe('gone');
});

test('all deliveries are told over the pages, newest first, each once', async () => {
  github.webhooks.to('http://127.0.0.1:9/');
  for (let index = 0; index < 120; index += 1) github.issue('acme/widgets', 12).edit({ ...BY, title: `t${index}` });
  await github.webhooks.settled();
  const first = await reader.hookAttempts(null);
  const second = await reader.hookAttempts(first?.cursor ?? null);
  expect([first?.attempts.length, second?.attempts.length, second?.cursor]).toEqual([100, 20, null]);
  const ids = [...(first?.attempts ?? []), ...(second?.attempts ?? [])].map(({ id }) => Number(id));
  expect(ids).toEqual([...new Set(ids)].sort((one, other) => other - one));
});

describe('what is left of the limit', () => {
  test('is what GitHub counts, and what is not changed costs none of it', async () => {
    await reader.readIssue(repository, 12);
    const before = reader.quota(repository);
    expect(before).toMatchObject({ limit: 5_000 });
    await reader.readIssue(repository, 12);
    expect(github.requests().at(-1)?.status).toBe(304);
    expect(reader.quota(repository)?.remaining).toBe(before?.remaining);
  });

  test('is nothing, and silence until the reset, once it is used up', async () => {
    await reader.readIssue(repository, 12);
    github.rateLimit.exhaust({ resetInSeconds: 90 });
    await expect(reader.readIssue(repository, 12)).rejects.toMatchObject({ code: 'throttled' });
    expect(reader.quota(repository)).toMatchObject({ remaining: 0 });
    const pause = (reader.pausedUntil(repository)?.getTime() ?? 0) - Date.now();
    expect(pause).toBeGreaterThan(80_000);
    expect(pause).toBeLessThanOrEqual(92_000 * 1.2);
  });
});
