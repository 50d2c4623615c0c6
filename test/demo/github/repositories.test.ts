import { describe, expect, test } from 'vitest';
import { ask, makeStarter, takeInstallationToken } from './support.ts';

const start = makeStarter();

describe("a person's permission", () => {
  test.each([
    ['none', 'read', 'read'],
    ['read', 'read', 'read'],
    ['triage', 'triage', 'read'],
    ['write', 'write', 'write'],
    ['maintain', 'maintain', 'write'],
    ['admin', 'admin', 'admin'],
  ] as const)(
    'given %s, is told as %s, and %s to older clients, in a public repository',
    async (role, name, legacy) => {
      const github = await start();
      github.setPermission('acme/widgets', 'ann', role);
      const token = await takeInstallationToken(github);
      const reply = await ask(github, 'GET /repos/acme/widgets/collaborators/ann/permission', { token });
      expect(reply.json).toMatchObject({ role_name: name, permission: legacy, user: { login: 'ann' } });
    },
  );

  test('in a private repository is none for a stranger', async () => {
    const github = await start();
    github.addRepository('acme/secrets', { private: true });
    github.addUser('eve');
    const token = await takeInstallationToken(github);
    const reply = await ask(github, 'GET /repos/acme/secrets/collaborators/eve/permission', { token });
    expect(reply).toMatchObject({ status: 200, json: { role_name: 'none', permission: 'none' } });
    expect((await ask(github, 'GET /repos/acme/secrets', { token: github.addToken('eve') })).status).toBe(404);
  });

  test('under a custom role bears its name beside what it is based on', async () => {
    const github = await start();
    github.setPermission('acme/widgets', 'ann', 'write', 'release-manager');
    const token = await takeInstallationToken(github);
    const { json } = await ask(github, 'GET /repos/acme/widgets/collaborators/ann/permission', { token });
    expect(json).toMatchObject({
      role_name: 'release-manager',
      permission: 'write',
      user: { permissions: { push: true, maintain: false } },
    });
  });

  test('is a 404 for bots and for logins that nobody has', async () => {
    const github = await start();
    const token = await takeInstallationToken(github);
    for (const login of ['standdown%5Bbot%5D', 'nobody']) {
      const reply = await ask(github, `GET /repos/acme/widgets/collaborators/${login}/permission`, { token });
      expect(reply.status).toBe(404);
      expect(reply.json.message).toMatch(/is not a user$/);
    }
  });

  test('of somebody else is told only to those who can push', async () => {
    const github = await start();
    github.addUser('bob');
    const token = github.addToken('ann');
    const path = 'GET /repos/acme/widgets/collaborators/bob/permission';
    expect((await ask(github, path, { token })).status).toBe(403);
    github.setPermission('acme/widgets', 'ann', 'write');
    expect((await ask(github, path, { token })).status).toBe(200);
    expect((await ask(github, 'GET /repos/acme/widgets/collaborators/ann', { token })).status).toBe(204);
    expect((await ask(github, 'GET /repos/acme/widgets/collaborators/bob', { token })).status).toBe(404);
  });
});

test('a file of the default branch is read as base64, and is gone once removed', async () => {
  const github = await start();
  const token = await takeInstallationToken(github);
  const path = '.github/standdown.yml';
  github.pushFile('acme/widgets', { by: 'ann', path, text: 'tasks: {}\n' });
  const { json } = await ask(github, `GET /repos/acme/widgets/contents/${path}`, { token });
  expect(Buffer.from(String(json.content), 'base64').toString()).toBe('tasks: {}\n');
  expect((await ask(github, `GET /repos/acme/widgets/contents/${path}?ref=elsewhere`, { token })).status).toBe(404);
  github.pushFile('acme/widgets', { by: 'ann', path, text: null });
  expect((await ask(github, `GET /repos/acme/widgets/contents/${path}`, { token })).status).toBe(404);
});

test('a file carries git’s id of it, and a 304 as long as it is as it was', async () => {
  const github = await start();
  const token = await takeInstallationToken(github);
  const path = '/repos/acme/widgets/contents/.github%2Fstanddown.yml';
  const push = (text: string) => github.pushFile('acme/widgets', { by: 'ann', path: '.github/standdown.yml', text });
  push('hello\n');
  const first = await ask(github, `GET ${path}`, { token });
  expect(first.json.sha).toBe('ce013625030ba8dba906f756967f9e9ca394464a');
  const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
  expect((await ask(github, `GET ${path}`, { token, headers })).status).toBe(304);
  push('goodbye\n');
  expect((await ask(github, `GET ${path}`, { token, headers })).status).toBe(200);
});

test('a directory is a list, and of a file above 1 MB only the facts are told', async () => {
  const github = await start();
  const token = await takeInstallationToken(github);
  const push = (path: string, text: string | Buffer) => github.pushFile('acme/widgets', { by: 'ann', path, text });
  push('.github/workflows/ci.yml', 'on: push\n');
  push('.github/big.bin', Buffer.alloc(1024 * 1024 + 1));
  const { list } = await ask(github, 'GET /repos/acme/widgets/contents/.github', { token });
  expect(list).toMatchObject([
    { type: 'file', name: 'big.bin', path: '.github/big.bin', size: 1_048_577 },
    { type: 'dir', name: 'workflows', path: '.github/workflows', size: 0 },
  ]);
  const big = await ask(github, 'GET /repos/acme/widgets/contents/.github/big.bin', { token });
  expect(big.json).toMatchObject({ type: 'file', encoding: 'none', content: '', size: 1_048_577 });
});

test('files are read, and pushes heard of, with the permission to read contents', async () => {
  const github = await start({ permissions: { issues: 'write', metadata: 'read' } });
  const token = await takeInstallationToken(github);
  const delivery = github.pushFile('acme/widgets', { by: 'ann', path: 'a.txt', text: 'a' });
  expect(delivery.state).toBe('inactive');
  const reply = await ask(github, 'GET /repos/acme/widgets/contents/a.txt', { token });
  expect(reply).toMatchObject({ status: 403, json: { message: 'Resource not accessible by integration' } });
});

test('a repository that is deleted is a 404, with all that was in it', async () => {
  const github = await start();
  const token = await takeInstallationToken(github);
  github.addIssue('acme/widgets');
  github.deleteRepository('acme/widgets');
  expect((await ask(github, 'GET /repos/acme/widgets', { token })).status).toBe(404);
  expect((await ask(github, 'GET /repos/acme/widgets/issues/1', { token })).status).toBe(404);
});

test('an account is found by its login, whatever its case', async () => {
  const github = await start();
  github.addUser('Ann');
  const token = await takeInstallationToken(github);
  expect((await ask(github, 'GET /users/aNN', { token })).json).toMatchObject({ login: 'Ann', type: 'User' });
  expect((await ask(github, 'GET /users/nobody', { token })).status).toBe(404);
  expect((await ask(github, 'GET /repos/ACME/Widgets', { token })).status).toBe(200);
});
