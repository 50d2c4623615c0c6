import nock from 'nock';
import { describe, expect, test } from 'vitest';
import {
  API,
  asApp,
  asToken,
  issueJson,
  NOT_FOUND,
  playGitHub,
  playRepository,
  playToken,
  REPOSITORY,
  TOKEN,
} from './support.ts';

playGitHub();

const PATH = '/repos/acme/widgets/issues/12';

function play(status: number, body?: nock.Body, headers: Record<string, string> = {}) {
  return nock(API).get(PATH).reply(status, body, headers);
}

function moved(to: string) {
  return [301, { message: 'Moved Permanently', url: to }, { location: to }] as const;
}

describe('a live issue', () => {
  test('is read with its reason, its author and who closed it, as the installation', async () => {
    playToken();
    nock(API, { reqheaders: { authorization: `token ${TOKEN}` } })
      .get(PATH)
      .reply(200, issueJson());
    const reading = await asApp().reader.readIssue(REPOSITORY, 12);
    expect(reading).toEqual({
      found: 'issue',
      issue: {
        nodeId: 'I_12',
        number: 12,
        title: 'Train the ranker',
        url: 'https://github.com/acme/widgets/issues/12',
        state: 'closed',
        reason: 'completed',
        closedAt: new Date('2026-01-02T03:04:05Z'),
        updatedAt: new Date('2026-01-02T03:04:06Z'),
        author: 'ann',
        actor: 'ben',
        locked: false,
        isPullRequest: false,
        dependsOn: [],
        blockedByCount: null,
      },
    });
  });

  test.each([
    ['completed', 'completed'],
    ['not_planned', 'not_planned'],
    ['duplicate', 'duplicate'],
    [null, 'unknown'],
    ['constructor', 'unknown'],
    ['a_reason_of_tomorrow', 'unknown'],
  ])('closed with state_reason %s has the reason %s', async (state_reason, reason) => {
    play(200, issueJson({ state_reason }));
    expect(await asToken().reader.readIssue(REPOSITORY, 12)).toMatchObject({ issue: { state: 'closed', reason } });
  });

  test('that is open has no close: neither time nor reason nor actor', async () => {
    play(200, issueJson({ state: 'open', state_reason: 'reopened', closed_at: null, closed_by: null, user: null }));
    const issue = { state: 'open', reason: 'unknown', closedAt: null, actor: null, author: null };
    expect(await asToken().reader.readIssue(REPOSITORY, 12)).toMatchObject({ found: 'issue', issue });
  });

  test('that is a pull request says so', async () => {
    play(200, issueJson({ pull_request: { url: 'https://api.github.com/repos/acme/widgets/pulls/12' } }));
    expect(await asToken().reader.readIssue(REPOSITORY, 12)).toMatchObject({ issue: { isPullRequest: true } });
  });
});

describe('what a live issue waits for', () => {
  test('is what lines of its body name, its own repository going without saying', async () => {
    play(200, issueJson({ body: 'Depends on #3, Acme/Widgets#4 and acme/data#7\nBlocked by acme/widgets#3' }));
    const issue = { dependsOn: ['#3', '#4', 'acme/data#7'] };
    expect(await asToken().reader.readIssue(REPOSITORY, 12)).toMatchObject({ issue });
  });

  test('is counted by GitHub, open and closed', async () => {
    play(200, issueJson({ issue_dependencies_summary: { blocked_by: 1, total_blocked_by: 3, blocking: 0 } }));
    expect(await asToken().reader.readIssue(REPOSITORY, 12)).toMatchObject({ issue: { blockedByCount: 3 } });
  });
});

describe('a conditional read', () => {
  test('answers a 304 from what was read before', async () => {
    const { reader } = asToken();
    play(200, issueJson(), { etag: '"v1"' });
    const first = await reader.readIssue(REPOSITORY, 12);
    nock(API, { reqheaders: { 'if-none-match': '"v1"' } })
      .get(PATH)
      .reply(304);
    expect(await reader.readIssue(REPOSITORY, 12)).toEqual(first);
  });

  test('sends no ETag that another token got', async () => {
    const { reader } = asApp();
    playToken();
    play(200, issueJson(), { etag: '"v1"' });
    await reader.readIssue(REPOSITORY, 12);
    play(401, { message: 'Bad credentials' });
    await expect(reader.readIssue(REPOSITORY, 12)).rejects.toThrow();
    playToken('ghs_another');
    nock(API, { badheaders: ['if-none-match'], reqheaders: { authorization: 'token ghs_another' } })
      .get(PATH)
      .reply(200, issueJson({ state: 'open', closed_at: null }));
    expect(await reader.readIssue(REPOSITORY, 12)).toMatchObject({ issue: { state: 'open' } });
  });

  test('forgets the issue that was not asked about for longest', async () => {
    const { reader } = asToken({ rememberedIssues: 1 });
    play(200, issueJson(), { etag: '"v1"' });
    await reader.readIssue(REPOSITORY, 12);
    nock(API)
      .get('/repos/acme/widgets/issues/13')
      .reply(200, issueJson({ number: 13 }), { etag: '"w1"' });
    await reader.readIssue(REPOSITORY, 13);
    nock(API, { badheaders: ['if-none-match'] })
      .get(PATH)
      .reply(200, issueJson());
    expect(await reader.readIssue(REPOSITORY, 12)).toMatchObject({ found: 'issue' });
  });

  test('takes a 304 that it did not ask for as no answer', async () => {
    play(304);
    await expect(asToken().reader.readIssue(REPOSITORY, 12)).rejects.toMatchObject({ code: 'retryable' });
  });
});

describe('an issue that is gone', () => {
  test.each([410, 404])('is deleted when its repository answers and it says %i', async (status) => {
    play(status, { message: 'This issue was deleted' });
    playRepository();
    expect(await asToken().reader.readIssue(REPOSITORY, 12)).toEqual({ found: 'deleted' });
  });

  test('is lost from sight, not deleted, when its repository says 404 too', async () => {
    play(404, NOT_FOUND);
    nock(API).get('/repos/acme/widgets').reply(404, NOT_FOUND);
    await expect(asToken().reader.readIssue(REPOSITORY, 12)).rejects.toMatchObject({
      code: 'lost_access',
      status: 404,
    });
  });

  test('is not known to be deleted while its repository does not answer', async () => {
    play(404, NOT_FOUND);
    nock(API).get('/repos/acme/widgets').reply(502, '<html>Bad gateway</html>');
    await expect(asToken().reader.readIssue(REPOSITORY, 12)).rejects.toMatchObject({ code: 'retryable' });
  });

  test.each([410, 404])('is not deleted by %i when the issues of its repository are switched off', async (status) => {
    play(status, { message: 'Issues are disabled for this repo' });
    playRepository({ has_issues: false });
    await expect(asToken().reader.readIssue(REPOSITORY, 12)).rejects.toMatchObject({ code: 'lost_access' });
  });

  test('is not deleted when another repository has taken the name', async () => {
    play(404, NOT_FOUND);
    playRepository({ id: 202 });
    await expect(asToken().reader.readIssue(REPOSITORY, 12)).rejects.toMatchObject({ code: 'lost_access' });
  });

  test.each([404, 410, 301])('is not concluded from a proxy’s %i page', async (status) => {
    play(status, '<html>Gone</html>', { 'content-type': 'text/html', location: `${API}/repositories/999/issues/1` });
    await expect(asToken().reader.readIssue(REPOSITORY, 12)).rejects.toMatchObject({ code: 'retryable' });
  });
});

describe('a redirect', () => {
  test('to the same repository id is followed: the repository was renamed', async () => {
    play(...moved(`${API}/repositories/101/issues/12`));
    nock(API, { reqheaders: { authorization: `token ${TOKEN}` } })
      .get('/repositories/101/issues/12')
      .reply(200, issueJson());
    expect(await asToken().reader.readIssue(REPOSITORY, 12)).toMatchObject({ found: 'issue' });
  });

  test('to another repository id is a transfer, and is not followed', async () => {
    play(...moved(`${API}/repositories/999/issues/3`));
    playRepository();
    nock(API).get('/repositories/999/issues/3').reply(404, { message: 'Not Found' });
    expect(await asToken().reader.readIssue(REPOSITORY, 12)).toEqual({ found: 'transferred', to: null });
  });

  test('to another repository id says where the issue is now, where that may be seen', async () => {
    play(...moved(`${API}/repositories/999/issues/3`));
    playRepository();
    const there = 'https://github.com/acme/gadgets/issues/3';
    nock(API)
      .get('/repositories/999/issues/3')
      .reply(200, issueJson({ number: 3, html_url: there }));
    expect(await asToken().reader.readIssue(REPOSITORY, 12)).toEqual({ found: 'transferred', to: there });
  });

  test('shows a transfer out of a renamed repository', async () => {
    play(...moved(`${API}/repositories/101/issues/12`));
    nock(API)
      .get('/repositories/101/issues/12')
      .reply(...moved(`${API}/repositories/999/issues/3`));
    nock(API)
      .get('/repos/acme/widgets')
      .reply(...moved(`${API}/repositories/101`));
    nock(API).get('/repositories/101').reply(200, { id: 101, full_name: 'acme/gadgets' });
    nock(API).get('/repositories/999/issues/3').reply(502, 'Bad gateway');
    expect(await asToken().reader.readIssue(REPOSITORY, 12)).toEqual({ found: 'transferred', to: null });
  });

  test('of a whole other repository that had taken the name is no transfer', async () => {
    play(...moved(`${API}/repositories/999/issues/12`));
    nock(API)
      .get('/repos/acme/widgets')
      .reply(...moved(`${API}/repositories/999`));
    await expect(asToken().reader.readIssue(REPOSITORY, 12)).rejects.toMatchObject({ code: 'retryable' });
  });

  test('to another host never gets our token', async () => {
    play(...moved('https://elsewhere.example/repositories/101/issues/12'));
    await expect(asToken().reader.readIssue(REPOSITORY, 12)).rejects.toMatchObject({ code: 'retryable' });
  });
});

describe('an answer that is no answer', () => {
  test.each([
    ['HTML', '<html>hello</html>', { 'content-type': 'text/html' }],
    ['half a JSON text', '{"number": 12, "state": "clo', { 'content-type': 'application/json' }],
    ['an empty body', '', { 'content-type': 'application/json' }],
    ['null', 'null', { 'content-type': 'application/json' }],
    ['a broken content type', JSON.stringify(issueJson()), { 'content-type': ';;;' }],
  ])('%s with status 200 is retryable', async (_name, body, headers) => {
    play(200, body, headers);
    await expect(asToken().reader.readIssue(REPOSITORY, 12)).rejects.toMatchObject({
      name: 'GitHubError',
      code: 'retryable',
    });
  });

  test.each([
    ['no state', { state: undefined }],
    ['an unknown state', { state: 'merged' }],
    ['no version', { updated_at: undefined }],
    ['a close without its time', { closed_at: null }],
    ['another number', { number: 13 }],
  ])('an issue with %s is retryable', async (_name, facts) => {
    play(200, issueJson(facts));
    await expect(asToken().reader.readIssue(REPOSITORY, 12)).rejects.toMatchObject({
      name: 'GitHubError',
      code: 'retryable',
    });
  });
});
