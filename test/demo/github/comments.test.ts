import { describe, expect, test } from 'vitest';
import { ask, makeStarter, takeInstallationToken } from './support.ts';

const start = makeStarter();
const REPOSITORY = '/repos/acme/widgets';
const COMMENTS = `${REPOSITORY}/issues/1/comments`;

describe('a comment', () => {
  test('is made, changed and removed by the app', async () => {
    const github = await start();
    github.addIssue('acme/widgets');
    const token = await takeInstallationToken(github);
    const made = await ask(github, `POST ${COMMENTS}`, { token, body: { body: 'one' } });
    expect(made).toMatchObject({ status: 201, json: { performed_via_github_app: { slug: 'standdown' } } });
    const one = `${REPOSITORY}/issues/comments/${made.json.id}`;
    expect((await ask(github, `PATCH ${one}`, { token, body: { body: 'two' } })).status).toBe(200);
    expect((await ask(github, `GET ${one}`, { token })).json.body).toBe('two');
    expect(github.comments('acme/widgets', 1)).toMatchObject([{ body: 'two' }]);
    expect((await ask(github, `DELETE ${one}`, { token })).status).toBe(204);
    expect((await ask(github, `PATCH ${one}`, { token, body: { body: 'three' } })).status).toBe(404);
    expect(github.comments('acme/widgets', 1)).toEqual([]);
  });

  test('may not be empty, too long, or on an issue that is deleted', async () => {
    const github = await start();
    const issue = github.addIssue('acme/widgets');
    const token = await takeInstallationToken(github);
    expect((await ask(github, `POST ${COMMENTS}`, { token, body: { body: '' } })).status).toBe(422);
    const long = { token, body: { body: 'x'.repeat(65_537) } };
    expect((await ask(github, `POST ${COMMENTS}`, long)).status).toBe(422);
    issue.delete({ by: 'ann' });
    expect((await ask(github, `POST ${COMMENTS}`, { token, body: { body: 'late' } })).status).toBe(410);
  });

  test('on a locked issue is for people who write, never for an app, and nobody reacts there', async () => {
    const github = await start();
    const issue = github.addIssue('acme/widgets');
    const { id } = issue.comment({ by: 'ann', body: '/task cancel' });
    issue.lock({ by: 'ann', reason: 'spam' });
    const [stranger, writer] = [github.addToken('eve'), github.addToken('bob')];
    github.setPermission('acme/widgets', 'bob', 'write');
    const body = { body: 'hello' };
    expect((await ask(github, `POST ${COMMENTS}`, { token: stranger, body })).status).toBe(403);
    expect((await ask(github, `POST ${COMMENTS}`, { token: writer, body })).status).toBe(201);
    const app = await takeInstallationToken(github);
    expect((await ask(github, `POST ${COMMENTS}`, { token: app, body })).status).toBe(403);
    const reactions = `${REPOSITORY}/issues/comments/${id}/reactions`;
    for (const token of [app, writer]) {
      expect((await ask(github, `POST ${reactions}`, { token, body: { content: 'eyes' } })).status).toBe(403);
    }
    issue.unlock({ by: 'ann' });
    expect((await ask(github, `POST ${COMMENTS}`, { token: app, body })).status).toBe(201);
    expect((await ask(github, `POST ${reactions}`, { token: app, body: { content: 'eyes' } })).status).toBe(201);
  });

  test('carries each reaction of a person once', async () => {
    const github = await start();
    const { id } = github.addIssue('acme/widgets').comment({ by: 'ann', body: '/task cancel' });
    const token = await takeInstallationToken(github);
    const reactions = `${REPOSITORY}/issues/comments/${id}/reactions`;
    const first = await ask(github, `POST ${reactions}`, { token, body: { content: 'eyes' } });
    const again = await ask(github, `POST ${reactions}`, { token, body: { content: 'eyes' } });
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.json.id).toBe(first.json.id);
    expect((await ask(github, `GET ${reactions}`, { token })).list).toHaveLength(1);
    expect((await ask(github, `DELETE ${reactions}/${first.json.id}`, { token })).status).toBe(204);
    expect(github.comments('acme/widgets', 1)[0]?.reactions).toEqual([]);
  });
});

test('a comment shows the app that it was made through, by its bot or for a person', async () => {
  const github = await start();
  github.addApp('helper');
  const issue = github.addIssue('acme/widgets');
  issue.comment({ by: 'ann', body: 'a' });
  issue.comment({ by: 'ann', body: 'b', via: 'helper' });
  issue.comment({ by: 'helper[bot]', body: 'c' });
  issue.comment({ by: 'unheard-of[bot]', body: 'd' });
  expect(() => issue.comment({ by: 'ann', body: 'e', via: 'unheard-of' })).toThrow('no app unheard-of');
  const { list } = await ask(github, `GET ${COMMENTS}`, { token: github.addToken('ann') });
  const via = (app: unknown) => (app === null ? null : expect.objectContaining({ slug: app }));
  expect(list).toMatchObject([
    { user: { type: 'User' }, performed_via_github_app: via(null) },
    { user: { type: 'User' }, performed_via_github_app: via('helper') },
    { user: { type: 'Bot' }, performed_via_github_app: via('helper') },
    { user: { type: 'Bot' }, performed_via_github_app: via(null) },
  ]);
});

describe('listings of comments', () => {
  test('show an issue’s and a repository’s, from `since` on, in pages', async () => {
    let now = Date.parse('2026-11-29T12:00:00Z');
    const github = await start({ now: () => new Date(now), tokenLifetimeSeconds: 86_400 });
    const token = github.addToken('ann');
    const [one, two] = [github.addIssue('acme/widgets'), github.addIssue('acme/widgets')];
    const old = one.comment({ by: 'ann', body: 'a' });
    now += 60_000;
    two.comment({ by: 'ann', body: 'b' });
    one.comment({ by: 'ann', body: 'c' });
    const bodies = async (path: string) => (await ask(github, `GET ${path}`, { token })).list.map(({ body }) => body);
    expect(await bodies(COMMENTS)).toEqual(['a', 'c']);
    expect(await bodies(`${COMMENTS}?per_page=1&page=2`)).toEqual(['c']);
    expect(await bodies(`${REPOSITORY}/issues/comments?since=2026-11-29T12:01:00Z`)).toEqual(['b', 'c']);
    expect(await bodies(`${REPOSITORY}/issues/comments?direction=desc`)).toEqual(['a', 'b', 'c']);
    now += 60_000;
    one.editComment(old.id, { by: 'ann', body: 'A' });
    expect(await bodies(`${REPOSITORY}/issues/comments?sort=updated&direction=desc`)).toEqual(['A', 'c', 'b']);
  });
});

test('a comment counts as an update of its issue, a reaction does not', async () => {
  let now = Date.parse('2026-11-29T12:00:00Z');
  const github = await start({ now: () => new Date(now), tokenLifetimeSeconds: 86_400 });
  const token = github.addToken('ann');
  const issue = github.addIssue('acme/widgets');
  now += 60_000;
  const { id } = issue.comment({ by: 'ann', body: 'a' });
  now += 60_000;
  await ask(github, `POST ${REPOSITORY}/issues/comments/${id}/reactions`, { token, body: { content: 'rocket' } });
  const { json } = await ask(github, `GET ${REPOSITORY}/issues/1`, { token });
  expect(json.updated_at).toBe('2026-11-29T12:01:00Z');
});
