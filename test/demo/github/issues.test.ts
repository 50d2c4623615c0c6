import { describe, expect, test } from 'vitest';
import type { StandInGitHub } from '../../../src/demo/github/index.ts';
import { ask, makeStarter, type Reply, takeInstallationToken } from './support.ts';

const start = makeStarter();
const ISSUES = '/repos/acme/widgets/issues';

async function startWithToken(options = {}): Promise<{ github: StandInGitHub; token: string }> {
  const github = await start(options);
  return { github, token: await takeInstallationToken(github) };
}

function numbers(reply: Reply): unknown[] {
  return reply.list.map((issue) => issue.number);
}

describe('an issue', () => {
  test('is closed and reopened by the API with its reason, its closer and whole seconds', async () => {
    const { github, token } = await startWithToken({ now: () => new Date('2026-11-29T12:00:00.987Z') });
    github.addIssue('acme/widgets');
    const closing = { token, body: { state: 'closed', state_reason: 'not_planned' } };
    expect((await ask(github, `PATCH ${ISSUES}/1`, closing)).json).toMatchObject({
      state: 'closed',
      state_reason: 'not_planned',
      closed_at: '2026-11-29T12:00:00Z',
      closed_by: { login: 'standdown[bot]' },
    });
    expect((await ask(github, `PATCH ${ISSUES}/1`, { token, body: { state: 'open' } })).json).toMatchObject({
      state: 'open',
      state_reason: 'reopened',
      closed_at: null,
      closed_by: null,
    });
  });

  test('that is closed is not closed again by the API, whatever the reason', async () => {
    const { github, token } = await startWithToken();
    github.addIssue('acme/widgets').close({ by: 'ann', reason: 'not_planned' });
    const closing = { token, body: { state: 'closed', state_reason: 'completed' } };
    const again = await ask(github, `PATCH ${ISSUES}/1`, closing);
    expect(again.json).toMatchObject({ state_reason: 'not_planned', closed_by: { login: 'ann' } });
    expect((await ask(github, `GET ${ISSUES}/1/events`, { token })).list).toHaveLength(1);
  });

  test.each(['completed', 'not_planned', 'duplicate', null] as const)('closes for %s', async (reason) => {
    const { github, token } = await startWithToken();
    github.addIssue('acme/widgets').close({ by: 'ann', reason });
    const reply = await ask(github, `GET ${ISSUES}/1`, { token });
    expect(reply.json).toMatchObject({ state: 'closed', state_reason: reason });
  });

  test('is created, renamed and rewritten by the API, and refused without a title', async () => {
    const { github, token } = await startWithToken();
    const made = await ask(github, `POST ${ISSUES}`, { token, body: { title: 'One', body: 'text' } });
    expect(made).toMatchObject({ status: 201, json: { number: 1, user: { login: 'standdown[bot]' } } });
    const renamed = await ask(github, `PATCH ${ISSUES}/1`, { token, body: { title: 'Two', body: 'more' } });
    expect(renamed.json).toMatchObject({ title: 'Two', body: 'more' });
    expect((await ask(github, `POST ${ISSUES}`, { token, body: { title: ' ' } })).status).toBe(422);
  });

  test('tells who closed and reopened it, in the order of events', async () => {
    const { github, token } = await startWithToken();
    const issue = github.addIssue('acme/widgets');
    issue.close({ by: 'ann', reason: 'duplicate' });
    issue.reopen({ by: 'bob' });
    const events = await ask(github, `GET ${ISSUES}/1/events`, { token });
    expect(events.list).toMatchObject([
      { event: 'closed', actor: { login: 'ann' }, state_reason: 'duplicate' },
      { event: 'reopened', actor: { login: 'bob' } },
    ]);
  });

  test('answers 410 once deleted, 404 where it never was, and 301 to where it went', async () => {
    const { github, token } = await startWithToken();
    const other = github.addRepository('acme/gadgets');
    github.addIssue('acme/widgets').delete({ by: 'ann' });
    const moving = github.addIssue('acme/widgets', { title: 'Moving' });
    moving.comment({ by: 'ann', body: 'with me' });
    expect(moving.transfer('acme/gadgets', { by: 'ann' }).number).toBe(1);

    expect((await ask(github, `GET ${ISSUES}/1`, { token })).status).toBe(410);
    expect((await ask(github, `GET ${ISSUES}/99`, { token })).status).toBe(404);
    const moved = await ask(github, `GET ${ISSUES}/2`, { token });
    const location = `${github.apiUrl}/repositories/${other.id}/issues/1`;
    expect(moved).toMatchObject({ status: 301, json: { message: 'Moved Permanently', url: location } });
    expect(moved.headers.get('location')).toBe(location);
    expect((await ask(github, `GET ${location}`, { token })).json).toMatchObject({ title: 'Moving', comments: 1 });
    expect(github.findIssue('acme/widgets', 2)).toBeUndefined();
  });

  test('names what blocks it and what it blocks', async () => {
    const { github, token } = await startWithToken();
    github.addIssue('acme/widgets');
    const waiting = github.addIssue('acme/widgets');
    waiting.blockBy({ by: 'ann', number: 1 });
    expect(numbers(await ask(github, `GET ${ISSUES}/2/dependencies/blocked_by`, { token }))).toEqual([1]);
    expect(numbers(await ask(github, `GET ${ISSUES}/1/dependencies/blocking`, { token }))).toEqual([2]);
    waiting.unblockBy({ by: 'ann', number: 1 });
    expect(numbers(await ask(github, `GET ${ISSUES}/2/dependencies/blocked_by`, { token }))).toEqual([]);
  });

  test('is blocked and unblocked through the API, by the id of an issue of any repository that is seen', async () => {
    const { github, token } = await startWithToken();
    github.addRepository('acme/gadgets', { private: true });
    github.addIssue('acme/gadgets');
    github.addRepository('elsewhere/secret', { private: true });
    github.addIssue('elsewhere/secret');
    const updated = github.addIssue('acme/widgets') && github.findIssue('acme/widgets', 1)?.updatedAt;
    const idOf = (repository: string) => github.findIssue(repository, 1)?.id;
    const blockedBy = `${ISSUES}/1/dependencies/blocked_by`;
    const add = (issue_id: unknown) => ask(github, `POST ${blockedBy}`, { token, body: { issue_id } });

    expect((await add(idOf('acme/gadgets'))).status).toBe(201);
    expect((await ask(github, `GET ${ISSUES}/1`, { token })).json).toMatchObject({
      issue_dependencies_summary: { blocked_by: 1, total_blocked_by: 1 },
    });
    github.issue('acme/gadgets', 1).close({ by: 'ann' });
    expect((await ask(github, `GET ${ISSUES}/1`, { token })).json).toMatchObject({
      issue_dependencies_summary: { blocked_by: 0, total_blocked_by: 1 },
    });
    expect((await add(idOf('acme/gadgets'))).status).toBe(422);
    expect((await add(idOf('acme/widgets'))).status).toBe(422);
    expect((await add(idOf('elsewhere/secret'))).status).toBe(404);
    expect((await ask(github, `DELETE ${blockedBy}/${idOf('acme/gadgets')}`, { token })).status).toBe(200);
    expect((await ask(github, `DELETE ${blockedBy}/${idOf('acme/gadgets')}`, { token })).status).toBe(404);
    expect((await ask(github, `GET ${blockedBy}`, { token })).list).toEqual([]);
    expect(github.findIssue('acme/widgets', 1)?.updatedAt).toBe(updated);
    expect((await ask(github, `GET ${ISSUES}/1/timeline`, { token })).list).toMatchObject([
      { event: 'blocked_by_added', blocked_by: { number: 1, repository: { full_name: 'acme/gadgets' } } },
      { event: 'blocked_by_removed', actor: { login: 'standdown[bot]' } },
    ]);
  });

  test('has a timeline of events and comments as they happened', async () => {
    const { github, token } = await startWithToken();
    const issue = github.addIssue('acme/widgets');
    issue.comment({ by: 'ann', body: 'hello' });
    issue.close({ by: 'ben' });
    issue.comment({ by: 'cleo', body: 'thanks' });
    const { list } = await ask(github, `GET ${ISSUES}/1/timeline?per_page=2`, { token });
    expect(list).toMatchObject([{ event: 'commented', actor: { login: 'ann' } }, { event: 'closed' }]);
    expect((await ask(github, `GET ${ISSUES}/1/timeline?per_page=2&page=2`, { token })).list).toMatchObject([
      { event: 'commented', body: 'thanks' },
    ]);
  });
});

describe('GraphQL', () => {
  test('refuses a query that the stand-in does not know, and variables that are none', async () => {
    const { github, token } = await startWithToken();
    const query = 'query { viewer { login } }';
    const reply = await ask(github, `POST ${github.url}/api/graphql`, { token, body: { query } });
    expect(reply).toMatchObject({ status: 200, json: { errors: [{ message: expect.stringContaining('not know') }] } });
    expect((await ask(github, `POST ${github.url}/api/graphql`, { body: { query } })).status).toBe(401);
  });
});

describe('the listing of issues', () => {
  test('shows open ones, newest first, pull requests among them', async () => {
    const { github, token } = await startWithToken();
    github.addIssue('acme/widgets').close({ by: 'ann' });
    github.addIssue('acme/widgets');
    github.addIssue('acme/widgets', { isPullRequest: true });
    const open = await ask(github, `GET ${ISSUES}`, { token });
    expect(numbers(open)).toEqual([3, 2]);
    expect(open.list[0]).toHaveProperty('pull_request');
    expect(numbers(await ask(github, `GET ${ISSUES}?state=closed`, { token }))).toEqual([1]);
    expect(numbers(await ask(github, `GET ${ISSUES}?state=all&direction=asc`, { token }))).toEqual([1, 2, 3]);
  });

  test('begins where `since` says, counting comments as updates', async () => {
    let now = Date.parse('2026-11-29T12:00:00Z');
    const { github, token } = await startWithToken({ now: () => new Date(now), tokenLifetimeSeconds: 86_400 });
    const first = github.addIssue('acme/widgets');
    now += 60_000;
    github.addIssue('acme/widgets');
    const recent = `GET ${ISSUES}?since=2026-11-29T12:01:00Z&sort=updated&direction=asc`;
    expect(numbers(await ask(github, recent, { token }))).toEqual([2]);
    now += 60_000;
    first.comment({ by: 'ann', body: 'still there' });
    expect(numbers(await ask(github, recent, { token }))).toEqual([2, 1]);
  });

  test('comes in pages that link to each other by the repository’s id', async () => {
    const { github, token } = await startWithToken();
    for (let number = 1; number <= 5; number += 1) github.addIssue('acme/widgets');
    const first = await ask(github, `GET ${ISSUES}?per_page=2&direction=asc`, { token });
    expect(numbers(first)).toEqual([1, 2]);
    const links = readLinks(first);
    expect(links.next).toMatch(/\/repositories\/\d+\/issues\?per_page=2&direction=asc&page=2$/);
    const last = await ask(github, `GET ${links.last}`, { token });
    expect(numbers(last)).toEqual([5]);
    expect(Object.keys(readLinks(last))).toEqual(['prev', 'first']);
    expect((await ask(github, `GET ${ISSUES}`, { token })).headers.get('link')).toBeNull();
  });
});

describe('a renamed repository', () => {
  test('answers under its old name with where it is, until another one takes the name', async () => {
    const { github, token } = await startWithToken();
    github.addIssue('acme/widgets');
    github.renameRepository('acme/widgets', 'things');
    const moved = await ask(github, `GET ${ISSUES}?state=all`, { token });
    expect(moved.status).toBe(301);
    expect(numbers(await ask(github, `GET ${moved.headers.get('location')}`, { token }))).toEqual([1]);
    const comment = { token, body: { body: 'hello' } };
    expect((await ask(github, `POST ${ISSUES}/1/comments`, comment)).status).toBe(307);
    expect((await ask(github, 'GET /repos/acme/things', { token })).json.full_name).toBe('acme/things');
    github.addRepository('acme/widgets');
    expect((await ask(github, `GET ${ISSUES}/1`, { token })).status).toBe(404);
  });
});

function readLinks(reply: Reply): Record<string, string> {
  const links = [...(reply.headers.get('link') ?? '').matchAll(/<([^>]+)>; rel="(\w+)"/g)];
  return Object.fromEntries(links.map(([, url, rel]) => [rel, url]));
}
