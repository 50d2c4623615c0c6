import { createHmac } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import type { StandInGitHub } from '../../../src/demo/github/index.ts';
import { ask, makeJwt, makeReceivers, makeStarter, type Received, takeInstallationToken } from './support.ts';

const start = makeStarter();
const startReceiver = makeReceivers();

async function startWithReceiver() {
  const github = await start();
  const receiver = await startReceiver();
  github.addIssue('acme/widgets', { by: 'ann', title: 'Train' });
  github.webhooks.to(receiver.url);
  return { github, receiver, issue: github.issue('acme/widgets', 1) };
}

function said(received: readonly Received[]): string[] {
  return received.map(({ headers, payload }) => `${headers['x-github-event']}.${payload.action}`);
}

function guids(received: readonly Received[]): unknown[] {
  return received.map(({ headers }) => headers['x-github-delivery']);
}

describe('a webhook', () => {
  test('is signed over the very bytes that are sent, and names its event, its GUID and its hook', async () => {
    const { github, receiver, issue } = await startWithReceiver();
    const delivery = issue.close({ by: 'ann', reason: 'not_planned' });
    await github.webhooks.settled();
    const [received] = receiver.received;
    const signature = createHmac('sha256', github.webhookSecret).update(received!.body).digest('hex');
    expect(received!.headers).toMatchObject({
      'x-hub-signature-256': `sha256=${signature}`,
      'x-github-event': 'issues',
      'x-github-delivery': delivery.guid,
      'x-github-hook-id': expect.stringMatching(/^\d+$/),
      'x-github-hook-installation-target-type': 'integration',
      'user-agent': expect.stringMatching(/^GitHub-Hookshot\//),
      'content-type': 'application/json',
    });
    expect(delivery.state).toBe('delivered');
  });

  test('tells what happened as things stood at that moment', async () => {
    const { github, receiver, issue } = await startWithReceiver();
    github.webhooks.hold();
    issue.close({ by: 'ann', reason: 'not_planned' });
    issue.reopen({ by: 'bob' });
    await github.webhooks.release();
    expect(receiver.received.map(({ payload }) => payload)).toMatchObject([
      {
        action: 'closed',
        issue: { number: 1, state: 'closed', state_reason: 'not_planned' },
        repository: { full_name: 'acme/widgets' },
        sender: { login: 'ann' },
        installation: { id: github.installationId },
        organization: { login: 'acme' },
      },
      { action: 'reopened', issue: { state: 'open', state_reason: 'reopened' }, sender: { login: 'bob' } },
    ]);
  });

  test('comes for everything that happens to issues, comments, files and installations', async () => {
    const { github, receiver, issue } = await startWithReceiver();
    github.addRepository('acme/gadgets');
    github.webhooks.hold();
    github.addIssue('acme/widgets', { title: 'Another' });
    issue.edit({ by: 'ann', title: 'Train it', body: 'now' });
    issue.label({ by: 'ann', name: 'bug' });
    issue.unlabel({ by: 'ann', name: 'bug' });
    issue.lock({ by: 'ann', reason: 'resolved' });
    issue.unlock({ by: 'ann' });
    const { id } = issue.comment({ by: 'ann', body: 'a' });
    issue.editComment(id, { by: 'ann', body: 'b' });
    issue.deleteComment(id, { by: 'ann' });
    issue.transfer('acme/gadgets', { by: 'ann' });
    github.issue('acme/widgets', 2).delete({ by: 'ann' });
    github.pushFile('acme/widgets', { by: 'ann', path: 'a.txt', text: 'a' });
    github.installation.removeRepository('acme/gadgets', { by: 'ann' });
    github.installation.addRepository('acme/gadgets', { by: 'ann' });
    github.installation.suspend({ by: 'ann' });
    github.installation.unsuspend({ by: 'ann' });
    github.installation.uninstall({ by: 'ann' });
    github.installation.install({ by: 'ann', repositories: ['acme/widgets'] });
    github.webhooks.ping();
    await github.webhooks.release();
    expect(said(receiver.received)).toEqual([
      'issues.opened',
      'issues.edited',
      'issues.labeled',
      'issues.unlabeled',
      'issues.locked',
      'issues.unlocked',
      'issue_comment.created',
      'issue_comment.edited',
      'issue_comment.deleted',
      'issues.transferred',
      'issues.opened',
      'issues.deleted',
      'push.undefined',
      'installation_repositories.removed',
      'installation_repositories.added',
      'installation.suspend',
      'installation.unsuspend',
      'installation.deleted',
      'installation.created',
      'ping.undefined',
    ]);
  });

  test('comes for dependencies to both repositories, if the app is subscribed', async () => {
    const github = await start({ events: ['issue_dependencies'] });
    const receiver = await startReceiver();
    github.addRepository('acme/gadgets');
    github.addIssue('acme/gadgets');
    const issue = github.addIssue('acme/widgets');
    github.webhooks.to(receiver.url);
    github.webhooks.hold();
    issue.blockBy({ by: 'ann', repository: 'acme/gadgets', number: 1 });
    issue.unblockBy({ by: 'ann', repository: 'acme/gadgets', number: 1 });
    await github.webhooks.release();
    expect(receiver.received.map(({ payload }) => payload)).toMatchObject([
      { action: 'blocking_added', repository: { full_name: 'acme/gadgets' } },
      { action: 'blocked_by_added', repository: { full_name: 'acme/widgets' }, blocking_issue: { number: 1 } },
      { action: 'blocking_removed', repository: { full_name: 'acme/gadgets' } },
      { action: 'blocked_by_removed', repository: { full_name: 'acme/widgets' } },
    ]);
  });

  test('comes for what the API does, too, and not for what the app is not installed on or subscribed to', async () => {
    const { github, receiver } = await startWithReceiver();
    const token = github.addToken('bob');
    github.addRepository('other/things', { installed: false });
    github.addIssue('other/things').close({ by: 'ann' });
    github.addIssue('acme/widgets', { isPullRequest: true });
    await ask(github, 'PATCH /repos/acme/widgets/issues/1', { token, body: { state: 'closed' } });
    await github.webhooks.settled();
    expect(said(receiver.received)).toEqual([]);
    github.setPermission('acme/widgets', 'bob', 'triage');
    await ask(github, 'PATCH /repos/acme/widgets/issues/1', { token, body: { state: 'closed' } });
    await ask(github, 'PATCH /repos/acme/widgets/issues/1', { token, body: { state: 'closed' } });
    await github.webhooks.settled();
    expect(said(receiver.received)).toEqual(['issues.closed']);
  });
});

describe('deliveries', () => {
  test('on their way are given up when the stand-in closes', async () => {
    const { github, issue } = await startWithReceiver();
    const silent = await startReceiver({ answering: false });
    github.webhooks.to(silent.url);
    const delivery = issue.close({ by: 'ann' });
    await vi.waitFor(() => expect(silent.received).toHaveLength(1));
    await github.close();
    expect(delivery.state).toBe('failed');
  });

  test('that are held arrive in whatever order they are released in', async () => {
    const { github, receiver, issue } = await startWithReceiver();
    github.webhooks.hold();
    issue.close({ by: 'ann' });
    issue.reopen({ by: 'ann' });
    expect(receiver.received).toEqual([]);
    await github.webhooks.release((held) => held.toReversed());
    expect(said(receiver.received)).toEqual(['issues.reopened', 'issues.closed']);
  });

  test('can arrive all at once', async () => {
    const { github, receiver, issue } = await startWithReceiver();
    github.webhooks.hold();
    for (let count = 0; count < 10; count += 1) issue.comment({ by: 'ann', body: `${count}` });
    await github.webhooks.release(undefined, { together: true });
    expect(new Set(guids(receiver.received)).size).toBe(10);
  });

  test('that are lost never arrive and are recorded as failed', async () => {
    const { github, receiver, issue } = await startWithReceiver();
    github.webhooks.lose(1);
    const lost = issue.close({ by: 'ann' });
    github.webhooks.lose((delivery) => delivery.action === 'created');
    issue.reopen({ by: 'ann' });
    issue.comment({ by: 'ann', body: 'a' });
    await github.webhooks.settled();
    expect(lost).toMatchObject({ state: 'failed', statusCode: 0 });
    expect(said(receiver.received)).toEqual(['issues.reopened']);
    github.webhooks.loseNone();
    issue.comment({ by: 'ann', body: 'b' });
    await github.webhooks.settled();
    expect(said(receiver.received)).toEqual(['issues.reopened', 'issue_comment.created']);
  });

  test('can come twice under the same GUID', async () => {
    const { github, receiver, issue } = await startWithReceiver();
    github.webhooks.duplicate();
    const { guid } = issue.close({ by: 'ann' });
    issue.reopen({ by: 'ann' });
    await github.webhooks.settled();
    expect(guids(receiver.received).filter((id) => id === guid)).toHaveLength(2);
    expect(receiver.received).toHaveLength(3);
  });

  test('that fail can be asked for again, and carry the old payload under the old GUID', async () => {
    const { github, receiver, issue } = await startWithReceiver();
    receiver.answerWith(503);
    const failed = issue.close({ by: 'ann' });
    await github.webhooks.settled();
    issue.reopen({ by: 'ann' });
    await github.webhooks.settled();
    receiver.answerWith(200);
    expect(failed).toMatchObject({ state: 'failed', status: 'Invalid HTTP Response: 503' });

    const token = makeJwt(github);
    const listed = await ask(github, 'GET /app/hook/deliveries?status=failure', { token });
    expect(listed.list).toMatchObject([
      { action: 'reopened' },
      { action: 'closed', guid: failed.guid, status_code: 503 },
    ]);
    const one = `/app/hook/deliveries/${failed.id}`;
    expect((await ask(github, `GET ${one}`, { token })).json).toMatchObject({
      request: { payload: { action: 'closed' } },
    });
    expect((await ask(github, `POST ${one}/attempts`, { token })).status).toBe(202);
    await vi.waitFor(() => expect(receiver.received).toHaveLength(3));
    await github.webhooks.settled();
    expect(receiver.received[2]!.body).toBe(receiver.received[0]!.body);
    expect(guids(receiver.received)[2]).toBe(failed.guid);
    const succeeded = await ask(github, 'GET /app/hook/deliveries?status=success', { token });
    expect(succeeded.list).toMatchObject([{ guid: failed.guid, redelivery: true, status: 'OK' }]);
  });

  test('are listed newest first, in pages by cursor', async () => {
    const { github, issue } = await startWithReceiver();
    for (let count = 0; count < 5; count += 1) issue.comment({ by: 'ann', body: `${count}` });
    await github.webhooks.settled();
    const pages = await readAllDeliveries(github, '/app/hook/deliveries?per_page=2');
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
    const ids = pages.flat().map(({ id }) => Number(id));
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
  });

  test('are nobody’s until there is an address', async () => {
    const github = await start();
    expect(github.addIssue('acme/widgets').close({ by: 'ann' }).state).toBe('inactive');
    expect(github.deliveries()).toEqual([]);
  });
});

async function readAllDeliveries(github: StandInGitHub, first: string): Promise<Record<string, unknown>[][]> {
  const pages = [];
  for (let next: string | undefined = first; next !== undefined; ) {
    const reply = await ask(github, `GET ${next}`, { token: makeJwt(github) });
    pages.push(reply.list);
    next = /<([^>]+)>; rel="next"/.exec(reply.headers.get('link') ?? '')?.[1];
  }
  return pages;
}

describe('a hook of the repository itself', () => {
  test('tells the same under another GUID, without an installation, also where the app is not installed', async () => {
    const { github, receiver, issue } = await startWithReceiver();
    const own = await startReceiver();
    const hook = github.addRepositoryHook('acme/widgets', { url: own.url, secret: 'its own' });
    github.addRepository('acme/gadgets');
    github.addIssue('acme/gadgets').close({ by: 'ann' });
    const delivery = issue.comment({ by: 'ann', body: '/task cancel' }).delivery;
    github.pushFile('acme/widgets', { by: 'ann', path: 'a.txt', text: 'a' });
    await Promise.all([github.webhooks.settled(), hook.settled()]);
    expect(said(own.received)).toEqual(['issue_comment.created']);
    expect(guids(own.received)).not.toContain(delivery.guid);
    const ours = receiver.received.find(({ headers }) => headers['x-github-delivery'] === delivery.guid);
    const { installation, ...rest } = ours!.payload;
    expect(installation).toMatchObject({ id: github.installationId });
    expect(own.received[0]!.payload).toEqual(rest);
    const signature = createHmac('sha256', 'its own').update(own.received[0]!.body).digest('hex');
    expect(own.received[0]!.headers).toMatchObject({
      'x-hub-signature-256': `sha256=${signature}`,
      'x-github-hook-installation-target-type': 'repository',
    });
    github.installation.removeRepository('acme/widgets', { by: 'ann' });
    issue.close({ by: 'ann' });
    await hook.settled();
    expect(said(own.received)).toEqual(['issue_comment.created', 'issues.closed']);
  });

  test('can be held, so that one comment comes by either hook first', async () => {
    const { github, receiver, issue } = await startWithReceiver();
    const hook = github.addRepositoryHook('acme/widgets', { url: receiver.url, secret: github.webhookSecret });
    hook.hold();
    issue.comment({ by: 'ann', body: '/task cancel' });
    await github.webhooks.settled();
    expect(said(receiver.received)).toEqual(['issue_comment.created']);
    await hook.release();
    expect(said(receiver.received)).toEqual(['issue_comment.created', 'issue_comment.created']);
    expect(new Set(guids(receiver.received)).size).toBe(2);
  });
});

test('a close by the app’s own hand comes as a webhook whose sender is its bot', async () => {
  const { github, receiver } = await startWithReceiver();
  const token = await takeInstallationToken(github);
  const body = { state: 'closed', state_reason: 'completed' };
  expect((await ask(github, 'PATCH /repos/acme/widgets/issues/1', { token, body })).status).toBe(200);
  await github.webhooks.settled();
  expect(receiver.received[0]?.payload).toMatchObject({
    action: 'closed',
    sender: { login: 'standdown[bot]', type: 'Bot' },
  });
});
