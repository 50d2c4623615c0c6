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

const ISSUE = '/repos/acme/widgets/issues/12';
const OPEN = { state: 'open', state_reason: null, closed_at: null, closed_by: null };

function blocker(number: number, facts: object = {}, repository = 'acme/widgets') {
  const html_url = `https://github.com/${repository}/issues/${number}`;
  return issueJson({ number, html_url, repository_url: `${API}/repos/${repository}`, ...OPEN, ...facts });
}

function playBlockers(page: number, status: number, body: nock.Body, headers: Record<string, string> = {}) {
  return nock(API).get(`${ISSUE}/dependencies/blocked_by`).query({ per_page: 100, page }).reply(status, body, headers);
}

function next(page: number) {
  return { link: `<${API}/repositories/101/issues/12/dependencies/blocked_by?page=${page}>; rel="next"` };
}

describe('what an issue is blocked by', () => {
  test('is read whole, over all pages', async () => {
    playBlockers(1, 200, [blocker(1)], next(2));
    playBlockers(2, 200, [
      blocker(2, { state: 'closed', state_reason: 'completed', closed_at: '2026-01-02T03:04:05Z' }),
    ]);
    expect(await asToken().reader.readDependencies(REPOSITORY, 12)).toMatchObject([
      { repository: REPOSITORY, label: 'acme/widgets#1', number: 1, issue: { state: 'open' } },
      { repository: REPOSITORY, label: 'acme/widgets#2', number: 2, issue: { state: 'closed', reason: 'completed' } },
    ]);
  });

  test('names another repository with its own installation, and asks once for it', async () => {
    playToken();
    playBlockers(1, 200, [blocker(7, {}, 'Other/Data'), blocker(8, {}, 'Other/Data')]);
    nock(API).get('/repos/Other/Data/installation').reply(200, { id: 9 });
    nock(API)
      .post('/app/installations/9/access_tokens')
      .reply(201, { token: TOKEN, expires_at: '2030-01-01T00:00:00Z' });
    nock(API).get('/repos/Other/Data').reply(200, { id: 202, full_name: 'Other/Data' });
    const repository = { id: '202', fullName: 'Other/Data', installationId: 9 };
    expect(await asApp().reader.readDependencies(REPOSITORY, 12)).toMatchObject([
      { repository, label: 'Other/Data#7' },
      { repository, label: 'Other/Data#8' },
    ]);
  });

  test.each([
    ['does not exist for the token', 404, NOT_FOUND],
    ['refuses the token', 403, { message: 'Resource not accessible by integration' }],
  ])('names no repository that %s', async (_name, status, body) => {
    playBlockers(1, 200, [blocker(7, {}, 'other/data')]);
    nock(API).get('/repos/other/data').reply(status, body);
    expect(await asToken().reader.readDependencies(REPOSITORY, 12)).toMatchObject([
      { repository: null, label: 'other/data#7', number: 7, issue: { state: 'open' } },
    ]);
  });

  test('is not known while one of its repositories does not answer', async () => {
    playBlockers(1, 200, [blocker(7, {}, 'other/data')]);
    nock(API).get('/repos/other/data').reply(502, '<html>');
    await expect(asToken().reader.readDependencies(REPOSITORY, 12)).rejects.toMatchObject({ code: 'retryable' });
  });

  test('is not known from half of its pages', async () => {
    playBlockers(1, 200, [blocker(1)], next(2));
    playBlockers(2, 502, '<html>');
    await expect(asToken().reader.readDependencies(REPOSITORY, 12)).rejects.toMatchObject({ code: 'retryable' });
  });

  test('is refused rather than cut where there are more than 100', async () => {
    playBlockers(
      1,
      200,
      Array.from({ length: 100 }, (_, index) => blocker(index + 1)),
      next(2),
    );
    playBlockers(2, 200, [blocker(101)]);
    await expect(asToken().reader.readDependencies(REPOSITORY, 12)).rejects.toMatchObject({ code: 'refused' });
  });

  test('is nothing on a GitHub that shows the issue and knows no dependencies', async () => {
    playBlockers(1, 404, NOT_FOUND);
    playRepository();
    nock(API).get(ISSUE).reply(200, issueJson());
    expect(await asToken().reader.readDependencies(REPOSITORY, 12)).toEqual([]);
  });

  test('is asked for once of a GitHub that knows no dependencies, until an issue tells how many it has', async () => {
    const { reader } = asToken();
    const lacking = playBlockers(1, 404, NOT_FOUND);
    playRepository();
    nock(API).get(ISSUE).reply(200, issueJson());
    await reader.readDependencies(REPOSITORY, 12);
    expect(await reader.readDependencies(REPOSITORY, 12)).toEqual([]);
    expect(lacking.isDone()).toBe(true);
    const summary = { issue_dependencies_summary: { total_blocked_by: 1 } };
    nock(API).get(ISSUE).reply(200, issueJson(summary));
    await reader.readIssue(REPOSITORY, 12);
    playBlockers(1, 200, [blocker(1)]);
    expect(await reader.readDependencies(REPOSITORY, 12)).toMatchObject([{ number: 1 }]);
  });

  test('is asked for again where the issue tells how many it has, and they are a 404', async () => {
    const { reader } = asToken();
    const summary = { issue_dependencies_summary: { total_blocked_by: 1 } };
    playBlockers(1, 404, NOT_FOUND);
    playRepository();
    nock(API).get(ISSUE).reply(200, issueJson(summary));
    expect(await reader.readDependencies(REPOSITORY, 12)).toEqual([]);
    playBlockers(1, 200, [blocker(1)]);
    expect(await reader.readDependencies(REPOSITORY, 12)).toMatchObject([{ number: 1 }]);
  });

  test('is not nothing where the issue is gone too', async () => {
    playBlockers(1, 404, NOT_FOUND);
    playRepository();
    nock(API).get(ISSUE).reply(404, NOT_FOUND);
    await expect(asToken().reader.readDependencies(REPOSITORY, 12)).rejects.toMatchObject({ name: 'GitHubError' });
  });

  test.each([
    ['an issue without its repository', 200, [issueJson()], 'retryable'],
    ['no list', 200, {}, 'retryable'],
    ['HTML', 200, '<html>', 'retryable'],
    ['a proxy’s 404', 404, '<html>', 'retryable'],
    ['410', 410, { message: 'This issue was deleted' }, 'refused'],
    ['403', 403, { message: 'Resource not accessible by integration' }, 'lost_access'],
  ])('is not known from %s', async (_name, status, body, code) => {
    playBlockers(1, status, body as nock.Body);
    await expect(asToken().reader.readDependencies(REPOSITORY, 12)).rejects.toMatchObject({ code });
  });
});

describe('who wrote a body', () => {
  const person = (login: string, __typename = 'User') => ({ __typename, login });

  function playGraphql(answer: nock.Body, status = 200, headers: Record<string, string> = {}) {
    return nock(API, { reqheaders: { authorization: `token ${TOKEN}` } })
      .post(
        '/graphql',
        ({ variables }) => JSON.stringify(variables) === '{"owner":"acme","repo":"widgets","number":12}',
      )
      .reply(status, answer, headers);
  }

  const told = (issue: object) => ({ data: { repository: { databaseId: 101, issue } } });
  const edited = { lastEditedAt: '2026-01-02T03:04:05Z', editor: person('ben'), author: person('ann') };

  test.each([
    ['its last editor', edited, 'ben'],
    ['its author, where nobody edited it', { lastEditedAt: null, editor: null, author: person('ann') }, 'ann'],
    ['nobody, where the editor’s account is gone', { ...edited, editor: null }, null],
    ['nobody, where the author’s account is gone', { lastEditedAt: null, editor: null, author: null }, null],
    ['a bot, by the name that REST gives it', { ...edited, editor: person('renovate', 'Bot') }, 'renovate[bot]'],
    ['a person whose name is like a bot’s', { ...edited, editor: person('renovate') }, 'renovate'],
  ])('is %s', async (_name, issue, login) => {
    playGraphql(told(issue));
    expect(await asToken().reader.readEditor(REPOSITORY, 12)).toBe(login);
  });

  test('is asked of a server’s GraphQL, which lies beside its REST API', async () => {
    nock('https://ghe.example').post('/api/graphql').reply(200, told(edited));
    const { reader } = asToken({ baseUrl: 'https://ghe.example/api/v3' });
    expect(await reader.readEditor(REPOSITORY, 12)).toBe('ben');
  });

  const error = (type: string | undefined, message = 'No.') => ({ ...told(edited), errors: [{ type, message }] });
  test.each([
    ['partial data with an error', error('SOMETHING_ELSE'), 'retryable'],
    ['an error without a type', error(undefined, 'Something went wrong'), 'retryable'],
    ['an issue that is not found', error('NOT_FOUND'), 'lost_access'],
    ['what the App may not read', error('FORBIDDEN'), 'lost_access'],
    ['a rate limit', error('RATE_LIMITED'), 'throttled'],
    ['a secondary limit', error(undefined, 'You have exceeded a secondary rate limit.'), 'throttled'],
    ['no issue', told({}), 'retryable'],
    ['no data', { data: null }, 'retryable'],
    ['another repository of this name', { data: { repository: { databaseId: 202, issue: edited } } }, 'lost_access'],
  ])('is not guessed from %s', async (_name, answer, code) => {
    playGraphql(answer);
    await expect(asToken().reader.readEditor(REPOSITORY, 12)).rejects.toMatchObject({ name: 'GitHubError', code });
  });

  test('is asked again after the wait that a limit names', async () => {
    playGraphql({ errors: [{ type: 'RATE_LIMITED', message: 'Limit' }] }, 200, { 'retry-after': '30' });
    const failure = { code: 'throttled', retryAfterSeconds: 30 };
    await expect(asToken().reader.readEditor(REPOSITORY, 12)).rejects.toMatchObject(failure);
  });

  test('is not known from bad credentials', async () => {
    playGraphql({ message: 'Bad credentials' }, 401);
    await expect(asToken().reader.readEditor(REPOSITORY, 12)).rejects.toMatchObject({ code: 'lost_access' });
  });
});

describe('who took dependencies away', () => {
  const entry = (event: string, login: string | null) => ({ event, actor: login === null ? null : { login } });

  function playTimeline(page: number, entries: object[], last?: number) {
    const headers = last === undefined ? {} : { link: `<${API}/x?page=${last}>; rel="last"` };
    return nock(API).get(`${ISSUE}/timeline`).query({ per_page: 100, page }).reply(200, entries, headers);
  }

  test('is told newest first, no more than were asked about', async () => {
    const entries = ['ann', 'ben', 'cleo'].map((login) => entry('blocked_by_removed', login));
    playTimeline(1, [...entries, entry('blocked_by_added', 'dan'), entry('blocking_removed', 'eve')]);
    expect(await asToken().reader.readUnblockers(REPOSITORY, 12, 2)).toEqual(['cleo', 'ben']);
  });

  test('is looked for from the last page backwards', async () => {
    playTimeline(1, [entry('blocked_by_removed', 'ann')], 3);
    playTimeline(3, [entry('commented', 'ann')]);
    playTimeline(2, [entry('blocked_by_removed', 'ben')]);
    expect(await asToken().reader.readUnblockers(REPOSITORY, 12, 1)).toEqual(['ben']);
  });

  test('is nobody older in the place of an account that is gone', async () => {
    playTimeline(1, [entry('blocked_by_removed', 'ann'), entry('blocked_by_removed', null)]);
    expect(await asToken().reader.readUnblockers(REPOSITORY, 12, 1)).toEqual([]);
  });

  test('is fewer where GitHub tells of fewer', async () => {
    playTimeline(1, [entry('blocked_by_removed', 'ann'), { event: 'committed' }]);
    expect(await asToken().reader.readUnblockers(REPOSITORY, 12, 3)).toEqual(['ann']);
  });
});
