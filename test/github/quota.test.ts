import nock from 'nock';
import { beforeEach, describe, expect, test } from 'vitest';
import { makeQuotas } from '../../src/github/quota.ts';
import { API, asApp, asToken, issueJson, playGitHub, playToken, REPOSITORY } from './support.ts';

playGitHub();

const PATH = '/repos/acme/widgets/issues/12';
const START = Date.parse('2026-01-01T00:00:00Z');
/** GitHub's clock is ten minutes ahead of ours. */
const AHEAD_MS = 600_000;

let passedMs: number;
const now = () => new Date(START + passedMs);
const clocked = { now, chance: () => 0 };

beforeEach(() => {
  passedMs = 0;
});

interface Told {
  limit?: number | string;
  remaining: number | string;
  /** In seconds from now. */
  reset: number;
  resource?: string;
}

function headersOf({ limit = 5000, remaining, reset, resource = 'core' }: Told): Record<string, string> {
  const github = now().getTime() + AHEAD_MS;
  return {
    date: new Date(github).toUTCString(),
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(github / 1000 + reset),
    ...(resource === '' ? {} : { 'x-ratelimit-resource': resource }),
  };
}

function playIssue(told: Told) {
  nock(API).get(PATH).reply(200, issueJson(), headersOf(told));
}

function playGraphql(told: Told, status = 200, body: object = { data: {}, errors: [{ message: 'no' }] }) {
  nock(API).post('/graphql').reply(status, body, headersOf(told));
}

type Reader = ReturnType<typeof asToken>['reader'];

/** Whatever comes of it. */
const read = (reader: Reader) => reader.readIssue(REPOSITORY, 12).catch(() => {});

/** What an instant is from now, in seconds; GitHub's clock is known to half a second. */
function aheadOf(at: Date | null | undefined): number | null {
  return at == null ? null : Math.round((at.getTime() - now().getTime()) / 1000);
}

describe('what is left', () => {
  const leftOf = (reader: Reader) => reader.quota(REPOSITORY)?.remaining ?? null;

  test('is unknown before the first answer', () => {
    expect(asToken(clocked).reader.quota(REPOSITORY)).toBeNull();
  });

  test('is what the last answer told, with the reset by our clock', async () => {
    const { reader } = asToken(clocked);
    playIssue({ remaining: 4321, reset: 1800 });
    await read(reader);
    expect(reader.quota(REPOSITORY)).toMatchObject({ limit: 5000, remaining: 4321 });
    expect(Math.abs((aheadOf(reader.quota(REPOSITORY)?.resetAt) ?? 0) - 1800)).toBeLessThanOrEqual(1);
  });

  test('is told by a refusal and by a 304 too', async () => {
    const { reader } = asToken(clocked);
    nock(API)
      .get(PATH)
      .reply(404, { message: 'Not Found' }, headersOf({ remaining: 40, reset: 60 }));
    nock(API)
      .get('/repos/acme/widgets')
      .reply(304, '', headersOf({ remaining: 30, reset: 60 }));
    await read(reader);
    expect(leftOf(reader)).toBe(30);
  });

  test('is the tighter one of both, by the share of it that is left', async () => {
    const { reader } = asToken(clocked);
    playIssue({ limit: 15_000, remaining: 3_000, reset: 60 });
    await read(reader);
    playGraphql({ remaining: 2_000, reset: 60, resource: 'graphql' });
    await reader.readEditor(REPOSITORY, 12).catch(() => {});
    expect(leftOf(reader)).toBe(3_000);
    playGraphql({ remaining: 900, reset: 60, resource: 'graphql' });
    await reader.readEditor(REPOSITORY, 12).catch(() => {});
    expect(leftOf(reader)).toBe(900);
  });

  test('counts for what was asked where the answer doesn’t name it', async () => {
    const { reader } = asToken(clocked);
    playIssue({ remaining: 4_000, reset: 60, resource: '' });
    await read(reader);
    playGraphql({ remaining: 3_000, reset: 60, resource: '' });
    await reader.readEditor(REPOSITORY, 12).catch(() => {});
    playIssue({ remaining: 3_999, reset: 60, resource: '' });
    await read(reader);
    expect(leftOf(reader)).toBe(3_000);
  });

  test('is not what an answer that was overtaken told', async () => {
    const { reader } = asToken(clocked);
    playIssue({ remaining: 10, reset: 60 });
    await read(reader);
    playIssue({ remaining: 12, reset: 60 });
    await read(reader);
    expect(leftOf(reader)).toBe(10);
  });

  test('is new after the reset, and with another limit', async () => {
    const { reader } = asToken(clocked);
    playIssue({ remaining: 10, reset: 60 });
    await read(reader);
    playIssue({ remaining: 5_000, reset: 3_600 });
    await read(reader);
    expect(leftOf(reader)).toBe(5_000);
    playIssue({ limit: 12_500, remaining: 12_000, reset: 3_600 });
    await read(reader);
    expect(leftOf(reader)).toBe(12_000);
  });

  test('is forgotten once its reset has passed', async () => {
    const { reader } = asToken(clocked);
    playIssue({ remaining: 10, reset: 60 });
    await read(reader);
    passedMs = 62_000;
    expect(reader.quota(REPOSITORY)).toBeNull();
  });

  test.each<[string, Told]>([
    ['a search', { remaining: 3, reset: 60, resource: 'search' }],
    ['no number', { remaining: 'many', reset: 60 }],
    ['a limit of nothing, as where limits are off', { limit: 0, remaining: 0, reset: 60 }],
    ['a reset in ten years', { remaining: 0, reset: 315_360_000 }],
    ['a reset that has passed', { remaining: 0, reset: -60 }],
    ['a name of Object’s own', { remaining: 0, reset: 60, resource: 'constructor' }],
  ])('is unknown after %s', async (_name, told) => {
    const { reader } = asToken(clocked);
    playIssue(told);
    await read(reader);
    expect(reader.quota(REPOSITORY)).toBeNull();
  });

  test('is unknown where this GitHub tells of no limit', async () => {
    nock(API).get(PATH).reply(200, issueJson());
    const { reader } = asToken(clocked);
    await read(reader);
    expect(reader.quota(REPOSITORY)).toBeNull();
  });

  test('is kept for thousands of installations, and not for ever more of them', () => {
    const quotas = makeQuotas({ now, clockOffsetMs: () => AHEAD_MS, chance: () => 0 });
    const answer = { status: 200, data: null, headers: headersOf({ remaining: 10, reset: 60 }) };
    for (let installationId = 1; installationId <= 20_000; installationId += 1) {
      quotas.note({ installationId }, answer, 'core');
    }
    expect(quotas.quota({ installationId: 20_000 })).toMatchObject({ remaining: 10 });
    expect(quotas.quota({ installationId: 15_000 })).toMatchObject({ remaining: 10 });
    expect(quotas.quota({ installationId: 1 })).toBeNull();
  });

  test('is that of the installation alone', async () => {
    const { reader } = asApp(clocked);
    playToken();
    playIssue({ remaining: 10, reset: 60 });
    await read(reader);
    expect(reader.quota({ ...REPOSITORY, id: '102', fullName: 'acme/gadgets' })).toMatchObject({ remaining: 10 });
    expect(reader.quota({ ...REPOSITORY, installationId: 8 })).toBeNull();
  });
});

describe('the silence that GitHub asked for', () => {
  const aheadIn = (reader: Reader) => aheadOf(reader.pausedUntil(REPOSITORY));
  const play = (status: number, headers: Record<string, string>, message = 'Said GitHub') =>
    nock(API).get(PATH).reply(status, { message }, headers);

  test.each<[string, number, () => Record<string, string>, number]>([
    ['a secondary limit with a wait', 403, () => ({ 'retry-after': '30' }), 30],
    ['a 429 without a word', 429, () => ({}), 60],
    ['nothing left until the reset', 403, () => headersOf({ remaining: 0, reset: 90 }), 91],
  ])('holds as long as it was asked for after %s, and is over then', async (_name, status, headers, seconds) => {
    const { reader } = asToken(clocked);
    play(status, headers());
    await read(reader);
    expect(aheadIn(reader)).toBe(seconds);
    passedMs = seconds * 1000;
    expect(reader.pausedUntil(REPOSITORY)).toBeNull();
  });

  test('does not last for longer because our clock was set back', async () => {
    const { reader } = asToken(clocked);
    play(403, { 'retry-after': '30' });
    await read(reader);
    passedMs = -3_600_000;
    expect(reader.pausedUntil(REPOSITORY)).toBeNull();
  });

  test('is told by GraphQL under a status of 200', async () => {
    const { reader } = asToken(clocked);
    playGraphql({ remaining: 0, reset: 90, resource: 'graphql' }, 200, {
      errors: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }],
    });
    await reader.readEditor(REPOSITORY, 12).catch(() => {});
    expect(aheadIn(reader)).toBe(91);
  });

  test('is told by the refusal of a token', async () => {
    const { reader } = asApp(clocked);
    nock(API).post('/app/installations/7/access_tokens').reply(429, { message: 'Slow down' }, { 'retry-after': '20' });
    await read(reader);
    expect(aheadIn(reader)).toBe(20);
  });

  test('is told by what a write was answered', async () => {
    const { reader, writer } = asToken(clocked);
    nock(API).post(`${PATH}/comments`).reply(403, { message: 'Slow down' }, { 'retry-after': '20' });
    await writer.createComment(REPOSITORY, 12, 'hi').catch(() => {});
    expect(aheadIn(reader)).toBe(20);
  });

  test('is kept up to a fifth longer, so that not all come back at once', async () => {
    const { reader } = asToken({ now, chance: () => 1 });
    play(403, { 'retry-after': '30' });
    await read(reader);
    expect(aheadIn(reader)).toBe(36);
  });

  test('is not cut short by a later answer', async () => {
    const { reader } = asToken(clocked);
    play(403, { 'retry-after': '30' });
    await read(reader);
    play(403, { 'retry-after': '5' });
    await read(reader);
    playIssue({ remaining: 10, reset: 60 });
    await read(reader);
    expect(aheadIn(reader)).toBe(30);
  });

  test('is none after a 403 by scope or a 503', async () => {
    const { reader } = asToken(clocked);
    play(403, { 'x-ratelimit-remaining': '4999' }, 'Resource not accessible by integration');
    await read(reader);
    play(503, { 'retry-after': '30' });
    await read(reader);
    expect(reader.pausedUntil(REPOSITORY)).toBeNull();
  });

  test('is asked of one installation, and not of its neighbor', async () => {
    const { reader } = asApp(clocked);
    playToken();
    play(403, { 'retry-after': '30' });
    await read(reader);
    expect(reader.pausedUntil({ ...REPOSITORY, installationId: 8 })).toBeNull();
  });
});
