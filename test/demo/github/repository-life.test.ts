import { describe, expect, test } from 'vitest';
import type { StandInGitHub } from '../../../src/demo/github/index.ts';
import { DEFAULT_EVENTS } from '../../../src/demo/github/options.ts';
import { ask, makeJwt, makeReceivers, makeStarter, takeInstallationToken } from './support.ts';

const start = makeStarter();
const receive = makeReceivers();
const NAME = 'acme/widgets';
const BY = { by: 'ann' };

async function startWatched(events = DEFAULT_EVENTS) {
  const receiver = await receive();
  const github = await start({ webhookUrl: receiver.url, events });
  const arrived = async () => {
    await github.webhooks.settled();
    return receiver.received.map(
      ({ headers, payload }): Record<string, unknown> => ({ event: headers['x-github-event'], ...payload }),
    );
  };
  return { github, arrived, token: await takeInstallationToken(github) };
}

describe('the repository event', () => {
  test.each<[string, (github: StandInGitHub) => unknown, object]>([
    [
      'renamed',
      (github) => github.repository(NAME).rename('gadgets', BY),
      { changes: { repository: { name: { from: 'widgets' } } }, repository: { full_name: 'acme/gadgets' } },
    ],
    ['archived', (github) => github.repository(NAME).archive(BY), { repository: { archived: true } }],
    ['unarchived', (github) => github.repository(NAME).unarchive(BY), { repository: { archived: false } }],
    ['privatized', (github) => github.repository(NAME).privatize(BY), { repository: { private: true } }],
    ['publicized', (github) => github.repository(NAME).publicize(BY), { repository: { visibility: 'public' } }],
    ['deleted', (github) => github.repository(NAME).delete(BY), { repository: { full_name: NAME } }],
  ])('%s comes with its installation and the repository as it is then', async (action, change, fields) => {
    const { github, arrived } = await startWatched();
    change(github);
    const installation = { id: github.installationId };
    expect(await arrived()).toMatchObject([
      { event: 'repository', action, installation, sender: { login: 'ann' }, ...fields },
    ]);
  });

  test('transferred comes to the new account, if the app is on it, and tells the old one', async () => {
    const { github, arrived } = await startWatched();
    github.addRepository('umbrella/labs');
    const jwt = makeJwt(github);
    const { id } = (await ask(github, 'GET /repos/umbrella/labs/installation', { token: jwt })).json;
    github.repository(NAME).transfer('umbrella', BY);
    expect(await arrived()).toMatchObject([
      {
        action: 'transferred',
        changes: { owner: { from: { organization: { login: 'acme' } } } },
        repository: { full_name: 'umbrella/widgets' },
        installation: { id },
      },
    ]);
    expect((await ask(github, 'GET /repos/umbrella/widgets/installation', { token: jwt })).json).toMatchObject({ id });
  });

  test('comes to nobody once the app is left behind by a transfer', async () => {
    const { github, arrived, token } = await startWatched();
    github.addIssue(NAME);
    await arrived();
    github.repository(NAME).transfer('elsewhere', BY);
    expect(await arrived()).toHaveLength(1);
    const jwt = makeJwt(github);
    expect((await ask(github, 'GET /repos/elsewhere/widgets/installation', { token: jwt })).status).toBe(404);
    const closing = { token, body: { state: 'closed' } };
    expect((await ask(github, 'PATCH /repos/elsewhere/widgets/issues/1', closing)).status).toBe(403);
    const moved = await ask(github, `GET /repos/${NAME}`, { token });
    expect(moved.status).toBe(301);
    expect(
      await ask(github, String(moved.headers.get('location')).replace(github.apiUrl, 'GET '), { token }),
    ).toMatchObject({
      status: 200,
      json: { full_name: 'elsewhere/widgets' },
    });
  });
});

test('an archived repository is read and refuses every write', async () => {
  const { github, token } = await startWatched();
  const issue = github.addIssue(NAME);
  const { id } = issue.comment({ by: 'ann', body: 'a' });
  github.repository(NAME).archive(BY);
  const writes: [string, unknown][] = [
    [`PATCH /repos/${NAME}/issues/1`, { state: 'closed' }],
    [`POST /repos/${NAME}/issues/1/comments`, { body: 'b' }],
    [`PATCH /repos/${NAME}/issues/comments/${id}`, { body: 'b' }],
    [`POST /repos/${NAME}/issues/comments/${id}/reactions`, { content: 'eyes' }],
  ];
  for (const [what, body] of writes) {
    const refused = { status: 403, json: { message: 'Repository was archived so is read-only.' } };
    expect(await ask(github, what, { token, body })).toMatchObject(refused);
  }
  expect((await ask(github, `GET /repos/${NAME}`, { token })).json).toMatchObject({ archived: true });
  github.repository(NAME).unarchive(BY);
  for (const [what, body] of writes) expect((await ask(github, what, { token, body })).status).toBeLessThan(300);
});

test('a privatized repository is still read where the app is installed, and nowhere else', async () => {
  const { github, token } = await startWatched();
  github.addRepository('acme/secrets', { installed: false });
  for (const name of [NAME, 'acme/secrets']) github.repository(name).privatize(BY);
  expect((await ask(github, `GET /repos/${NAME}`, { token })).status).toBe(200);
  expect((await ask(github, 'GET /repos/acme/secrets', { token })).status).toBe(404);
});

test('a deleted repository is not found under any name it had, and its issues neither', async () => {
  const { github, token } = await startWatched();
  github.addIssue(NAME);
  github.repository(NAME).rename('gadgets', BY);
  github.repository('acme/gadgets').delete(BY);
  for (const path of [NAME, 'acme/gadgets', 'acme/gadgets/issues/1']) {
    expect((await ask(github, `GET /repos/${path}`, { token })).status).toBe(404);
  }
});

test('an account that is renamed keeps its installation, and its repositories redirect', async () => {
  const { github, arrived, token } = await startWatched([...DEFAULT_EVENTS, 'installation_target']);
  github.installation.renameAccount('apex', BY);
  expect(await arrived()).toMatchObject([
    {
      event: 'installation_target',
      action: 'renamed',
      account: { login: 'apex' },
      changes: { login: { from: 'acme' } },
      installation: { id: github.installationId },
    },
  ]);
  expect((await ask(github, `GET /repos/${NAME}`, { token })).status).toBe(301);
  expect((await ask(github, 'GET /repos/apex/widgets', { token })).status).toBe(200);
});

test('permissions that an account accepts are good for its next token', async () => {
  const { github, arrived } = await startWatched();
  const permissions = { issues: 'read', metadata: 'read' } as const;
  github.installation.acceptPermissions({ ...BY, permissions });
  expect(await arrived()).toMatchObject([
    { event: 'installation', action: 'new_permissions_accepted', installation: { permissions } },
  ]);
  github.addIssue(NAME);
  const closing = { token: await takeInstallationToken(github), body: { state: 'closed' } };
  expect((await ask(github, `PATCH /repos/${NAME}/issues/1`, closing)).status).toBe(403);
});

test('an issue that becomes a discussion is a closed and locked issue, and only its events tell why', async () => {
  const { github, arrived, token } = await startWatched();
  github.addIssue(NAME).convert(BY);
  expect((await arrived()).map(({ action }) => action)).toEqual(['opened', 'closed', 'locked']);
  expect((await ask(github, `GET /repos/${NAME}/issues/1`, { token })).json).toMatchObject({
    state: 'closed',
    locked: true,
  });
  const events = await ask(github, `GET /repos/${NAME}/issues/1/events`, { token });
  expect(events.list.map(({ event }) => event)).toEqual(['converted_to_discussion', 'closed', 'locked']);
});
