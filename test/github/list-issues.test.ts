/** Listings and sights that are not what they should be. */
import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { API, asToken, issueJson, NOT_FOUND, playGitHub, playRepository, REPOSITORY } from './support.ts';

playGitHub();

const SINCE = new Date('2026-01-01T00:00:00Z');
const list = (validator: string | null = null) => asToken().reader.listIssues(REPOSITORY, SINCE, validator);

function playList(status: number, body: nock.Body, headers = {}) {
  return nock(API)
    .get('/repos/acme/widgets/issues')
    .query({
      state: 'all',
      sort: 'updated',
      direction: 'asc',
      per_page: 100,
      page: 1,
      since: '2025-12-31T23:59:59Z',
    })
    .reply(status, body, headers);
}

const at = (second: number) => ({ updated_at: `2026-01-02T03:04:0${second}Z` });

describe('a listing', () => {
  test('with an item that is no issue hides no other, and is asked for again from before it', async () => {
    const broken = { ...at(7), number: 'twelve', state: 'open' };
    playList(200, [issueJson({ number: 1, ...at(6) }), broken, issueJson({ number: 2, ...at(8) })], { etag: 'W/"1"' });
    const listing = await list();
    const newest = new Date('2026-01-02T03:04:06Z');
    expect(listing).toMatchObject({ unreadable: [], newest, isWhole: true, validator: null });
    expect(listing.found === 'issues' && listing.issues.map(({ number }) => number)).toEqual([1, 2]);
  });

  test('goes on behind an issue that it shows unreadable, which is left to its own answer', async () => {
    const broken = issueJson({ number: 1, closed_at: null, ...at(6) });
    const etag = { etag: 'W/"1"' };
    playList(200, [broken, issueJson({ number: 2, ...at(6) }), issueJson({ number: 3, ...at(7) })], etag);
    const unreadable = [{ number: 1, updatedAt: new Date('2026-01-02T03:04:06Z') }];
    const issues = [{ number: 2 }, { number: 3 }];
    const newest = new Date('2026-01-02T03:04:07Z');
    const validator = expect.stringContaining('W/"1"');
    expect(await list()).toMatchObject({ issues, unreadable, newest, isWhole: true, validator });
  });

  test('that begins with an item that nobody can name does not go on', async () => {
    const broken = issueJson({ number: 'twelve', ...at(6) });
    playList(200, [broken, issueJson({ number: 3, ...at(7) })], { etag: 'W/"1"' });
    expect(await list()).toMatchObject({ issues: [{ number: 3 }], unreadable: [], newest: null, validator: null });
  });

  test('with many items that are no issues is no answer', async () => {
    const broken = Array.from({ length: 11 }, (_, index) => issueJson({ number: index + 1, title: null, ...at(6) }));
    playList(200, [...broken, issueJson({ number: 12, ...at(7) })]);
    await expect(list()).rejects.toMatchObject({ code: 'retryable', message: expect.stringContaining('11 of') });
  });

  test('counts a pull request for how far it came, whatever else that looks like', async () => {
    playList(200, [issueJson({ number: 1, ...at(6) }), { number: 2, pull_request: {}, ...at(8) }], { etag: 'W/"1"' });
    expect(await list()).toMatchObject({
      issues: [{ number: 1 }],
      newest: new Date('2026-01-02T03:04:08Z'),
      validator: expect.any(String),
    });
  });

  test('that promises more for ever is no answer', async () => {
    const link = `<${API}/repositories/101/issues?page=2>; rel="next"`;
    nock(API).persist().get('/repos/acme/widgets/issues').query(true).reply(200, [], { link });
    await expect(list()).rejects.toMatchObject({ code: 'retryable' });
  });

  test('that is empty is a listing like any other', async () => {
    playList(200, [], { etag: 'W/"1"' });
    expect(await list()).toEqual({
      found: 'issues',
      issues: [],
      unreadable: [],
      newest: null,
      isWhole: true,
      validator: expect.stringContaining('W/"1"'),
    });
  });

  test.each([
    ['a page of a proxy', '<html>welcome</html>'],
    ['half an answer', '[{"number": 1'],
    ['an object', { message: 'hello' }],
    ['items without a time', [{ number: 1 }]],
    ['items of nothing', [null]],
  ])('that is %s is no answer', async (_, body) => {
    playList(200, body as nock.Body);
    await expect(list()).rejects.toMatchObject({ code: 'retryable' });
  });

  test('that is said to be unchanged though nobody asked so is no answer', async () => {
    playList(304, '');
    await expect(list()).rejects.toMatchObject({ code: 'retryable' });
  });

  test('asks by a validator of its own token alone', async () => {
    playList(200, [issueJson()], { etag: 'W/"1"' });
    const first = await list();
    const validator = first.found === 'issues' ? first.validator : null;
    nock(API, { reqheaders: { 'if-none-match': 'W/"1"' } })
      .get('/repos/acme/widgets/issues')
      .query(true)
      .reply(304);
    expect(await list(validator)).toEqual({ found: 'unchanged' });
    nock(API, { badheaders: ['if-none-match'] })
      .get('/repos/acme/widgets/issues')
      .query(true)
      .reply(200, []);
    expect(await list('another-token W/"1"')).toMatchObject({ found: 'issues' });
  });

  test('of a repository whose issues are switched off says nothing about any of them', async () => {
    playList(410, { message: 'Issues are disabled for this repo' });
    playRepository({ has_issues: false });
    await expect(list()).rejects.toMatchObject({ code: 'lost_access' });
  });

  test('of a repository that is out of reach is lost access', async () => {
    playList(404, NOT_FOUND);
    await expect(list()).rejects.toMatchObject({ code: 'lost_access' });
  });
});

describe('a sight', () => {
  const sight = (ids: string[]) => asToken().reader.sightIssues(REPOSITORY, ids);
  const node = (facts = {}) => ({
    __typename: 'Issue',
    id: 'I_1',
    number: 1,
    state: 'OPEN',
    stateReason: 'REOPENED',
    closedAt: null,
    updatedAt: '2026-01-02T03:04:05Z',
    locked: false,
    repository: { databaseId: 101 },
    blockedBy: { totalCount: 0, nodes: [] },
    ...facts,
  });
  const play = (answer: object | string, status = 200) => nock(API).post('/graphql').reply(status, answer);
  const error = (index: number, type: string) => ({ type, path: ['nodes', index], message: 'no' });

  test.each([
    ['missing, by its own word', null, [error(0, 'NOT_FOUND')], { sight: 'missing' }],
    ['missing, as something else bears its id', { __typename: 'PullRequest' }, [], { sight: 'missing' }],
    ['without an answer, forbidden', null, [error(0, 'FORBIDDEN')], undefined],
    ['without an answer and a word', null, [], undefined],
    ['without an answer, by the error of another', null, [error(1, 'NOT_FOUND')], undefined],
    ['without an answer, in half', { ...node(), state: 'ASLEEP' }, [], undefined],
    ['without an answer, closed at no time', node({ state: 'CLOSED' }), [], undefined],
    ['blocked by more than are told', node({ blockedBy: { totalCount: 51, nodes: [] } }), [], { blockedBy: null }],
    [
      'blocked by one that may not be seen',
      node({ blockedBy: { totalCount: 1, nodes: [null] } }),
      [],
      { blockedBy: null },
    ],
    ['of another repository', node({ repository: { databaseId: 9 } }), [], { repositoryId: '9' }],
  ])('of an issue is %s, and the next one is told', async (_, first, errors, expected) => {
    play({ data: { nodes: [first, node({ id: 'I_2', number: 2 })] }, ...(errors.length === 0 ? {} : { errors }) });
    const sights = await sight(['I_1', 'I_2']);
    if (expected === undefined) expect(sights.has('I_1')).toBe(false);
    else expect(sights.get('I_1')).toMatchObject(expected);
    expect(sights.get('I_2')).toMatchObject({ sight: 'issue', number: 2, state: 'open', reason: 'unknown' });
  });

  test.each([
    ['nothing', { data: null, errors: [{ message: 'Something went wrong' }] }, 'retryable'],
    ['fewer than were asked for', { data: { nodes: [] } }, 'retryable'],
    ['a rate limit', { errors: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }] }, 'throttled'],
    ['that it may not', { errors: [{ type: 'FORBIDDEN', message: 'Resource not accessible' }] }, 'lost_access'],
    ['a page of a proxy', '<html></html>', 'retryable'],
  ])('that tells %s is no answer', async (_, answer, code) => {
    play(answer);
    await expect(sight(['I_1'])).rejects.toMatchObject({ code });
  });

  test('of no issues asks for nothing', async () => {
    expect(await sight([])).toEqual(new Map());
  });

  test('of a GitHub without dependencies asks without them from then on', async () => {
    const { reader } = asToken();
    play({ errors: [{ message: "Field 'blockedBy' doesn't exist on type 'Issue'" }] });
    const bodies: string[] = [];
    const without = () =>
      nock(API)
        .post('/graphql', (body) => Boolean(bodies.push(body.query)))
        .reply(200, { data: { nodes: [node({ blockedBy: undefined })] } });
    without();
    expect((await reader.sightIssues(REPOSITORY, ['I_1'])).get('I_1')).toMatchObject({ number: 1, blockedBy: null });
    without();
    await reader.sightIssues(REPOSITORY, ['I_1']);
    for (const query of bodies) expect(query).not.toContain('blockedBy');
    expect(bodies).toHaveLength(2);
  });

  test('of a close as a duplicate asks to be told so, unless this GitHub refuses', async () => {
    const { reader } = asToken();
    const bodies: string[] = [];
    const keep = (body: { query: string }) => Boolean(bodies.push(body.query));
    const closed = { state: 'CLOSED', closedAt: '2026-01-02T03:04:05Z' };
    nock(API)
      .post('/graphql', keep)
      .reply(200, { data: { nodes: [node({ ...closed, stateReason: 'DUPLICATE' })] } });
    expect((await reader.sightIssues(REPOSITORY, ['I_1'])).get('I_1')).toMatchObject({ reason: 'duplicate' });
    const refusals = [
      "Field 'stateReason' doesn't accept argument 'enableDuplicate'",
      "Field 'blockedBy' doesn't exist on type 'Issue'",
    ];
    play({ errors: refusals.map((message) => ({ message })) });
    nock(API)
      .post('/graphql', keep)
      .reply(200, { data: { nodes: [node({ ...closed, stateReason: 'NOT_PLANNED', blockedBy: undefined })] } });
    expect((await reader.sightIssues(REPOSITORY, ['I_1'])).get('I_1')).toMatchObject({ reason: 'not_planned' });
    expect(bodies[0]).toContain('stateReason(enableDuplicate: true)');
    expect(bodies[1]).not.toMatch(/enableDuplicate|blockedBy/);
  });

  test('of a GitHub without dependencies is told to all who asked for them at once', async () => {
    const { reader } = asToken();
    const lacking = { errors: [{ message: "Field 'blockedBy' doesn't exist on type 'Issue'" }] };
    const asksForThem = (body: { query: string }) => body.query.includes('blockedBy');
    nock(API).post('/graphql', asksForThem).times(2).reply(200, lacking);
    nock(API)
      .post('/graphql', (body) => !asksForThem(body))
      .times(2)
      .reply(200, { data: { nodes: [node({ blockedBy: undefined })] } });
    const both = await Promise.all([reader.sightIssues(REPOSITORY, ['I_1']), reader.sightIssues(REPOSITORY, ['I_1'])]);
    for (const sights of both) expect(sights.get('I_1')).toMatchObject({ number: 1, blockedBy: null });
  });
});
