import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { API, asApp, asToken, NOT_FOUND, playGitHub } from './support.ts';

playGitHub();

function playInstallations(installations: object[], page = 1, headers: Record<string, string> = {}) {
  nock(API).get(`/app/installations?per_page=100&page=${page}`).reply(200, installations, headers);
}

function playToken(id: number) {
  nock(API)
    .post(`/app/installations/${id}/access_tokens`)
    .reply(201, { token: `ghs_${id}` });
}

function playRepositories(id: number, repositories: object[], page = 1, headers: Record<string, string> = {}) {
  nock(API, { reqheaders: { authorization: `token ghs_${id}` } })
    .get(`/installation/repositories?per_page=100&page=${page}`)
    .reply(200, { total_count: repositories.length, repositories }, headers);
}

const next = (path: string) => ({ link: `<${API}${path}?page=2>; rel="next"` });
const repository = (id: number, name = `acme/r${id}`) => ({ id, full_name: name, private: true });
const ask = () => asApp().reader.installedRepositories();

describe('what the App is installed on', () => {
  test('is listed with its installation, from all pages, each repository once', async () => {
    playInstallations([{ id: 7, suspended_at: null }], 1, next('/app/installations'));
    playInstallations([{ id: 8 }], 2);
    for (const id of [7, 8]) playToken(id);
    playRepositories(7, [repository(1), repository(2)], 1, next('/installation/repositories'));
    playRepositories(7, [repository(2), repository(3)], 2);
    playRepositories(8, [repository(4, 'ben/tools')]);
    expect(await ask()).toEqual([
      { id: '1', fullName: 'acme/r1', installationId: 7 },
      { id: '2', fullName: 'acme/r2', installationId: 7 },
      { id: '3', fullName: 'acme/r3', installationId: 7 },
      { id: '4', fullName: 'ben/tools', installationId: 8 },
    ]);
  });

  test('is told to be archived where it is', async () => {
    playInstallations([{ id: 7 }]);
    playToken(7);
    playRepositories(7, [
      { ...repository(1), archived: true },
      { ...repository(2), archived: false },
    ]);
    expect(await ask()).toEqual([
      { id: '1', fullName: 'acme/r1', installationId: 7, archived: true },
      { id: '2', fullName: 'acme/r2', installationId: 7 },
    ]);
  });

  test('leaves out what is suspended, without a question', async () => {
    playInstallations([{ id: 7, suspended_at: '2026-01-02T03:04:05Z' }]);
    expect(await ask()).toEqual([]);
  });

  test.each([
    ['gets no token', () => nock(API).post('/app/installations/7/access_tokens').reply(404, NOT_FOUND)],
    [
      'is answered by a gateway',
      () => {
        playToken(7);
        nock(API).get('/installation/repositories?per_page=100&page=1').reply(502, '<html></html>');
      },
    ],
    [
      'is answered by half',
      () => {
        playToken(7);
        nock(API).get('/installation/repositories?per_page=100&page=1').reply(200, { total_count: 3 });
      },
    ],
  ])('shows the others where one installation %s', async (_name, play) => {
    playInstallations([{ id: 7 }, { id: 8 }]);
    play();
    playToken(8);
    playRepositories(8, [repository(4)]);
    expect(await ask()).toEqual([{ id: '4', fullName: 'acme/r4', installationId: 8 }]);
  });

  test('asks for no more tokens once the App is to be silent', async () => {
    const ids = Array.from({ length: 50 }, (_, index) => index + 1);
    playInstallations(ids.map((id) => ({ id })));
    let asked = 0;
    nock(API)
      .post(/access_tokens$/)
      .times(ids.length)
      .reply(() => {
        asked += 1;
        return [403, { message: 'You have exceeded a secondary rate limit' }, { 'retry-after': '60' }];
      });
    expect(await ask()).toEqual([]);
    expect(asked).toBeLessThan(20);
    nock.cleanAll();
  });

  test('shows the others where one installation has used its limit up', async () => {
    playInstallations([{ id: 7 }, { id: 8 }]);
    for (const id of [7, 8]) playToken(id);
    nock(API, { reqheaders: { authorization: 'token ghs_7' } })
      .get('/installation/repositories?per_page=100&page=1')
      .reply(403, { message: 'API rate limit exceeded' }, { 'x-ratelimit-remaining': '0' });
    playRepositories(8, [repository(4)]);
    expect(await ask()).toMatchObject([{ id: '4' }]);
  });

  test('shows the pages before the one that can’t be read', async () => {
    playInstallations([{ id: 7 }]);
    playToken(7);
    playRepositories(7, [repository(1)], 1, next('/installation/repositories'));
    nock(API).get('/installation/repositories?per_page=100&page=2').reply(500, { message: 'Said GitHub' });
    expect(await ask()).toMatchObject([{ id: '1' }]);
  });

  test.each([
    [500, 'retryable'],
    [401, 'lost_access'],
  ])('is unknown, not nothing, where the installations are answered with %i', async (status, code) => {
    nock(API).get('/app/installations?per_page=100&page=1').reply(status, { message: 'Said GitHub' });
    await expect(ask()).rejects.toMatchObject({ code });
  });

  test('is nothing with a token, without a question', async () => {
    expect(await asToken().reader.installedRepositories()).toEqual([]);
  });
});
