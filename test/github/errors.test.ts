import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import nock from 'nock';
import { afterEach, describe, expect, test } from 'vitest';
import type { GitHubError } from '../../src/engine/ports.ts';
import { API, asApp, asToken, issueJson, PRIVATE_KEY, playGitHub, playToken, REPOSITORY, TOKEN } from './support.ts';

playGitHub();

const PATH = '/repos/acme/widgets/issues/12';

function play(status: number, body: nock.Body, headers: Record<string, string> = {}) {
  return nock(API).get(PATH).reply(status, body, headers);
}

function errorOf(answer: Promise<unknown>): Promise<GitHubError> {
  return answer.then(
    () => expect.fail('it should have been refused'),
    (error: unknown) => error as GitHubError,
  );
}

describe('an answer that is no success is classified by what it is', () => {
  const DATE = { date: 'Thu, 01 Jan 2026 00:00:00 GMT' };
  const reset = (inSeconds: number) => String(Date.parse('2026-01-01T00:00:00Z') / 1000 + inSeconds);

  test.each([
    ['500', 500, {}, { code: 'retryable', retryAfterSeconds: null }],
    ['503', 503, {}, { code: 'retryable', retryAfterSeconds: null }],
    ['408', 408, {}, { code: 'retryable' }],
    ['409', 409, {}, { code: 'retryable', retryAfterSeconds: null }],
    ['401', 401, {}, { code: 'lost_access' }],
    ['403 by scope', 403, { 'x-ratelimit-remaining': '4999' }, { code: 'lost_access', retryAfterSeconds: null }],
    ['451', 451, {}, { code: 'lost_access' }],
    ['422', 422, {}, { code: 'refused' }],
    ['403 with retry-after', 403, { 'retry-after': '17' }, { code: 'throttled', retryAfterSeconds: 17 }],
    ['429 with retry-after', 429, { 'retry-after': '17' }, { code: 'throttled', retryAfterSeconds: 17 }],
    ['429 without a word', 429, {}, { code: 'throttled', retryAfterSeconds: 60 }],
    [
      '403 with nothing left until the reset',
      403,
      { ...DATE, 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset(90) },
      { code: 'throttled', retryAfterSeconds: 91 },
    ],
    [
      '403 with a reset that has passed',
      403,
      { ...DATE, 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset(-90) },
      { code: 'throttled', retryAfterSeconds: 1 },
    ],
    [
      '429 with a wait of ten years',
      429,
      { 'retry-after': '315360000' },
      { code: 'throttled', retryAfterSeconds: 3660 },
    ],
  ])('%s', async (_name, status, headers, expected) => {
    play(status, { message: 'Said GitHub' }, headers);
    const error = await errorOf(asToken().reader.readIssue(REPOSITORY, 12));
    expect(error).toMatchObject({ name: 'GitHubError', status, ...expected });
    expect(error.message).toContain('Said GitHub');
  });

  test('a secondary limit that only its message tells', async () => {
    play(403, { message: 'You have exceeded a secondary rate limit. Please wait.' });
    const error = await errorOf(asToken().reader.readIssue(REPOSITORY, 12));
    expect(error).toMatchObject({ code: 'throttled', retryAfterSeconds: 60 });
  });

  test.each([401, 403, 422])('a %i that a proxy wrote is retryable', async (status) => {
    play(status, '<html>Corporate proxy</html>', { 'content-type': 'text/html' });
    const error = await errorOf(asToken().reader.readIssue(REPOSITORY, 12));
    expect(error.code).toBe('retryable');
  });
});

describe('no answer is retryable', () => {
  const servers: ReturnType<typeof createServer>[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
    nock.disableNetConnect();
  });

  async function serve(listener: Parameters<typeof createServer>[1]): Promise<string> {
    nock.enableNetConnect('127.0.0.1');
    const server = createServer(listener as never);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  test('when the connection is dropped', async () => {
    const baseUrl = await serve((request) => void request.socket.destroy());
    const error = await errorOf(asToken({ baseUrl }).reader.readIssue(REPOSITORY, 12));
    expect(error).toMatchObject({ code: 'retryable', status: null });
  });

  test('when nobody listens', async () => {
    nock.enableNetConnect('127.0.0.1');
    const error = await errorOf(asToken({ baseUrl: 'http://127.0.0.1:1' }).reader.readIssue(REPOSITORY, 12));
    expect(error.code).toBe('retryable');
  });

  test('when it does not come in time', async () => {
    const baseUrl = await serve(() => {});
    const error = await errorOf(asToken({ baseUrl, timeoutMs: 50 }).reader.readIssue(REPOSITORY, 12));
    expect(error).toMatchObject({ code: 'retryable', message: expect.stringContaining('TimeoutError') });
  });

  test('when it stops halfway', async () => {
    const baseUrl = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 5000 });
      response.write('{"number": 12, "state": "closed"');
    });
    const error = await errorOf(asToken({ baseUrl, timeoutMs: 200 }).reader.readIssue(REPOSITORY, 12));
    expect(error.code).toBe('retryable');
  });
});

describe('an installation token', () => {
  test('is asked for once by concurrent first uses, and kept', async () => {
    playToken();
    nock(API).get(PATH).times(3).reply(200, issueJson());
    const { reader } = asApp();
    await Promise.all([reader.readIssue(REPOSITORY, 12), reader.readIssue(REPOSITORY, 12)]);
    expect(await reader.readIssue(REPOSITORY, 12)).toMatchObject({ found: 'issue' });
  });

  test('is asked for anew once GitHub has refused it', async () => {
    const { reader } = asApp();
    playToken();
    play(401, { message: 'Bad credentials' });
    await errorOf(reader.readIssue(REPOSITORY, 12));
    playToken('ghs_second');
    nock(API, { reqheaders: { authorization: 'token ghs_second' } })
      .get(PATH)
      .reply(200, issueJson());
    expect(await reader.readIssue(REPOSITORY, 12)).toMatchObject({ found: 'issue' });
  });

  test('refused in its first seconds may not have reached every replica: retryable', async () => {
    playToken();
    play(401, { message: 'Bad credentials' });
    expect(await errorOf(asApp().reader.readIssue(REPOSITORY, 12))).toMatchObject({ code: 'retryable', status: 401 });
  });

  test('is not remembered where the answer held none', async () => {
    const { reader } = asApp();
    nock(API)
      .post('/app/installations/7/access_tokens')
      .reply(200, '<html>hello</html>', { 'content-type': 'text/html' });
    expect((await errorOf(reader.readIssue(REPOSITORY, 12))).code).toBe('retryable');
    playToken();
    play(200, issueJson());
    expect(await reader.readIssue(REPOSITORY, 12)).toMatchObject({ found: 'issue' });
  });

  test.each([
    [404, { message: 'Not Found' }, 'lost_access'],
    [403, { message: 'This installation has been suspended' }, 'lost_access'],
    [500, { message: 'oops' }, 'retryable'],
  ])('refused with %i is classified like any answer', async (status, body, code) => {
    nock(API).post('/app/installations/7/access_tokens').reply(status, body);
    expect(await errorOf(asApp().reader.readIssue(REPOSITORY, 12))).toMatchObject({ code, status });
  });

  test.each([3600, -3600])('is got by GitHub’s clock, once a host that is %i s off has heard it', async (seconds) => {
    const { reader } = asApp({ now: () => new Date(Date.now() + seconds * 1000) });
    const claims: { iat: number; exp: number }[] = [];
    nock(API)
      .post('/app/installations/7/access_tokens')
      .times(2)
      .reply(function reply() {
        const [, part = ''] = String(this.req.headers.authorization).split('.');
        claims.push(JSON.parse(Buffer.from(part, 'base64url').toString()));
        const date = { date: new Date().toUTCString() };
        if (claims.length === 1)
          return [401, { message: "'Expiration time' claim ('exp') is too far in the future" }, date];
        return [201, { token: TOKEN, permissions: { issues: 'write' } }, date];
      });
    play(200, issueJson());
    expect(await errorOf(reader.readIssue(REPOSITORY, 12))).toMatchObject({ code: 'retryable', status: 401 });
    expect(await reader.readIssue(REPOSITORY, 12)).toMatchObject({ found: 'issue' });
    const now = Date.now() / 1000;
    const [, accepted] = claims;
    expect(accepted?.iat).toBeLessThan(now);
    expect(accepted?.exp).toBeGreaterThan(now);
    expect(accepted?.exp).toBeLessThan(now + 600);
  });

  test('can’t be had where no installation is known', async () => {
    const error = await errorOf(asApp().reader.readIssue({ ...REPOSITORY, installationId: null }, 12));
    expect(error.code).toBe('lost_access');
  });
});

describe('no secret', () => {
  function everythingOf(error: GitHubError): string {
    return [error.message, error.stack, JSON.stringify(error), String(error.cause)].join('\n');
  }

  test('is in an error, even when GitHub quotes the token', async () => {
    playToken();
    play(403, { message: `The token ${TOKEN} may not, nor may ghp_0123456789abcdef0123456789abcdef0123` });
    const error = await errorOf(asApp().reader.readIssue(REPOSITORY, 12));
    expect(error.message).toContain('[redacted]');
    expect(everythingOf(error)).not.toMatch(/ghs_|ghp_/);
  });

  test('is in an error of a connection that failed', async () => {
    nock(API).get(PATH).replyWithError(`no route with Authorization: token ${TOKEN}`);
    const error = await errorOf(asToken().reader.readIssue(REPOSITORY, 12));
    expect(error.code).toBe('retryable');
    expect(everythingOf(error)).not.toContain(TOKEN);
  });

  test('is in an error about a refused JWT', async () => {
    let jwt = '';
    nock(API)
      .post('/app/installations/7/access_tokens')
      .reply(function reply() {
        jwt = String(this.req.headers.authorization).replace(/^bearer /i, '');
        return [401, { message: `A JSON web token could not be decoded: ${jwt}` }];
      });
    const error = await errorOf(asApp().reader.readIssue(REPOSITORY, 12));
    expect(jwt).toMatch(/^eyJ/);
    expect(everythingOf(error)).not.toContain(jwt);
    expect(everythingOf(error)).not.toContain(PRIVATE_KEY.slice(40, 80));
  });
});

describe('GitHub’s clock', () => {
  test('is unknown before the first answer, then read off it', async () => {
    const now = () => new Date('2026-01-01T00:00:00Z');
    const { reader } = asToken({ now });
    expect(reader.clockOffsetMs()).toBeNull();
    play(200, issueJson(), { date: 'Thu, 01 Jan 2026 00:05:00 GMT' });
    await reader.readIssue(REPOSITORY, 12);
    expect(reader.clockOffsetMs()).toBe(300_500);
  });

  test.each([
    ['before it was asked', 600_000, 0],
    ['after it had answered', 0, 600_000],
  ])('stays what it was told to be where this process stood still for long %s', async (_, beforeMs, afterMs) => {
    let ms = Date.parse('2026-01-01T00:00:00Z');
    const now = () => new Date(ms);
    const { reader } = asToken({ now });
    nock(API)
      .get('/repos/acme/widgets/issues/12')
      .times(3)
      .reply(() => {
        ms += stillMs.before;
        const date = new Date(ms + 300_000).toUTCString();
        ms += stillMs.after;
        return [200, issueJson(), { date }];
      });
    const stillMs = { before: 0, after: 0 };
    await reader.readIssue(REPOSITORY, 12);
    Object.assign(stillMs, { before: beforeMs, after: afterMs });
    await reader.readIssue(REPOSITORY, 12);
    expect(reader.clockOffsetMs()).toBe(300_500);
    // Our own clock is set: what was known can't be right any more.
    Object.assign(stillMs, { before: 0, after: 0 });
    ms -= 3_600_000;
    const ahead = 3_900_500;
    nock.cleanAll();
    play(200, issueJson(), { date: new Date(ms + 3_900_000).toUTCString() });
    await reader.readIssue(REPOSITORY, 12);
    expect(reader.clockOffsetMs()).toBe(ahead);
  });

  test('is not the clock of a gateway that answers in its place', async () => {
    const { reader } = asToken();
    play(502, 'Bad gateway', { date: 'Thu, 01 Jan 1970 00:00:00 GMT' });
    await errorOf(reader.readIssue(REPOSITORY, 12));
    expect(reader.clockOffsetMs()).toBeNull();
  });
});
