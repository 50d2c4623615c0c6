import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { API, asApp, asToken, NOT_FOUND, playGitHub, playRepository, playToken, REPOSITORY } from './support.ts';

playGitHub();

const REPO = '/repos/acme/widgets';

describe('who reopened an issue', () => {
  const EVENTS = `${REPO}/issues/12/events?per_page=100&page=`;
  const event = (name: string, login: string | null, at = '2026-11-01T10:00:00Z') => ({
    event: name,
    actor: login === null ? null : { login },
    created_at: at,
  });

  function play(page: number, events: object[], last?: number) {
    const link = `<${API}${EVENTS}2>; rel="next", <${API}${EVENTS}${last}>; rel="last"`;
    nock(API)
      .get(`${EVENTS}${page}`)
      .reply(200, events, last ? { link } : {});
  }

  const ask = () => asToken().reader.readReopener(REPOSITORY, 12);

  test('is the actor of the newest reopening', async () => {
    play(1, [
      event('closed', 'ann'),
      event('reopened', 'ben'),
      event('closed', 'ann'),
      event('reopened', 'cleo'),
      event('labeled', 'dan'),
    ]);
    expect(await ask()).toMatchObject({ actor: 'cleo' });
  });

  test('is found on the last page of many', async () => {
    play(1, [event('reopened', 'long-ago')], 4);
    play(4, [event('closed', 'ann'), event('reopened', 'cleo')]);
    expect(await ask()).toMatchObject({ actor: 'cleo' });
  });

  test('is looked for on the pages before the last, down to the first', async () => {
    play(1, [event('reopened', 'cleo')], 3);
    play(3, [event('labeled', 'dan')]);
    play(2, [event('labeled', 'dan')]);
    expect(await ask()).toMatchObject({ actor: 'cleo' });
  });

  test('is told with the close that it undid, which may be on a page before', async () => {
    play(1, [event('closed', 'ben', '2026-11-01T09:00:00Z')], 2);
    play(2, [event('labeled', 'dan'), event('reopened', 'cleo', '2026-11-01T11:00:00Z')]);
    const closed = { at: new Date('2026-11-01T09:00:00Z'), actor: 'ben', reason: 'unknown' };
    expect(await ask()).toEqual({ actor: 'cleo', at: new Date('2026-11-01T11:00:00Z'), closed });
  });

  test('is asked for again where the newest event is a close', async () => {
    play(1, [event('reopened', 'earlier'), event('closed', 'ann')]);
    await expect(ask()).rejects.toMatchObject({ code: 'retryable' });
  });

  test('is unknown where the account is deleted or nothing was reopened', async () => {
    play(1, [event('reopened', null)]);
    expect(await ask()).toMatchObject({ actor: null });
    play(1, []);
    expect(await ask()).toBeNull();
  });

  test('is an error where the events can’t be read', async () => {
    nock(API).get(`${EVENTS}1`).reply(200, { events: [] });
    await expect(ask()).rejects.toMatchObject({ code: 'retryable' });
  });
});

describe('what a login may do', () => {
  function play(login: string, status: number, body: nock.Body) {
    nock(API).get(`${REPO}/collaborators/${login}/permission`).reply(status, body);
  }

  const grants = (facts: object) => ({
    admin: false,
    maintain: false,
    push: false,
    triage: false,
    pull: true,
    ...facts,
  });
  const ask = (login = 'ann') => asToken().reader.readPermission(REPOSITORY, login);

  test.each([
    ['admin', 'admin'],
    ['maintain', 'write'],
    ['write', 'write'],
    ['triage', 'read'],
    ['none', 'none'],
  ])('is its role %s, whatever the legacy field says', async (role_name, permission) => {
    play('ann', 200, { permission, role_name, user: null });
    expect(await ask()).toBe(role_name);
  });

  test.each([
    ['admin', { admin: true, maintain: true, push: true, triage: true }],
    ['maintain', { maintain: true, push: true, triage: true }],
    ['write', { push: true, triage: true }],
    ['triage', { triage: true }],
  ])('is %s where a custom role grants as much', async (expected, facts) => {
    play('ann', 200, { permission: 'read', role_name: 'release-captain', user: { permissions: grants(facts) } });
    expect(await ask()).toBe(expected);
  });

  test('is the legacy field of a custom role that tells no grants', async () => {
    play('ann', 200, { permission: 'write', role_name: 'release-captain', user: {} });
    expect(await ask()).toBe('write');
  });

  test('is none where neither can be placed', async () => {
    play('ann', 200, { permission: 'superuser', role_name: 'constructor' });
    expect(await ask()).toBe('none');
  });

  test.each([
    [204, 'read'],
    [404, 'none'],
  ])('that reads: a collaborator only if GitHub answers 204 (here %i)', async (status, expected) => {
    play('ann', 200, { permission: 'read', role_name: 'read' });
    nock(API).get(`${REPO}/collaborators/ann`).reply(status);
    expect(await ask()).toBe(expected);
  });

  test('is none for a login that is no user of a readable repository', async () => {
    play('Copilot', 404, { message: 'Copilot is not a user' });
    playRepository();
    expect(await ask('Copilot')).toBe('none');
  });

  test('is unreadable, not none, where the repository is lost from sight', async () => {
    play('ann', 404, NOT_FOUND);
    nock(API).get(REPO).reply(404, NOT_FOUND);
    await expect(ask()).rejects.toMatchObject({ code: 'lost_access' });
  });

  test('is unreadable where the answer is garbage', async () => {
    play('ann', 200, {});
    await expect(ask()).rejects.toMatchObject({ code: 'retryable' });
  });

  test('is asked with the login encoded, so that a login can’t be a path', async () => {
    play('..%2F..%2Fowner', 404, NOT_FOUND);
    playRepository();
    expect(await ask('../../owner')).toBe('none');
  });

  test.each([
    [{ issues: 'write' }, 'write'],
    [{ issues: 'read', contents: 'write' }, 'none'],
  ])('as a bot is what its App declares for issues: %j is %s', async (permissions, expected) => {
    nock(API).get('/apps/dependabot').reply(200, { id: 5, slug: 'dependabot', permissions });
    expect(await ask('dependabot[bot]')).toBe(expected);
  });

  test('as a bot whose App is private is none', async () => {
    nock(API).get('/apps/secret-app').reply(404, NOT_FOUND);
    expect(await ask('secret-app[bot]')).toBe('none');
  });

  test('as our own bot is read from our own App, which may be private', async () => {
    nock(API)
      .get('/app')
      .reply(200, { id: 1, slug: 'standdown', permissions: { issues: 'write' } });
    expect(await asApp().reader.readPermission(REPOSITORY, 'standdown[bot]')).toBe('write');
  });
});

describe('a repository is found by name', () => {
  test('with its id, its present name and the installation', async () => {
    nock(API).get(`${REPO}/installation`).reply(200, { id: 7 });
    playToken();
    playRepository({ full_name: 'Acme/Widgets' });
    expect(await asApp().reader.findRepository('acme/widgets')).toEqual({
      id: '101',
      fullName: 'Acme/Widgets',
      installationId: 7,
    });
  });

  test('under the name that it bears now, where it was renamed', async () => {
    nock(API)
      .get('/repos/acme/old')
      .reply(301, { message: 'Moved Permanently' }, { location: `${API}/repositories/101` });
    nock(API).get('/repositories/101').reply(200, { id: 101, full_name: 'acme/widgets' });
    expect(await asToken().reader.findRepository('acme/old')).toMatchObject({ id: '101', fullName: 'acme/widgets' });
  });

  test('and is null where the App is not installed', async () => {
    nock(API).get(`${REPO}/installation`).reply(404, NOT_FOUND);
    expect(await asApp().reader.findRepository('acme/widgets')).toBeNull();
  });

  test('and is null where the token sees none, without an installation where it sees one', async () => {
    nock(API).get(REPO).reply(404, NOT_FOUND);
    expect(await asToken().reader.findRepository('acme/widgets')).toBeNull();
    playRepository();
    expect(await asToken().reader.findRepository('acme/widgets')).toMatchObject({ installationId: null });
  });

  test.each(['widgets', 'acme/widgets/issues', 'a b/c', ''])('and is null for %j, which is no name', async (name) => {
    expect(await asToken().reader.findRepository(name)).toBeNull();
  });

  test.each([500, 404])('but not null because a gateway answered %i', async (status) => {
    nock(API).get(REPO).reply(status, '<html></html>', { 'content-type': 'text/html' });
    await expect(asToken().reader.findRepository('acme/widgets')).rejects.toMatchObject({ code: 'retryable' });
  });
});
