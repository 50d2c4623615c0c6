import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { API, asApp, asToken, NOT_FOUND, playGitHub } from './support.ts';

playGitHub();

const DELIVERIES = '/app/hook/deliveries';

function attemptJson(facts: object = {}) {
  return {
    id: 12_345,
    guid: '0b989ba4-242f-11e5-81e1-c7b6966d2516',
    delivered_at: '2026-01-02T03:04:05Z',
    redelivery: false,
    duration: 0.27,
    status: 'OK',
    status_code: 202,
    event: 'issues',
    action: 'closed',
    installation_id: 7,
    repository_id: 101,
    ...facts,
  };
}

function play(body: nock.Body, link?: string, query = 'per_page=100') {
  nock(API, { reqheaders: { authorization: /^bearer / } })
    .get(`${DELIVERIES}?${query}`)
    .reply(200, body, { 'content-type': 'application/json', ...(link === undefined ? {} : { link }) });
}

const ask = (cursor: string | null = null) => asApp().reader.hookAttempts(cursor);

describe('what GitHub tried to deliver', () => {
  test('is told as it was', async () => {
    play([attemptJson()]);
    expect(await ask()).toEqual({
      attempts: [
        {
          id: '12345',
          guid: '0b989ba4-242f-11e5-81e1-c7b6966d2516',
          event: 'issues',
          action: 'closed',
          deliveredAt: new Date('2026-01-02T03:04:05Z'),
          isOk: true,
        },
      ],
      cursor: null,
    });
  });

  test('may have no action and a number that no double holds', async () => {
    const text = JSON.stringify([attemptJson({ id: 1, action: null, event: 'push' })]);
    play(text.replace('"id":1,', '"id":9223372036854775807,'));
    expect(await ask()).toMatchObject({ attempts: [{ id: '9223372036854775807', event: 'push', action: null }] });
  });

  test('goes on behind the cursor, until there is none', async () => {
    const previous = `<${API}${DELIVERIES}?per_page=100&cursor=v1_1>; rel="prev"`;
    play([attemptJson()], `${previous}, <${API}${DELIVERIES}?per_page=100&cursor=v1_%2B42>; rel="next"`);
    expect(await ask()).toMatchObject({ cursor: 'v1_+42' });
    play([], previous, 'per_page=100&cursor=v1_%2B42');
    expect(await ask('v1_+42')).toEqual({ attempts: [], cursor: null });
  });

  test.each([
    ['answered with 200', { status: 'OK', status_code: 200 }, true],
    ['stored', { status: 'OK', status_code: 202 }, true],
    ['OK without a code', { status: 'OK', status_code: null }, true],
    ['answered with 503', { status: 'Invalid HTTP Response: 503', status_code: 503 }, false],
    ['answered with a redirect', { status: 'Invalid HTTP Response: 302', status_code: 302 }, false],
    ['called OK and answered with 500', { status: 'OK', status_code: 500 }, false],
    ['timed out', { status: 'timed out', status_code: 0 }, false],
    ['not connected', { status: 'failed to connect to host', status_code: 0 }, false],
    ['not connected, without a code', { status: 'failed to connect to host', status_code: undefined }, false],
  ])('that was %s: arrived or not', async (_name, facts, isOk) => {
    play([attemptJson(facts)]);
    expect((await ask())?.attempts[0]?.isOk).toBe(isOk);
  });

  test.each([
    ['without a guid', [attemptJson({ guid: undefined })]],
    ['without a time', [attemptJson({ delivered_at: 'lately' })]],
    ['that is no list', { message: 'hi' }],
  ])('is unknown, not nothing, after an answer %s', async (_name, body) => {
    play(body);
    await expect(ask()).rejects.toMatchObject({ code: 'retryable' });
  });

  test('is unknown where GitHub refuses', async () => {
    nock(API).get(`${DELIVERIES}?per_page=100`).reply(401, { message: 'Said GitHub' });
    await expect(ask()).rejects.toMatchObject({ code: 'lost_access' });
  });

  test('is null with a token, without a question', async () => {
    expect(await asToken().reader.hookAttempts(null)).toBeNull();
  });
});

describe('asking for a delivery again', () => {
  function playAttempt(status: number, body: nock.Body) {
    nock(API, { reqheaders: { authorization: /^bearer / } })
      .post(`${DELIVERIES}/9223372036854775807/attempts`)
      .reply(status, body);
  }

  const again = () => asApp().reader.askAgain('9223372036854775807');

  test('is asked for once GitHub says so', async () => {
    playAttempt(202, {});
    expect(await again()).toBe('asked');
  });

  test.each([404, 422])('is of no use where GitHub keeps it no longer (%i)', async (status) => {
    playAttempt(status, NOT_FOUND);
    expect(await again()).toBe('gone');
  });

  test.each([
    [404, '<html></html>', 'retryable'],
    [422, '<html></html>', 'retryable'],
    [500, { message: 'Said GitHub' }, 'retryable'],
    [401, { message: 'Said GitHub' }, 'lost_access'],
    [429, { message: 'Said GitHub' }, 'throttled'],
  ])('is to be tried again after a %i with %j', async (status, body, code) => {
    playAttempt(status, body);
    await expect(again()).rejects.toMatchObject({ code });
  });
});
