import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ask, makeJwt, makeStarter, takeInstallationToken } from './support.ts';

const start = makeStarter();

describe('the app itself', () => {
  test('is known by a token that its own key signed', async () => {
    const github = await start();
    const reply = await ask(github, 'GET /app', { token: makeJwt(github) });
    expect(reply).toMatchObject({ status: 200, json: { id: github.appId, slug: 'standdown', installations_count: 1 } });
  });

  test.each([
    ['signed by another key', (): [object, string] => [{}, otherKey()]],
    ['of another app', (): [object, undefined] => [{ iss: 1 }, undefined]],
    ['that lives longer than ten minutes', (): [object, undefined] => [{ iat: -30, exp: 571 }, undefined]],
    ['that has expired', (): [object, undefined] => [{ iat: -300, exp: -1 }, undefined]],
    ['issued in the future', (): [object, undefined] => [{ iat: 120, exp: 500 }, undefined]],
  ])('is refused with a token %s', async (_, make) => {
    const github = await start();
    const [claims, key] = make();
    const reply = await ask(github, 'GET /app', { token: makeJwt(github, claims, key) });
    expect(reply.status).toBe(401);
  });

  test('and everybody else finds out what an app declares', async () => {
    const github = await start();
    github.addApp('gardener', { permissions: { issues: 'write', metadata: 'read' } });
    for (const token of [makeJwt(github), await takeInstallationToken(github), github.addToken('ann')]) {
      const { json } = await ask(github, 'GET /apps/gardener', { token });
      expect(json).toMatchObject({ slug: 'gardener', permissions: { issues: 'write' } });
      expect((await ask(github, 'GET /apps/standdown', { token })).json.id).toBe(github.appId);
      expect((await ask(github, 'GET /apps/nobody', { token })).status).toBe(404);
    }
  });

  test('finds its installations, one by one and by repository', async () => {
    const github = await start();
    const token = makeJwt(github);
    github.addRepository('other/things', { installed: false });
    expect((await ask(github, 'GET /app/installations', { token })).list).toMatchObject([
      { id: github.installationId },
    ]);
    const path = `/app/installations/${github.installationId}`;
    expect((await ask(github, `GET ${path}`, { token })).json).toMatchObject({ account: { login: 'acme' } });
    expect((await ask(github, 'GET /repos/acme/widgets/installation', { token })).json.id).toBe(github.installationId);
    expect((await ask(github, 'GET /repos/other/things/installation', { token })).status).toBe(404);
    expect((await ask(github, 'GET /app/hook/config', { token })).status).toBe(200);
  });
});

describe("an installation's token", () => {
  test('is good for its repositories until it expires', async () => {
    let now = Date.now();
    const github = await start({ now: () => new Date(now), tokenLifetimeSeconds: 60 });
    const token = await takeInstallationToken(github);
    const reply = await ask(github, 'GET /installation/repositories', { token });
    expect(reply.json).toMatchObject({ total_count: 1, repositories: [{ full_name: 'acme/widgets' }] });
    now += 60_000;
    expect(await ask(github, 'GET /installation/repositories', { token })).toMatchObject({
      status: 401,
      json: { message: 'Bad credentials' },
    });
  });

  test('can be narrowed to repositories and permissions', async () => {
    const github = await start();
    const other = github.addRepository('acme/secrets', { private: true });
    github.addIssue('acme/widgets');
    const token = await takeInstallationToken(github, { repositories: ['widgets'], permissions: { issues: 'read' } });
    expect((await ask(github, 'GET /repos/acme/widgets/issues/1', { token })).status).toBe(200);
    expect((await ask(github, 'GET /repos/acme/secrets', { token })).status).toBe(404);
    const comment = { token, body: { body: 'hello' } };
    expect((await ask(github, 'POST /repos/acme/widgets/issues/1/comments', comment)).status).toBe(403);
    const everything = await takeInstallationToken(github, { repository_ids: [other.id] });
    expect((await ask(github, 'GET /repos/acme/secrets', { token: everything })).status).toBe(200);
  });

  test('is refused where nothing of the kind was granted', async () => {
    const github = await start({ permissions: { metadata: 'read' } });
    github.addIssue('acme/widgets');
    const token = await takeInstallationToken(github);
    const reply = await ask(github, 'GET /repos/acme/widgets/issues/1', { token });
    expect(reply).toMatchObject({ status: 403, json: { message: 'Resource not accessible by integration' } });
    const path = `/app/installations/${github.installationId}/access_tokens`;
    const wish = { token: makeJwt(github), body: { permissions: { issues: 'write' } } };
    expect((await ask(github, `POST ${path}`, wish)).status).toBe(422);
  });

  test('reads another account’s public repository, but writes nothing there', async () => {
    const github = await start();
    github.addRepository('other/things', { installed: false });
    github.addIssue('other/things');
    const token = await takeInstallationToken(github);
    expect((await ask(github, 'GET /repos/other/things/issues/1', { token })).status).toBe(200);
    const comment = { token, body: { body: 'hello' } };
    expect((await ask(github, 'POST /repos/other/things/issues/1/comments', comment)).status).toBe(403);
    expect(github.comments('other/things', 1)).toEqual([]);
  });

  test('dies with the installation, and rests while that is suspended', async () => {
    const github = await start();
    const token = await takeInstallationToken(github);
    github.installation.suspend({ by: 'ann' });
    expect((await ask(github, 'GET /repos/acme/widgets', { token })).status).toBe(403);
    github.installation.unsuspend({ by: 'ann' });
    expect((await ask(github, 'GET /repos/acme/widgets', { token })).status).toBe(200);
    github.installation.uninstall({ by: 'ann' });
    expect((await ask(github, 'GET /repos/acme/widgets', { token })).status).toBe(401);
    expect((await ask(github, 'GET /repos/acme/widgets/installation', { token: makeJwt(github) })).status).toBe(404);
  });
});

describe('a personal token', () => {
  test('acts as its person, within what that person may', async () => {
    const github = await start();
    const token = github.addToken('ann');
    github.addIssue('acme/widgets', { by: 'bob' });
    expect((await ask(github, 'GET /user', { token })).json.login).toBe('ann');
    const closing = { token, body: { state: 'closed' } };
    expect((await ask(github, 'PATCH /repos/acme/widgets/issues/1', closing)).status).toBe(403);
    github.setPermission('acme/widgets', 'ann', 'triage');
    const closed = await ask(github, 'PATCH /repos/acme/widgets/issues/1', closing);
    expect(closed.json).toMatchObject({ state: 'closed', closed_by: { login: 'ann' } });
  });

  test('is no use where the app itself is asked for, nor is an installation where a person is', async () => {
    const github = await start();
    expect((await ask(github, 'GET /app', { token: github.addToken('ann') })).status).toBe(401);
    expect((await ask(github, 'GET /user', { token: await takeInstallationToken(github) })).status).toBe(403);
  });
});

test('nobody is let in without credentials or with made-up ones', async () => {
  const github = await start();
  expect((await ask(github, 'GET /repos/acme/widgets')).status).toBe(401);
  expect((await ask(github, 'GET /repos/acme/widgets', { token: 'ghs_invented' })).status).toBe(401);
});

function otherKey(): string {
  return generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
}
