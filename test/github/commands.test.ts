import nock from 'nock';
import { describe, expect, test } from 'vitest';
import {
  API,
  asApp,
  asToken,
  commentJson,
  NOT_FOUND,
  playGitHub,
  playRepository,
  playToken,
  REPOSITORY,
} from './support.ts';

playGitHub();

const REPO = '/repos/acme/widgets';
const FORBIDDEN = { message: 'Resource not accessible by integration' };
const HTML = { 'content-type': 'text/html' };

describe('the file of the default branch', () => {
  const PATH = '.github/standdown.yml';
  const CONTENTS = `${REPO}/contents/.github%2Fstanddown.yml`;
  const TEXT = 'tasks:\n  train: { run: ["pythön"] }\n';
  const read = (etag: string | null = null) => asToken().reader.readFile(REPOSITORY, PATH, etag);
  const base64 = (bytes: Buffer | string) => Buffer.from(bytes).toString('base64').replace(/.{20}/g, '$&\n');
  const fileJson = (facts: object = {}) => ({
    type: 'file',
    encoding: 'base64',
    size: 35,
    sha: 'f00',
    content: base64(TEXT),
    ...facts,
  });

  test('is its text, git’s id of it, and the ETag', async () => {
    nock(API).get(CONTENTS).reply(200, fileJson(), { etag: 'W/"1"' });
    expect(await read()).toEqual({ found: 'file', text: TEXT, sha: 'f00', etag: 'W/"1"' });
  });

  test('is unchanged by GitHub’s word, with whatever token the ETag was got', async () => {
    nock(API).get(CONTENTS).matchHeader('if-none-match', 'W/"1"').reply(304);
    expect(await read('W/"1"')).toEqual({ found: 'unchanged' });
  });

  test('may be empty, and a byte order mark is no part of it', async () => {
    nock(API)
      .get(CONTENTS)
      .reply(200, fileJson({ content: '', size: 0 }));
    expect(await read()).toMatchObject({ found: 'file', text: '', etag: null });
    nock(API)
      .get(CONTENTS)
      .reply(200, fileJson({ content: base64(`\uFEFF${TEXT}`) }));
    expect(await read()).toMatchObject({ text: TEXT });
  });

  test('is where the renamed repository is now', async () => {
    const location = `${API}/repositories/101/contents/.github%2Fstanddown.yml`;
    nock(API).get(CONTENTS).reply(301, { message: 'Moved Permanently' }, { location });
    nock(API).get('/repositories/101/contents/.github%2Fstanddown.yml').reply(200, fileJson());
    expect(await read()).toMatchObject({ found: 'file', text: TEXT });
  });

  test('is none where the repository can be read, also one without issues', async () => {
    nock(API).get(CONTENTS).twice().reply(404, NOT_FOUND);
    playRepository();
    expect(await read()).toEqual({ found: 'none', etag: null });
    playRepository({ has_issues: false });
    expect(await read('W/"1"')).toEqual({ found: 'none', etag: null });
  });

  test.each([
    ['a directory', [{ type: 'file', name: 'standdown.yml' }], 'it is a directory'],
    ['larger than 1 MB', fileJson({ encoding: 'none', content: '', size: 2_000_000 }), 'it is larger than 1 MB'],
    ['no text', fileJson({ content: base64(Buffer.from([0x61, 0xff, 0xfe])) }), 'it is no UTF-8 text'],
    ['a submodule', { type: 'submodule', sha: 'f00' }, 'it is a submodule'],
    [
      'a link to nowhere',
      { type: 'symlink', sha: 'f00', target: '/etc/passwd' },
      'it is a link that leads to no file of the repository',
    ],
  ])('is there and can’t be used where it is %s', async (_name, body, problem) => {
    nock(API).get(CONTENTS).reply(200, body, { etag: 'W/"2"' });
    expect(await read()).toEqual({ found: 'unusable', sha: expect.any(String), etag: 'W/"2"', problem });
  });

  test('is too large also where GitHub refuses it for that', async () => {
    const errors = [{ resource: 'Blob', field: 'data', code: 'too_large' }];
    nock(API).get(CONTENTS).reply(403, { message: 'The requested blob is too large.', errors });
    expect(await read()).toMatchObject({ found: 'unusable', problem: 'it is larger than 1 MB' });
  });

  test('is not none without the permission to read contents', async () => {
    nock(API).get(CONTENTS).reply(403, FORBIDDEN);
    await expect(read()).rejects.toMatchObject({ code: 'lost_access', status: 403 });
  });

  test('is not none where the repository is lost from sight, or its name is another one’s now', async () => {
    nock(API).get(CONTENTS).twice().reply(404, NOT_FOUND);
    nock(API).get(REPO).reply(404, NOT_FOUND);
    await expect(read()).rejects.toMatchObject({ code: 'lost_access' });
    playRepository({ id: 102 });
    await expect(read()).rejects.toMatchObject({ code: 'lost_access' });
  });

  test.each<[number, nock.Body, Record<string, string>]>([
    [404, '<html></html>', HTML],
    [503, 'Unavailable', {}],
    [200, '<html></html>', HTML],
    [200, fileJson({ content: '%%%' }), {}],
    [200, fileJson({ encoding: 'rot13' }), {}],
    [200, fileJson({ sha: '' }), {}],
    [200, { type: 'file' }, {}],
    [200, 'null', {}],
    [304, '', {}],
  ])('is unknown after %i %j', async (status, body, headers) => {
    nock(API).get(CONTENTS).reply(status, body, headers);
    await expect(read()).rejects.toMatchObject({ code: 'retryable' });
  });

  test('is asked for later at a limit', async () => {
    nock(API).get(CONTENTS).reply(429, { message: 'slow down' }, { 'retry-after': '7' });
    await expect(read()).rejects.toMatchObject({ code: 'throttled', retryAfterSeconds: 7 });
  });
});

describe('one comment', () => {
  const COMMENT = `${REPO}/issues/comments/77`;
  const read = () => asToken().reader.readComment(REPOSITORY, '77');

  test('is read as it is now', async () => {
    nock(API)
      .get(COMMENT)
      .reply(200, commentJson({ body: 'edited', updated_at: '2026-01-02T03:09:00Z' }));
    expect(await read()).toEqual({
      id: '77',
      number: 12,
      author: 'ann',
      isBot: false,
      app: null,
      body: 'edited',
      createdAt: new Date('2026-01-02T03:04:05Z'),
      updatedAt: new Date('2026-01-02T03:09:00Z'),
    });
  });

  test.each([404, 410])('is null after a %i of a repository that can be read', async (status) => {
    nock(API).get(COMMENT).reply(status, NOT_FOUND);
    playRepository();
    expect(await read()).toBeNull();
  });

  test('is found where the renamed repository is now', async () => {
    const location = `${API}/repositories/101/issues/comments/77`;
    nock(API).get(COMMENT).reply(301, { message: 'Moved Permanently' }, { location });
    nock(API).get('/repositories/101/issues/comments/77').reply(200, commentJson());
    expect(await read()).toMatchObject({ id: '77' });
  });

  test('is not null where the repository is lost from sight', async () => {
    nock(API).get(COMMENT).reply(404, NOT_FOUND);
    nock(API).get(REPO).reply(404, NOT_FOUND);
    await expect(read()).rejects.toMatchObject({ code: 'lost_access' });
  });

  test.each([
    [500, {}],
    [200, {}],
    [200, commentJson({ issue_url: `${API}/repos/acme/widgets/issues/twelve` })],
    [200, commentJson({ updated_at: 'just now' })],
  ])('is unknown after %i %j', async (status, body) => {
    nock(API).get(COMMENT).reply(status, body);
    await expect(read()).rejects.toMatchObject({ code: 'retryable' });
  });
});

describe('the comments that changed since a time', () => {
  const at = (second: number) => new Date(Date.UTC(2026, 0, 2, 3, 4, second)).toISOString().replace('.000Z', 'Z');
  const comment = (id: number, second: number) => commentJson({ id, updated_at: at(second) });
  const more = { link: `<${API}${REPO}/issues/comments?page=2>; rel="next"` };
  const read = (second: number) => asToken().reader.readComments(REPOSITORY, new Date(at(second)));
  const ids = async (second: number) => (await read(second)).map(({ id }) => id);

  function play(since: number, page: number, comments: object[], headers = {}) {
    nock(API)
      .get(`${REPO}/issues/comments`)
      .query({ since: at(since), sort: 'updated', direction: 'asc', per_page: 100, page })
      .reply(200, comments, headers);
  }

  test('are told with the number of their issue or pull request, that second taken in', async () => {
    play(9, 1, [comment(1, 9), comment(2, 10), comment(3, 11)]);
    expect(await read(10)).toMatchObject([
      { id: '2', number: 12, updatedAt: new Date(at(10)) },
      { id: '3', number: 12, updatedAt: new Date(at(11)) },
    ]);
  });

  test('are told from the beginning of the second on', async () => {
    play(9, 1, [comment(1, 9), comment(2, 10)]);
    const since = new Date(new Date(at(10)).getTime() + 900);
    expect(await asToken().reader.readComments(REPOSITORY, since)).toMatchObject([{ id: '2' }]);
  });

  test('are read on from the time at which a page ended, so that an edit meanwhile hides none', async () => {
    play(9, 1, [comment(1, 10), comment(2, 20)], more);
    play(19, 1, [comment(2, 20), comment(3, 20), comment(1, 30)]);
    expect(await read(10)).toMatchObject([{ id: '2' }, { id: '3' }, { id: '1', updatedAt: new Date(at(30)) }]);
  });

  test('are all there, also where a page is of one second', async () => {
    play(9, 1, [comment(1, 10), comment(2, 10)], more);
    play(9, 2, [comment(3, 10), comment(4, 15)], more);
    play(14, 1, [comment(4, 15)]);
    expect(await ids(10)).toEqual(['1', '2', '3', '4']);
  });

  test('are at most 50 pages, the oldest ones', async () => {
    for (let page = 1; page <= 50; page += 1) play(9, page, [comment(page, 10)], more);
    expect(await ids(10)).toHaveLength(50);
  });

  test('are unknown, not fewer, where a page is no answer', async () => {
    play(9, 1, [comment(1, 10)], more);
    nock(API).get(`${REPO}/issues/comments`).query({ page: 2 }).reply(502, 'Bad gateway');
    nock(API).get(`${REPO}/issues/comments`).query(true).reply(502, 'Bad gateway');
    await expect(read(10)).rejects.toMatchObject({ code: 'retryable' });
    nock.cleanAll();
  });

  test.each([
    [200, [{ id: 1 }], 'retryable'],
    [200, '<html></html>', 'retryable'],
    [404, NOT_FOUND, 'lost_access'],
    [403, FORBIDDEN, 'lost_access'],
  ])('are unknown after %i %j', async (status, body, code) => {
    nock(API).get(`${REPO}/issues/comments`).query(true).reply(status, body);
    await expect(read(10)).rejects.toMatchObject({ code });
  });
});

describe('comments of a repository that is asked again', () => {
  const at = (second: number) => new Date(Date.UTC(2026, 0, 2, 3, 4, second)).toISOString().replace('.000Z', 'Z');
  const comment = (id: number, second: number) => commentJson({ id, updated_at: at(second) });
  const LISTING = { sort: 'updated', direction: 'asc', per_page: 100, page: 1 };
  const NEWEST = { sort: 'updated', direction: 'desc', per_page: 30 };
  const next = { link: `<${API}${REPO}/issues/comments?page=2>; rel="next"` };

  function play(query: object, reply: [number, object[]?, Record<string, string>?], etag?: string) {
    const scope = nock(API)
      .get(`${REPO}/issues/comments`)
      .query({ ...query });
    return (etag === undefined ? scope : scope.matchHeader('if-none-match', etag)).reply(...reply);
  }

  function asking() {
    const { reader } = asToken();
    return async (second: number) =>
      (await reader.readComments(REPOSITORY, new Date(at(second)))).map(({ id }) => Number(id));
  }

  test('cost one request, and none of the rate limit while nothing changes', async () => {
    const ids = asking();
    play({ ...LISTING, since: at(9) }, [200, [comment(1, 10)]]);
    expect(await ids(10)).toEqual([1]);
    play(NEWEST, [200, [comment(3, 21), comment(2, 20), comment(1, 10)], { etag: '"a"', ...next }]);
    expect(await ids(20)).toEqual([2, 3]);
    play(NEWEST, [304], '"a"');
    expect(await ids(21)).toEqual([]);
    play(NEWEST, [304], '"a"');
    expect(await ids(22)).toEqual([]);
    play(NEWEST, [200, [comment(4, 23), comment(3, 21)], { etag: '"b"', ...next }], '"a"');
    expect(await ids(23)).toEqual([4]);
  });

  test('are listed whole where more have changed than the newest ones', async () => {
    const ids = asking();
    play({ ...LISTING, since: at(9) }, [200, []]);
    await ids(10);
    play(NEWEST, [200, [comment(4, 24), comment(3, 23)], { etag: '"a"', ...next }]);
    play({ ...LISTING, since: at(19) }, [200, [comment(2, 22), comment(3, 23), comment(4, 24)]]);
    expect(await ids(20)).toEqual([2, 3, 4]);
  });

  test('are told again to somebody who asks from the same place again, since they have not been kept', async () => {
    const ids = asking();
    play({ ...LISTING, since: at(9) }, [200, []]);
    await ids(10);
    play(NEWEST, [200, [comment(1, 20)], { etag: '"a"' }]);
    expect(await ids(20)).toEqual([1]);
    play({ ...LISTING, since: at(19) }, [200, [comment(1, 20)]]);
    expect(await ids(20)).toEqual([1]);
  });
});

describe('who we are', () => {
  test('is the App’s bot and its slug', async () => {
    nock(API).get('/app').reply(200, { id: 1, slug: 'standdown' });
    expect(await asApp().reader.self()).toEqual({ login: 'standdown[bot]', app: 'standdown' });
  });

  test('is the token’s owner, who has no slug, and is asked for once', async () => {
    nock(API).get('/user').reply(200, { login: 'robin' });
    const { reader } = asToken();
    expect(await reader.self()).toEqual({ login: 'robin', app: null });
    expect(await reader.self()).toEqual({ login: 'robin', app: null });
  });

  test('is unknown where GitHub does not say, and asked again', async () => {
    nock(API).get('/user').reply(503, 'Unavailable');
    const { reader } = asToken();
    await expect(reader.self()).rejects.toMatchObject({ code: 'retryable' });
    nock(API).get('/user').reply(200, { login: 'robin' });
    expect(await reader.self()).toMatchObject({ login: 'robin' });
  });
});

test('an installation’s token is what commands are read with', async () => {
  playToken();
  nock(API)
    .get(`${REPO}/issues/comments/77`)
    .matchHeader('authorization', /^token ghs_/)
    .reply(200, commentJson());
  expect(await asApp().reader.readComment(REPOSITORY, '77')).toMatchObject({ id: '77' });
});
