import { describe, expect, test } from 'vitest';
import { makeContentLimit } from '../../../src/demo/github/http/content-limit.ts';
import { ask, makeJwt, makeStarter, takeInstallationToken } from './support.ts';

const start = makeStarter();
const ISSUE = 'GET /repos/acme/widgets/issues/1';

describe('an ETag', () => {
  test('saves a request while nothing has changed', async () => {
    const github = await start();
    const issue = github.addIssue('acme/widgets');
    const token = await takeInstallationToken(github);
    const first = await ask(github, ISSUE, { token });
    const headers = { 'if-none-match': String(first.headers.get('etag')) };
    const again = await ask(github, ISSUE, { token, headers });
    expect(again).toMatchObject({ status: 304, text: '' });
    expect(again.headers.get('x-ratelimit-remaining')).toBe(first.headers.get('x-ratelimit-remaining'));
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'));

    issue.close({ by: 'ann' });
    const changed = await ask(github, ISSUE, { token, headers });
    expect(changed).toMatchObject({ status: 200, json: { state: 'closed' } });
    expect(Number(changed.headers.get('x-ratelimit-remaining'))).toBe(
      Number(first.headers.get('x-ratelimit-remaining')) - 1,
    );
  });

  test('is worth nothing under another token', async () => {
    const github = await start();
    github.addIssue('acme/widgets');
    const [one, two] = [await takeInstallationToken(github), await takeInstallationToken(github)];
    const etag = String((await ask(github, ISSUE, { token: one })).headers.get('etag'));
    expect((await ask(github, ISSUE, { token: two, headers: { 'if-none-match': etag } })).status).toBe(200);
  });
});

test('no more than 80 comments a minute are taken from one caller', async () => {
  let now = Date.parse('2026-11-29T12:00:00Z');
  const github = await start({ now: () => new Date(now) });
  github.addIssue('acme/widgets');
  const token = await takeInstallationToken(github);
  const comment = () => ask(github, 'POST /repos/acme/widgets/issues/1/comments', { token, body: { body: 'a' } });
  for (let count = 0; count < 80; count += 1) expect((await comment()).status).toBe(201);
  const refused = await comment();
  expect(refused).toMatchObject({ status: 403, json: { message: expect.stringMatching(/secondary rate limit/) } });
  expect(refused.headers.get('retry-after')).toBe('60');
  expect(github.comments('acme/widgets', 1)).toHaveLength(80);
  now += 60_000;
  expect((await comment()).status).toBe(201);
});

test('nor more than 500 an hour, each caller counting alone', () => {
  let now = 0;
  const count = makeContentLimit(() => now);
  for (let made = 0; made < 500; made += 1) {
    expect(count('installation 1')).toBe(0);
    now += 1_000;
  }
  expect(count('installation 1')).toBe(3_600 - 500);
  expect(count('user ann')).toBe(0);
  now = 3_600_000;
  expect(count('installation 1')).toBe(0);
});

describe('the rate limit', () => {
  test('is told with every answer, and for nothing when asked', async () => {
    const github = await start({ now: () => new Date('2026-11-29T12:00:00Z') });
    const token = await takeInstallationToken(github);
    const reply = await ask(github, 'GET /repos/acme/widgets', { token });
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      date: 'Sun, 29 Nov 2026 12:00:00 GMT',
      'x-github-request-id': expect.stringMatching(/\w/),
      'x-ratelimit-limit': '5000',
      'x-ratelimit-remaining': '4999',
      'x-ratelimit-reset': String(Date.parse('2026-11-29T13:00:00Z') / 1000),
      'x-ratelimit-used': '1',
      'x-ratelimit-resource': 'core',
    });
    await ask(github, 'GET /rate_limit', { token });
    const { json } = await ask(github, 'GET /rate_limit', { token });
    expect(json).toMatchObject({ rate: { limit: 5000, remaining: 4999, used: 1 } });
  });

  test('is shared by all tokens of an installation, and comes back after an hour', async () => {
    let now = Date.parse('2026-11-29T12:00:00Z');
    const github = await start({ now: () => new Date(now), tokenLifetimeSeconds: 86_400 });
    const [one, two] = [await takeInstallationToken(github), await takeInstallationToken(github)];
    github.rateLimit.setLimit(2);
    await ask(github, 'GET /repos/acme/widgets', { token: one });
    await ask(github, 'GET /repos/acme/widgets', { token: two });
    const over = await ask(github, 'GET /repos/acme/widgets', { token: one });
    expect(over).toMatchObject({ status: 403, json: { message: expect.stringMatching(/^API rate limit exceeded/) } });
    expect(over.headers.get('x-ratelimit-remaining')).toBe('0');
    expect((await ask(github, 'GET /user', { token: github.addToken('ann') })).status).toBe(200);
    now += 3_600_000;
    expect((await ask(github, 'GET /repos/acme/widgets', { token: one })).status).toBe(200);
  });

  test.each([403, 429] as const)('can be used up for a while, answered with %s', async (status) => {
    let now = Date.parse('2026-11-29T12:00:00Z');
    const github = await start({ now: () => new Date(now) });
    const token = await takeInstallationToken(github);
    github.rateLimit.exhaust({ resetInSeconds: 30, status });
    const over = await ask(github, 'GET /repos/acme/widgets', { token });
    expect(over.status).toBe(status);
    expect(over.headers.get('x-ratelimit-reset')).toBe(String(now / 1000 + 30));
    expect((await ask(github, 'GET /app', { token: makeJwt(github) })).status).toBe(status);
    now += 30_000;
    expect((await ask(github, 'GET /repos/acme/widgets', { token })).status).toBe(200);
    github.rateLimit.exhaust();
    github.rateLimit.restore();
    expect((await ask(github, 'GET /repos/acme/widgets', { token })).status).toBe(200);
  });
});
