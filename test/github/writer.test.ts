import nock from 'nock';
import { describe, expect, test } from 'vitest';
import {
  API,
  asApp,
  asToken,
  commentJson,
  issueJson,
  NOT_FOUND,
  playGitHub,
  playRepository,
  playToken,
  REPOSITORY,
} from './support.ts';

playGitHub();

const REPO = '/repos/acme/widgets';
const COMMENTS = `${REPO}/issues/12/comments`;
const MARKER = '<!-- standdown:outcome m1 -->';
const LOCKED = { message: 'Unable to create comment because issue is locked.' };

describe('a comment of ours is found by its marker', () => {
  const page = (number: number) => `${COMMENTS}?per_page=100&page=${number}`;
  const comment = (id: number, login: string, body: string | null, app?: number) => ({
    id,
    body,
    user: { login },
    ...(app ? { performed_via_github_app: { id: app } } : {}),
  });

  function playApp() {
    playToken();
    nock(API).get('/app').reply(200, { id: 1, slug: 'standdown' });
  }

  test('on whatever page it is', async () => {
    playApp();
    const link = { link: `<${API}${page(2)}>; rel="next", <${API}${page(2)}>; rel="last"` };
    nock(API)
      .get(page(1))
      .reply(200, [comment(1, 'ann', 'hello')], link);
    nock(API)
      .get(page(2))
      .reply(200, [comment(2, 'standdown[bot]', `${MARKER}\nStopped`)]);
    expect(await asApp().writer.findComment(REPOSITORY, 12, MARKER)).toBe('2');
  });

  test('not where somebody else wrote it, quoted it, or an account is gone', async () => {
    playApp();
    const comments = [
      comment(1, 'ann', `${MARKER}\nforged`),
      comment(2, 'standdown[bot]', `> ${MARKER}`),
      comment(3, 'standdown-2[bot]', MARKER, 99),
      { id: 4, body: MARKER, user: null },
      comment(5, 'standdown[bot]', null),
    ];
    nock(API).get(page(1)).reply(200, comments);
    expect(await asApp().writer.findComment(REPOSITORY, 12, MARKER)).toBeNull();
  });

  test('also under a name that our App had earlier', async () => {
    playApp();
    nock(API)
      .get(page(1))
      .reply(200, [comment(9, 'old-name[bot]', MARKER, 1)]);
    expect(await asApp().writer.findComment(REPOSITORY, 12, MARKER)).toBe('9');
  });

  test('as the token’s owner, who is asked for once', async () => {
    nock(API).get('/user').reply(200, { login: 'Ann' });
    nock(API)
      .get(page(1))
      .twice()
      .reply(200, [comment(3, 'ann', MARKER)]);
    const { writer } = asToken();
    expect(await writer.findComment(REPOSITORY, 12, MARKER)).toBe('3');
    expect(await writer.findComment(REPOSITORY, 12, MARKER)).toBe('3');
  });

  test('is an error where we don’t know who we are, and asked again next time', async () => {
    const { writer } = asToken();
    nock(API).get('/user').reply(500, {});
    await expect(writer.findComment(REPOSITORY, 12, MARKER)).rejects.toMatchObject({ code: 'retryable' });
    nock(API).get('/user').reply(200, { login: 'ann' });
    nock(API).get(page(1)).reply(200, []);
    expect(await writer.findComment(REPOSITORY, 12, MARKER)).toBeNull();
  });

  test('is an error, not “none”, where a page is garbage', async () => {
    nock(API).get('/user').reply(200, { login: 'ann' });
    nock(API).get(page(1)).reply(200, '<html></html>', { 'content-type': 'text/html' });
    await expect(asToken().writer.findComment(REPOSITORY, 12, MARKER)).rejects.toMatchObject({ code: 'retryable' });
  });
});

describe('a comment is created', () => {
  const create = () => asToken().writer.createComment(REPOSITORY, 12, 'Stopped');

  test('with its body, and its id comes back', async () => {
    nock(API).post(COMMENTS, { body: 'Stopped' }).reply(201, { id: 77 });
    expect(await create()).toBe('77');
  });

  test('in a renamed repository by the same request to where it is now', async () => {
    const location = `${API}/repositories/101/issues/12/comments`;
    nock(API).post(COMMENTS).reply(307, { message: 'Temporary Redirect' }, { location });
    nock(API).post('/repositories/101/issues/12/comments', { body: 'Stopped' }).reply(201, { id: 77 });
    expect(await create()).toBe('77');
  });

  test('once only: a 502 is not tried again', async () => {
    const scope = nock(API).post(COMMENTS).times(2).reply(502, 'Bad gateway');
    await expect(create()).rejects.toMatchObject({ code: 'retryable', status: 502 });
    expect(scope.pendingMocks()).toHaveLength(1);
    nock.cleanAll();
  });

  test('with garbage as the answer: it may exist, so look for it first', async () => {
    nock(API).post(COMMENTS).reply(201, 'OK');
    await expect(create()).rejects.toMatchObject({ code: 'retryable' });
  });

  test.each([410, 422])('never where GitHub says %i', async (status) => {
    nock(API).post(COMMENTS).reply(status, { message: 'no' });
    await expect(create()).rejects.toMatchObject({ code: 'refused', status });
  });

  test('never on an issue that is gone from a readable repository', async () => {
    nock(API).post(COMMENTS).reply(404, NOT_FOUND);
    playRepository();
    await expect(create()).rejects.toMatchObject({ code: 'refused', status: 404 });
  });

  test('never on an issue that was transferred', async () => {
    const location = `${API}/repositories/999/issues/1/comments`;
    nock(API).post(COMMENTS).reply(307, { message: 'Temporary Redirect' }, { location });
    playRepository();
    await expect(create()).rejects.toMatchObject({ code: 'refused' });
  });

  test('later, where the repository is lost from sight', async () => {
    nock(API).post(COMMENTS).reply(404, NOT_FOUND);
    nock(API).get(REPO).reply(404, NOT_FOUND);
    await expect(create()).rejects.toMatchObject({ code: 'lost_access' });
  });

  test('later, once a locked issue is unlocked, which a read tells from missing permission', async () => {
    nock(API).post(COMMENTS).reply(403, LOCKED);
    playRepository();
    nock(API)
      .get(`${REPO}/issues/12`)
      .reply(200, issueJson({ locked: true }));
    await expect(create()).rejects.toMatchObject({ code: 'locked', status: 403 });
  });

  test('later, where the permission is missing', async () => {
    nock(API).post(COMMENTS).reply(403, { message: 'Resource not accessible by integration' });
    playRepository();
    nock(API).get(`${REPO}/issues/12`).reply(200, issueJson());
    await expect(create()).rejects.toMatchObject({ code: 'lost_access', status: 403 });
  });

  test('later, once the repository is archived no more', async () => {
    nock(API).post(COMMENTS).reply(403, { message: 'Repository was archived so is read-only.' });
    playRepository({ archived: true });
    await expect(create()).rejects.toMatchObject({ code: 'lost_access' });
  });

  test('later, at a secondary limit', async () => {
    nock(API)
      .post(COMMENTS)
      .reply(403, { message: 'You have exceeded a secondary rate limit' }, { 'retry-after': '30' });
    await expect(create()).rejects.toMatchObject({ code: 'throttled', retryAfterSeconds: 30 });
  });
});

describe('a comment is updated', () => {
  const COMMENT = `${REPO}/issues/comments/77`;
  const update = () => asToken().writer.updateComment(REPOSITORY, '77', 'Gone now');

  test('with its new body', async () => {
    nock(API).patch(COMMENT, { body: 'Gone now' }).reply(200, { id: 77 });
    expect(await update()).toBe('updated');
  });

  test.each([404, 410])('or is gone, when its repository answers and it says %i', async (status) => {
    nock(API).patch(COMMENT).reply(status, NOT_FOUND);
    playRepository();
    expect(await update()).toBe('gone');
  });

  test('or is out of reach, when its repository says 404 too', async () => {
    nock(API).patch(COMMENT).reply(404, NOT_FOUND);
    nock(API).get(REPO).reply(404, NOT_FOUND);
    await expect(update()).rejects.toMatchObject({ code: 'lost_access' });
  });

  test('or not, without permission', async () => {
    nock(API).patch(COMMENT).reply(403, { message: 'Resource not accessible by integration' });
    playRepository();
    playCommentOf(issueJson());
    await expect(update()).rejects.toMatchObject({ code: 'lost_access', status: 403 });
  });

  test('later, once its issue is unlocked', async () => {
    nock(API).patch(COMMENT).reply(403, { message: 'Unable to update comment because issue is locked.' });
    playRepository();
    playCommentOf(issueJson({ locked: true }));
    await expect(update()).rejects.toMatchObject({ code: 'locked', status: 403 });
  });
});

/** Where a refusal of what concerns a comment is explained by its issue. */
function playCommentOf(issue: object) {
  nock(API)
    .get(`${REPO}/issues/comments/77`)
    .reply(200, commentJson({ id: 77 }));
  nock(API).get(`${REPO}/issues/12`).reply(200, issue);
}

describe('a reaction to a comment', () => {
  const REACTIONS = `${REPO}/issues/comments/77/reactions`;
  const react = () => asToken().writer.react(REPOSITORY, '77', 'eyes');

  test.each([
    [201, 'made'],
    [200, 'there already'],
  ])('is done with %i: %s', async (status) => {
    nock(API).post(REACTIONS, { content: 'eyes' }).reply(status, { id: 9, content: 'eyes' });
    expect(await react()).toBe('done');
  });

  test('is made where a renamed repository is now', async () => {
    const location = `${API}/repositories/101/issues/comments/77/reactions`;
    nock(API).post(REACTIONS).reply(307, { message: 'Temporary Redirect' }, { location });
    nock(API).post('/repositories/101/issues/comments/77/reactions', { content: 'eyes' }).reply(201, { id: 9 });
    expect(await react()).toBe('done');
  });

  test.each([404, 410])('has nothing to be on, when its repository answers and the comment is %i', async (status) => {
    nock(API).post(REACTIONS).reply(status, NOT_FOUND);
    playRepository();
    expect(await react()).toBe('gone');
  });

  test('is out of reach, when its repository says 404 too', async () => {
    nock(API).post(REACTIONS).reply(404, NOT_FOUND);
    nock(API).get(REPO).reply(404, NOT_FOUND);
    await expect(react()).rejects.toMatchObject({ code: 'lost_access' });
  });

  test.each([
    [200, '<html></html>', 'retryable'],
    [502, 'Bad gateway', 'retryable'],
    [422, { message: 'Validation Failed' }, 'refused'],
    [401, { message: 'Bad credentials' }, 'lost_access'],
  ])('is not taken for done after %i %j', async (status, body, code) => {
    nock(API).post(REACTIONS).reply(status, body);
    await expect(react()).rejects.toMatchObject({ code });
  });

  test('waits while its issue is locked', async () => {
    nock(API).post(REACTIONS).reply(403, { message: 'User is blocked or the conversation is locked' });
    playRepository();
    playCommentOf(issueJson({ locked: true }));
    await expect(react()).rejects.toMatchObject({ code: 'locked' });
  });
});

describe('an issue is closed', () => {
  const ISSUE = `${REPO}/issues/12`;
  const AS_COMPLETED = { state: 'closed', state_reason: 'completed' };
  const close = () => asToken().writer.closeIssue(REPOSITORY, 12);

  test('as completed', async () => {
    nock(API).patch(ISSUE, AS_COMPLETED).reply(200, issueJson());
    await expect(close()).resolves.toBeUndefined();
  });

  test('where a renamed repository is now', async () => {
    const location = `${API}/repositories/101/issues/12`;
    nock(API).patch(ISSUE).reply(307, { message: 'Temporary Redirect' }, { location });
    nock(API).patch('/repositories/101/issues/12', AS_COMPLETED).reply(200, issueJson());
    await expect(close()).resolves.toBeUndefined();
  });

  test('never where it was transferred to', async () => {
    const location = `${API}/repositories/999/issues/1`;
    nock(API).patch(ISSUE).reply(307, { message: 'Temporary Redirect' }, { location });
    playRepository();
    await expect(close()).rejects.toMatchObject({ code: 'refused' });
  });

  test.each([
    [200, issueJson({ state: 'open', closed_at: null }), 'retryable'],
    [200, '<html></html>', 'retryable'],
    [503, 'Unavailable', 'retryable'],
    [410, { message: 'This issue was deleted' }, 'refused'],
    [422, { message: 'Validation Failed' }, 'refused'],
  ])('only if GitHub says so: %i is not it', async (status, body, code) => {
    nock(API).patch(ISSUE).reply(status, body);
    await expect(close()).rejects.toMatchObject({ code });
  });

  test('not while the repository is archived, and not without permission', async () => {
    nock(API).patch(ISSUE).twice().reply(403, { message: 'Resource not accessible by integration' });
    playRepository({ archived: true });
    await expect(close()).rejects.toMatchObject({ code: 'lost_access' });
    playRepository();
    nock(API).get(ISSUE).reply(200, issueJson());
    await expect(close()).rejects.toMatchObject({ code: 'lost_access' });
  });
});
