import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { API, asApp, asToken, NOT_FOUND, playGitHub, playRepository, playToken, REPOSITORY, TOKEN } from './support.ts';

playGitHub();

const SUSPENDED = '2026-01-02T03:04:05Z';
const AS_APP = { reqheaders: { authorization: /^bearer / } };

/** Where the App is installed, as the App asks about a name. */
function playPlace(answer: object | null, name = 'acme/widgets') {
  nock(API, AS_APP)
    .get(`/repos/${name}/installation`)
    .reply(answer === null ? 404 : 200, answer ?? NOT_FOUND);
}

function playInstallation(answer: object | null, id = 7) {
  nock(API, AS_APP)
    .get(`/app/installations/${id}`)
    .reply(answer === null ? 404 : 200, answer ?? NOT_FOUND);
}

function playById(facts: object | null) {
  const repository = { id: 101, full_name: 'acme/widgets', private: true, ...facts };
  nock(API)
    .get('/repositories/101')
    .reply(facts === null ? 404 : 200, facts === null ? NOT_FOUND : repository);
}

const ask = (repository = REPOSITORY, github = asApp()) => github.reader.readAccess(repository);
const failing = (asked = ask()) => expect(asked).rejects;

describe('a repository that the App is installed on', () => {
  test.each([false, true])('is reached, and tells whether it is archived (%j)', async (archived) => {
    playPlace({ id: 7, suspended_at: null });
    playToken();
    playRepository({ archived });
    expect(await ask()).toEqual({ access: 'ok', repository: REPOSITORY, archived });
  });

  test('is reached under the name that it bears now', async () => {
    nock(API)
      .get('/repos/acme/widgets/installation')
      .reply(301, { message: 'Moved Permanently' }, { location: `${API}/repositories/101/installation` });
    nock(API).get('/repositories/101/installation').reply(200, { id: 7 });
    playToken();
    nock(API)
      .get('/repos/acme/widgets')
      .reply(301, { message: 'Moved Permanently' }, { location: `${API}/repositories/101` });
    playById({ full_name: 'acme/gadgets' });
    const repository = { ...REPOSITORY, fullName: 'acme/gadgets' };
    expect(await ask()).toEqual({ access: 'ok', repository, archived: false });
  });

  test('is reached by the new installation where the App was installed anew or it has another owner', async () => {
    playPlace({ id: 9 });
    nock(API).post('/app/installations/9/access_tokens').reply(201, { token: TOKEN });
    playRepository();
    expect(await ask()).toMatchObject({ access: 'ok', repository: { id: '101', installationId: 9 } });
  });

  test('is reached where nobody knew of an installation', async () => {
    playPlace({ id: 7 });
    playToken();
    playRepository();
    expect(await ask({ ...REPOSITORY, installationId: null })).toMatchObject({ repository: { installationId: 7 } });
  });

  test.each([
    ['another repository that the App is on', { id: 7 }],
    ['a repository that the App is not on', null],
  ])('is found by its id where %s has its name now', async (_name, place) => {
    playPlace(place);
    playToken();
    if (place !== null) playRepository({ id: 202 });
    playInstallation({ id: 7 });
    playById({ full_name: 'acme/gadgets' });
    playPlace({ id: 7 }, 'acme/gadgets');
    nock(API).get('/repos/acme/gadgets').reply(200, { id: 101, full_name: 'acme/gadgets' });
    const repository = { ...REPOSITORY, fullName: 'acme/gadgets' };
    expect(await ask()).toEqual({ access: 'ok', repository, archived: false });
  });

  test('is found by its id where its name leads to another one that has moved on', async () => {
    nock(API)
      .get('/repos/acme/widgets/installation')
      .reply(301, { message: 'Moved Permanently' }, { location: `${API}/repositories/202/installation` });
    playInstallation({ id: 7 });
    playToken();
    playById({ full_name: 'acme/gadgets' });
    playPlace({ id: 7 }, 'acme/gadgets');
    nock(API).get('/repos/acme/gadgets').reply(200, { id: 101, full_name: 'acme/gadgets' });
    expect(await ask()).toMatchObject({ access: 'ok', repository: { fullName: 'acme/gadgets' } });
  });

  test('is asked for again with a new token where the cached one is no good any more', async () => {
    const github = asApp();
    for (const token of [TOKEN, 'ghs_second']) {
      playPlace({ id: 7 });
      playToken(token);
    }
    nock(API, { reqheaders: { authorization: `token ${TOKEN}` } })
      .get('/repos/acme/widgets')
      .reply(401, { message: 'Bad credentials' });
    nock(API, { reqheaders: { authorization: 'token ghs_second' } })
      .get('/repos/acme/widgets')
      .reply(200, { id: 101, full_name: 'acme/widgets' });
    expect(await ask(REPOSITORY, github)).toMatchObject({ access: 'ok' });
  });

  test('is asked about anew each time', async () => {
    const github = asApp();
    playPlace({ id: 7 });
    playToken();
    playRepository();
    expect(await ask(REPOSITORY, github)).toMatchObject({ access: 'ok' });
    playPlace(null);
    playInstallation(null);
    expect(await ask(REPOSITORY, github)).toEqual({ access: 'gone', why: 'uninstalled' });
  });
});

describe('a suspended installation', () => {
  test('is told where its repositories name it', async () => {
    playPlace({ id: 7, suspended_at: SUSPENDED });
    expect(await ask()).toEqual({ access: 'suspended', installationId: 7 });
  });

  test('is told where its repositories name it no longer', async () => {
    playPlace(null);
    playInstallation({ id: 7, suspended_at: SUSPENDED });
    expect(await ask()).toEqual({ access: 'suspended', installationId: 7 });
  });

  test('is told where it became so between two questions', async () => {
    playPlace({ id: 7 });
    nock(API)
      .post('/app/installations/7/access_tokens')
      .reply(403, { message: 'This installation has been suspended' });
    playPlace({ id: 7, suspended_at: SUSPENDED });
    expect(await ask()).toEqual({ access: 'suspended', installationId: 7 });
  });
});

describe('a repository is gone', () => {
  test.each([7, null])('as uninstalled where there is no installation any more (known: %j)', async (installationId) => {
    playPlace(null);
    if (installationId !== null) playInstallation(null);
    expect(await ask({ ...REPOSITORY, installationId })).toEqual({ access: 'gone', why: 'uninstalled' });
  });

  test('as uninstalled where the installation was deleted between two questions', async () => {
    playPlace({ id: 7 });
    nock(API).post('/app/installations/7/access_tokens').reply(404, NOT_FOUND);
    playPlace(null);
    playInstallation(null);
    expect(await ask()).toEqual({ access: 'gone', why: 'uninstalled' });
  });

  test('as unreachable where the installation lives and doesn’t show it', async () => {
    playPlace(null);
    playInstallation({ id: 7 });
    playToken();
    playById(null);
    expect(await ask()).toEqual({ access: 'gone', why: 'unreachable' });
  });

  test('as unreachable where it was taken from the App and everybody can read it', async () => {
    playPlace(null);
    playInstallation({ id: 7 });
    playToken();
    playById({ private: false });
    expect(await ask()).toEqual({ access: 'gone', why: 'unreachable' });
  });

  test('as unreachable where it was deleted and another has its name', async () => {
    playPlace({ id: 7 });
    playToken();
    playRepository({ id: 202 });
    playInstallation({ id: 7 });
    playById(null);
    expect(await ask()).toEqual({ access: 'gone', why: 'unreachable' });
  });

  test('as unreachable where it went to an owner who has no App', async () => {
    playPlace(null);
    playInstallation({ id: 7 });
    playToken();
    playById({ full_name: 'bob/widgets', private: false });
    playPlace(null, 'bob/widgets');
    playInstallation({ id: 7 });
    playById({ full_name: 'bob/widgets', private: false });
    expect(await ask()).toEqual({ access: 'gone', why: 'unreachable' });
  });
});

describe('nothing is proved', () => {
  const HTML = { 'content-type': 'text/html' };

  test.each([404, 500, 503])('by a gateway that answers %i for GitHub', async (status) => {
    nock(API).get('/repos/acme/widgets/installation').reply(status, '<html></html>', HTML);
    await failing().toMatchObject({ code: 'retryable' });
    playPlace(null);
    nock(API).get('/app/installations/7').reply(status, '<html></html>', HTML);
    await failing().toMatchObject({ code: 'retryable' });
    playPlace(null);
    playInstallation({ id: 7 });
    playToken();
    nock(API).get('/repositories/101').reply(status, '<html></html>', HTML);
    await failing().toMatchObject({ code: 'retryable' });
  });

  test.each([
    ['a key that GitHub doesn’t take', 401, 'lost_access'],
    ['a refusal', 403, 'lost_access'],
    ['a limit', 429, 'throttled'],
  ])('by %s', async (_name, status, code) => {
    nock(API).get('/repos/acme/widgets/installation').reply(status, { message: 'Said GitHub' });
    await failing().toMatchObject({ code, status });
  });

  test.each([403, 451])('by a %i of the repository itself', async (status) => {
    playPlace({ id: 7 });
    playToken();
    nock(API).get('/repos/acme/widgets').reply(status, { message: 'Repository access blocked' });
    await failing().toMatchObject({ code: 'lost_access', status });
  });

  test('by half an answer', async () => {
    playPlace({});
    await failing().toMatchObject({ code: 'retryable' });
    playPlace({ id: 7 });
    playToken();
    nock(API).get('/repos/acme/widgets').reply(200, { id: 101 });
    await failing().toMatchObject({ code: 'retryable' });
  });

  test('by a token that can’t be had while all else is as ever', async () => {
    for (let times = 0; times < 3; times += 1) {
      playPlace({ id: 7 });
      nock(API).post('/app/installations/7/access_tokens').reply(403, { message: 'Said GitHub' });
    }
    await failing().toMatchObject({ code: 'lost_access', status: 403 });
  });

  test.each([
    [
      'installed, and not shown',
      () => {
        playPlace({ id: 7 });
        nock(API).get('/repos/acme/widgets').reply(404, NOT_FOUND);
      },
    ],
    [
      'not installed, and a private one is shown',
      () => {
        playPlace(null);
        playInstallation({ id: 7 });
        playById({});
      },
    ],
  ])('by answers that never fit together: %s', async (_name, play) => {
    playToken();
    for (let times = 0; times < 3; times += 1) play();
    await failing().toMatchObject({ code: 'retryable' });
  });
});

describe('with a token', () => {
  const asOwner = { ...REPOSITORY, installationId: null };
  const asked = () => ask(asOwner, asToken());

  test('a repository is reached as it is', async () => {
    playRepository({ archived: true });
    expect(await asked()).toEqual({ access: 'ok', repository: asOwner, archived: true });
  });

  test('a repository is reached where it has another name, and its own is another’s', async () => {
    playRepository({ id: 202 });
    playById({ full_name: 'acme/gadgets' });
    expect(await asked()).toMatchObject({ access: 'ok', repository: { id: '101', fullName: 'acme/gadgets' } });
  });

  test('a repository that GitHub shows neither by name nor by id is unreachable', async () => {
    nock(API).get('/repos/acme/widgets').reply(404, NOT_FOUND);
    playById(null);
    expect(await asked()).toEqual({ access: 'gone', why: 'unreachable' });
  });

  test.each([
    [401, 'lost_access'],
    [403, 'lost_access'],
    [500, 'retryable'],
  ])('nothing is proved by a %i', async (status, code) => {
    nock(API).get('/repos/acme/widgets').reply(status, { message: 'Said GitHub' });
    await expect(asked()).rejects.toMatchObject({ code, status });
  });
});
