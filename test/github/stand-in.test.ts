/** Reader, writer and receiver against the stateful stand-in GitHub, which holds every call against GitHub's description. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type StandInGitHub, startStandInGitHub } from '../../src/demo/github/index.ts';
import type {
  BranchReader,
  CommandReader,
  Delivery,
  GitHubReader,
  GitHubWriter,
  RepositoryRef,
} from '../../src/engine/ports.ts';
import { interpretDelivery, makeGitHub } from '../../src/github/index.ts';
import { makeWebhookReceiver } from '../../src/github/webhooks.ts';
import { expectNoViolations, withOpenApiCheck } from '../support/openapi/index.ts';

const MARKER = '<!-- standdown:outcome m1 -->';

// One check for all: what it has compiled once, it keeps.
const options = withOpenApiCheck();
let github: StandInGitHub;
let reader: GitHubReader & CommandReader & BranchReader;
let writer: GitHubWriter;
let repository: RepositoryRef;

beforeEach(async () => {
  github = await startStandInGitHub(options);
  github.addRepository('acme/widgets', { private: true });
  github.addIssue('acme/widgets', { number: 12, title: 'Train the ranker', by: 'ann' });
  const { appId, privateKey, apiUrl: baseUrl } = github;
  ({ reader, writer } = makeGitHub({ credentials: { mode: 'app', appId, privateKey }, baseUrl }));
  const found = await reader.findRepository('acme/widgets');
  if (found === null) expect.fail('the repository is not found');
  repository = found;
});

afterEach(async () => {
  await github.close();
  expectNoViolations(github);
});

const issue = () => github.issue('acme/widgets', 12);

describe('a branch', () => {
  const push = (branch: string, how: { commits?: number; from?: string | null } = {}) =>
    github.pushBranch('acme/widgets', branch, { by: 'ann', ...how });

  test('is read from its first push on, until it is deleted', async () => {
    expect(await reader.readBranch(repository, 'work/12', null)).toBeNull();
    push('work/12', { commits: 3 });
    const head = await reader.readBranchHead(repository, 'work/12');
    expect(await reader.readBranch(repository, 'work/12', null)).toEqual({ head, base: 'main', aheadBy: 3 });
    push('work/12');
    expect(await reader.readBranchHead(repository, 'work/12')).not.toBe(head);
    github.deleteBranch('acme/widgets', 'work/12', { by: 'ann' });
    expect(await reader.readBranchHead(repository, 'work/12')).toBeNull();
  });

  test('is counted from its base, whose name may have a slash', async () => {
    push('release/2', { commits: 2 });
    push('work', { from: 'release/2' });
    expect(await reader.readBranch(repository, 'work', 'release/2')).toMatchObject({ aheadBy: 1 });
    expect(await reader.readBranch(repository, 'work', null)).toMatchObject({ aheadBy: 3 });
    push('pages', { from: null });
    await expect(reader.readBranch(repository, 'pages', null)).rejects.toMatchObject({ code: 'refused' });
    await expect(reader.readBranch(repository, 'work', 'mian')).rejects.toMatchObject({ code: 'refused' });
  });
});

describe('an issue', () => {
  test('is read as it is through its life', async () => {
    expect(await reader.readIssue(repository, 12)).toMatchObject({
      issue: { state: 'open', author: 'ann', actor: null },
    });
    issue().close({ by: 'ben', reason: 'duplicate' });
    const closed = { state: 'closed', reason: 'duplicate', actor: 'ben', closedAt: expect.any(Date) };
    expect(await reader.readIssue(repository, 12)).toMatchObject({ issue: closed });
    issue().reopen({ by: 'cleo' });
    expect(await reader.readIssue(repository, 12)).toMatchObject({ issue: { state: 'open', closedAt: null } });
    expect(await reader.readReopener(repository, 12)).toMatchObject({ actor: 'cleo' });
    issue().delete({ by: 'ann' });
    expect(await reader.readIssue(repository, 12)).toEqual({ found: 'deleted' });
  });

  test('that has not changed costs nothing of the rate limit', async () => {
    const first = await reader.readIssue(repository, 12);
    expect(await reader.readIssue(repository, 12)).toEqual(first);
    expect(github.requests().at(-1)).toMatchObject({ path: '/repos/acme/widgets/issues/12', status: 304 });
  });

  test('that moved to another repository is transferred, and one whose repository was renamed is where it was', async () => {
    github.addRepository('acme/archive', { private: true });
    github.addIssue('acme/widgets', { number: 13 }).transfer('acme/archive', { by: 'ann' });
    expect(await reader.readIssue(repository, 13)).toEqual({
      found: 'transferred',
      to: expect.stringMatching(/\/acme\/archive\/issues\/1$/),
    });
    github.renameRepository('acme/widgets', 'gadgets');
    expect(await reader.readIssue(repository, 12)).toMatchObject({ found: 'issue' });
    expect(await reader.readIssue(repository, 13)).toEqual({
      found: 'transferred',
      to: expect.stringMatching(/\/acme\/archive\/issues\/1$/),
    });
    expect(await reader.findRepository('acme/widgets')).toMatchObject({ id: repository.id, fullName: 'acme/gadgets' });
  });

  test('of a repository that was taken from the App is lost from sight, neither deleted nor transferred', async () => {
    github.installation.removeRepository('acme/widgets', { by: 'ann' });
    await expect(reader.readIssue(repository, 12)).rejects.toMatchObject({ code: 'lost_access' });
  });

  test('is found again after a token was lost and the App installed anew', async () => {
    await reader.readIssue(repository, 12);
    github.installation.suspend({ by: 'ann' });
    await expect(reader.readIssue(repository, 12)).rejects.toMatchObject({ name: 'GitHubError' });
    github.installation.unsuspend({ by: 'ann' });
    expect(await reader.readIssue(repository, 12)).toMatchObject({ found: 'issue' });
  });

  test.each([
    ['a garbled answer', { kind: 'garbage' as const }],
    ['a dropped connection', { kind: 'drop' as const }],
    ['a 503', { kind: 'answer' as const, status: 503 }],
    ['a secondary limit', { kind: 'secondary_limit' as const, retryAfterSeconds: 30 }],
  ])('is no state after %s', async (_name, trouble) => {
    github.faults.add({ ...trouble, path: '/repos/{owner}/{repo}/issues/{number}', times: 1 });
    const code = trouble.kind === 'secondary_limit' ? 'throttled' : 'retryable';
    await expect(reader.readIssue(repository, 12)).rejects.toMatchObject({ code });
    expect(await reader.readIssue(repository, 12)).toMatchObject({ found: 'issue' });
  });
});

describe('what an issue is blocked by', () => {
  test('is read wherever it is, as far as the App is installed there', async () => {
    github.addRepository('acme/data');
    github.addRepository('elsewhere/tools', { installed: false });
    for (const name of ['acme/data', 'elsewhere/tools']) github.addIssue(name, { number: 7 }).close({ by: 'ben' });
    github.addIssue('acme/widgets', { number: 3 });
    issue().blockBy({ by: 'ann', number: 3 });
    issue().blockBy({ by: 'ann', number: 7, repository: 'acme/data' });
    issue().blockBy({ by: 'ann', number: 7, repository: 'elsewhere/tools' });
    expect(await reader.readIssue(repository, 12)).toMatchObject({ issue: { blockedByCount: 3 } });
    const data = await reader.findRepository('acme/data');
    const closed = { state: 'closed', reason: 'completed' };
    expect(await reader.readDependencies(repository, 12)).toMatchObject([
      { repository, label: 'acme/widgets#3', number: 3, issue: { state: 'open' } },
      { repository: data, label: 'acme/data#7', number: 7, issue: closed },
      { repository: null, label: 'elsewhere/tools#7', number: 7, issue: closed },
    ]);
  });

  test('changes its count without a new version, and the timeline tells who unblocked it', async () => {
    github.addIssue('acme/widgets', { number: 3 });
    const before = github.findIssue('acme/widgets', 12)?.updatedAt;
    issue().blockBy({ by: 'ann', number: 3 });
    expect(await reader.readIssue(repository, 12)).toMatchObject({ issue: { blockedByCount: 1 } });
    issue().unblockBy({ by: 'ben', number: 3 });
    expect(await reader.readIssue(repository, 12)).toMatchObject({ issue: { blockedByCount: 0 } });
    expect(await reader.readDependencies(repository, 12)).toEqual([]);
    expect(await reader.readUnblockers(repository, 12, 5)).toEqual(['ben']);
    expect(github.findIssue('acme/widgets', 12)?.updatedAt).toBe(before);
  });

  test('is named by lines of a body, and the body’s last editor is known', async () => {
    github.addIssue('acme/widgets', { number: 13, by: 'ann', body: 'Depends on #12' });
    expect(await reader.readIssue(repository, 13)).toMatchObject({ issue: { dependsOn: ['#12'] } });
    expect(await reader.readEditor(repository, 13)).toBe('ann');
    github.issue('acme/widgets', 13).edit({ by: 'ben', title: 'Another title' });
    expect(await reader.readEditor(repository, 13)).toBe('ann');
    github.issue('acme/widgets', 13).edit({ by: 'helper[bot]', body: 'Depends on #12, #11' });
    expect(await reader.readIssue(repository, 13)).toMatchObject({ issue: { dependsOn: ['#12', '#11'] } });
    expect(await reader.readEditor(repository, 13)).toBe('helper[bot]');
    github.renameRepository('acme/widgets', 'gadgets');
    expect(await reader.readEditor(repository, 13)).toBe('helper[bot]');
    await expect(reader.readEditor(repository, 99)).rejects.toMatchObject({ code: 'lost_access' });
  });

  test.each([
    ['dependencies/blocked_by', () => reader.readDependencies(repository, 12)],
    ['timeline', () => reader.readUnblockers(repository, 12, 1)],
    ['graphql', () => reader.readEditor(repository, 12)],
  ])('is not guessed while %s fails', async (path, read) => {
    for (const fault of [{ kind: 'garbage' as const }, { kind: 'drop' as const }]) {
      github.faults.add({ ...fault, path: new RegExp(`/${path}$`), times: 1 });
      await expect(read()).rejects.toMatchObject({ code: 'retryable' });
    }
    github.faults.add({ kind: 'secondary_limit', path: new RegExp(`/${path}$`), times: 1 });
    await expect(read()).rejects.toMatchObject({ code: 'throttled' });
    await expect(read()).resolves.toBeDefined();
  });
});

test.each(['admin', 'maintain', 'write', 'triage', 'read', 'none'] as const)(
  'the role %s is what a person holds',
  async (role) => {
    github.setPermission('acme/widgets', 'dana', role);
    expect(await reader.readPermission(repository, 'dana')).toBe(role);
  },
);

test('everybody reads a public repository, but only a collaborator holds read', async () => {
  github.addRepository('acme/open');
  github.addUser('passer-by');
  github.setPermission('acme/open', 'dana', 'read');
  const open = await reader.findRepository('acme/open');
  if (open === null) expect.fail('the repository is not found');
  expect(await reader.readPermission(open, 'passer-by')).toBe('none');
  expect(await reader.readPermission(open, 'dana')).toBe('read');
  expect(await reader.readPermission(open, 'nobody-at-all')).toBe('none');
});

test('a custom role counts as what it grants', async () => {
  github.setPermission('acme/widgets', 'dana', 'triage', 'issue-gardener');
  expect(await reader.readPermission(repository, 'dana')).toBe('triage');
});

describe('the repository’s file', () => {
  const PATH = '.github/standdown.yml';
  const push = (text: string | Buffer | null) => github.pushFile('acme/widgets', { by: 'ann', path: PATH, text });
  const read = (etag: string | null = null) => reader.readFile(repository, PATH, etag);

  test('is read as it is through its life', async () => {
    expect(await read()).toMatchObject({ found: 'none' });
    push('tasks: {}\n');
    const file = await read();
    expect(file).toEqual({ found: 'file', text: 'tasks: {}\n', sha: expect.any(String), etag: expect.any(String) });
    if (file.found !== 'file') return;
    expect(await read(file.etag)).toEqual({ found: 'unchanged' });
    push('tasks: { train: {} }\n');
    expect(await read(file.etag)).toMatchObject({ found: 'file', text: 'tasks: { train: {} }\n' });
    push(null);
    expect(await read(file.etag)).toMatchObject({ found: 'none' });
  });

  test('can’t be used where it is a directory, no text or too large', async () => {
    github.pushFile('acme/widgets', { by: 'ann', path: `${PATH}/a.txt`, text: 'a' });
    expect(await read()).toMatchObject({ found: 'unusable', problem: 'it is a directory' });
    push(Buffer.from([0xff, 0xfe]));
    expect(await read()).toMatchObject({ found: 'unusable', problem: 'it is no UTF-8 text' });
    push('#'.repeat(1024 * 1024 + 1));
    expect(await read()).toMatchObject({ found: 'unusable', problem: 'it is larger than 1 MB' });
  });

  test('goes with the repository when that is renamed, and out of sight when that is taken away', async () => {
    push('tasks: {}\n');
    github.renameRepository('acme/widgets', 'gadgets');
    expect(await read()).toMatchObject({ found: 'file' });
    github.installation.removeRepository('acme/gadgets', { by: 'ann' });
    await expect(read()).rejects.toMatchObject({ code: 'lost_access' });
  });
});

test('a file is out of sight, not missing, without the permission to read contents', async () => {
  const poor = await startStandInGitHub({ ...options, permissions: { issues: 'write', metadata: 'read' } });
  try {
    poor.addRepository('acme/widgets', { private: true });
    const { appId, privateKey, apiUrl: baseUrl } = poor;
    const asked = makeGitHub({ credentials: { mode: 'app', appId, privateKey }, baseUrl }).reader;
    const found = await asked.findRepository('acme/widgets');
    if (found === null) expect.fail('the repository is not found');
    await expect(asked.readFile(found, 'a.txt', null)).rejects.toMatchObject({ code: 'lost_access', status: 403 });
  } finally {
    await poor.close();
  }
});

describe('what people say', () => {
  test('is read as it is now, with who says it, until it is deleted', async () => {
    github.addApp('helper');
    const { id } = issue().comment({ by: 'ann', body: '/task cancel', via: 'helper' });
    const comment = { id: String(id), number: 12, author: 'ann', isBot: false, app: 'helper', body: '/task cancel' };
    const read = () => reader.readComment(repository, String(id));
    expect(await read()).toMatchObject(comment);
    issue().editComment(id, { by: 'ann', body: '/task done' });
    expect(await read()).toMatchObject({ ...comment, body: '/task done' });
    issue().deleteComment(id, { by: 'ann' });
    expect(await read()).toBeNull();
  });

  test('is listed for the whole repository, pull requests too, whatever number of pages it takes', async () => {
    github.addIssue('acme/widgets', { number: 13, isPullRequest: true }).comment({ by: 'ann', body: 'looks good' });
    for (let count = 0; count < 230; count += 1) issue().comment({ by: 'ann', body: `${count}` });
    await writer.createComment(repository, 12, 'Stopped');
    const since = new Date(github.now().getTime() - 60_000);
    const comments = await reader.readComments(repository, since);
    expect(comments.map(({ body }) => body)).toEqual([
      'looks good',
      ...Array.from({ length: 230 }, (_, count) => String(count)),
      'Stopped',
    ]);
    expect(comments[0]).toMatchObject({ number: 13, isBot: false, app: null });
    expect(comments.at(-1)).toMatchObject({ author: 'standdown[bot]', isBot: true, app: 'standdown' });
    expect(await reader.readComments(repository, new Date(github.now().getTime() + 60_000))).toEqual([]);
    github.renameRepository('acme/widgets', 'gadgets');
    expect(await reader.readComments(repository, since)).toHaveLength(comments.length);
  });

  test('carries our reaction once, until it is gone', async () => {
    const { id } = issue().comment({ by: 'ann', body: '/task cancel' });
    const react = (content: 'eyes' | 'rocket') => writer.react(repository, String(id), content);
    expect([await react('eyes'), await react('eyes'), await react('rocket')]).toEqual(['done', 'done', 'done']);
    const by = { login: 'standdown[bot]' };
    expect(github.comments('acme/widgets', 12)[0]?.reactions).toMatchObject([
      { content: 'eyes', by },
      { content: 'rocket', by },
    ]);
    issue().deleteComment(id, { by: 'ann' });
    expect(await react('eyes')).toBe('gone');
  });

  test('is by us where it is our App’s', async () => {
    const id = await writer.createComment(repository, 12, 'Stopped');
    const self = await reader.self();
    expect(self).toEqual({ login: 'standdown[bot]', app: 'standdown' });
    expect(await reader.readComment(repository, id)).toMatchObject({ author: self.login, app: self.app });
  });
});

describe('a locked issue', () => {
  test('takes neither comment nor reaction until it is unlocked, and can be closed', async () => {
    const { id } = issue().comment({ by: 'ann', body: '/task cancel' });
    issue().lock({ by: 'ann' });
    await expect(writer.createComment(repository, 12, 'Stopped')).rejects.toMatchObject({ code: 'locked' });
    await expect(writer.react(repository, String(id), 'rocket')).rejects.toMatchObject({ code: 'locked' });
    await writer.closeIssue(repository, 12);
    expect(github.findIssue('acme/widgets', 12)).toMatchObject({ state: 'closed', locked: true });
    issue().unlock({ by: 'ann' });
    await writer.createComment(repository, 12, 'Stopped');
    expect(await writer.react(repository, String(id), 'rocket')).toBe('done');
  });
});

test('an issue is closed as completed by us, once, and a person’s close stays as it was', async () => {
  await writer.closeIssue(repository, 12);
  await writer.closeIssue(repository, 12);
  expect(github.findIssue('acme/widgets', 12)).toMatchObject({
    state: 'closed',
    stateReason: 'completed',
    closedBy: { login: 'standdown[bot]' },
    events: [{ event: 'closed' }],
  });
  const other = github.addIssue('acme/widgets', { number: 13 });
  other.close({ by: 'ann', reason: 'not_planned' });
  await writer.closeIssue(repository, 13);
  expect(github.findIssue('acme/widgets', 13)).toMatchObject({
    stateReason: 'not_planned',
    closedBy: { login: 'ann' },
  });
  other.delete({ by: 'ann' });
  await expect(writer.closeIssue(repository, 13)).rejects.toMatchObject({ code: 'refused' });
});

test.each([
  ['contents/.github%2Fstanddown.yml', () => reader.readFile(repository, '.github/standdown.yml', null)],
  ['issues/comments', () => reader.readComments(repository, new Date(0))],
  ['issues/comments/{id}', () => reader.readComment(repository, '1')],
])('%s is not guessed in trouble', async (path, read) => {
  for (const kind of ['garbage', 'drop'] as const) {
    github.faults.add({ kind, path: `/repos/acme/widgets/${path}`, times: 1 });
    await expect(read()).rejects.toMatchObject({ code: 'retryable' });
  }
  github.faults.add({ kind: 'secondary_limit', path: `/repos/acme/widgets/${path}`, times: 1 });
  await expect(read()).rejects.toMatchObject({ code: 'throttled' });
  await expect(read()).resolves.toBeDefined();
});

describe('a comment', () => {
  test('that GitHub made but did not confirm is found by its marker, behind 100 others', async () => {
    for (let number = 0; number < 100; number += 1) issue().comment({ by: 'ann', body: `${MARKER} forged ${number}` });
    github.faults.add({
      kind: 'lost_answer',
      method: 'POST',
      path: '/repos/{owner}/{repo}/issues/{number}/comments',
      times: 1,
    });
    await expect(writer.createComment(repository, 12, `${MARKER}\nStopped.`)).rejects.toMatchObject({
      code: 'retryable',
    });
    const id = await writer.findComment(repository, 12, MARKER);
    expect(github.comments('acme/widgets', 12).filter((comment) => String(comment.id) === id)).toMatchObject([
      { body: `${MARKER}\nStopped.`, author: { login: 'standdown[bot]' } },
    ]);
  });

  test('is edited in place, until it is gone', async () => {
    const id = await writer.createComment(repository, 12, 'Stopping');
    expect(await writer.updateComment(repository, id, 'Stopped')).toBe('updated');
    expect(github.comments('acme/widgets', 12)).toMatchObject([{ body: 'Stopped' }]);
    issue().deleteComment(Number(id), { by: 'ann' });
    expect(await writer.updateComment(repository, id, 'Stopped again')).toBe('gone');
  });

  test('goes to where the repository is now, and to no issue that is gone', async () => {
    github.renameRepository('acme/widgets', 'gadgets');
    await writer.createComment(repository, 12, 'Stopped');
    expect(github.comments('acme/gadgets', 12)).toMatchObject([{ body: 'Stopped' }]);
    github.issue('acme/gadgets', 12).delete({ by: 'ann' });
    await expect(writer.createComment(repository, 12, 'Stopped')).rejects.toMatchObject({ code: 'refused' });
  });
});

test('a host whose clock is an hour ahead is let in once it has heard GitHub’s', async () => {
  const { appId, privateKey, apiUrl: baseUrl } = github;
  const now = () => new Date(Date.now() + 3_600_000);
  const early = makeGitHub({ credentials: { mode: 'app', appId: String(appId), privateKey }, baseUrl, now }).reader;
  await expect(early.findRepository('acme/widgets')).rejects.toMatchObject({ code: 'retryable', status: 401 });
  expect(await early.findRepository('acme/widgets')).toEqual(repository);
  expect(await early.readIssue(repository, 12)).toMatchObject({ found: 'issue' });
});

test('with a token alone everything but installations works the same', async () => {
  github.setPermission('acme/widgets', 'robin', 'write');
  const credentials = { mode: 'token' as const, token: github.addToken('robin') };
  const robin = makeGitHub({ credentials, baseUrl: github.apiUrl });
  const found = await robin.reader.findRepository('acme/widgets');
  expect(found).toEqual({ ...repository, installationId: null });
  if (found === null) return;
  expect(await robin.reader.readIssue(found, 12)).toMatchObject({ found: 'issue' });
  const id = await robin.writer.createComment(found, 12, MARKER);
  expect(await robin.writer.findComment(found, 12, MARKER)).toBe(id);
  expect(await writer.findComment(repository, 12, MARKER)).toBeNull();
  expect(await robin.reader.self()).toEqual({ login: 'robin', app: null });
  expect(await robin.reader.readComment(found, id)).toMatchObject({ author: 'robin', isBot: false, app: null });
  expect(await robin.writer.react(found, id, 'eyes')).toBe('done');
  expect(await robin.reader.readFile(found, '.github/standdown.yml', null)).toMatchObject({ found: 'none' });
  expect(await robin.reader.readComments(found, new Date(0))).toHaveLength(1);
  await robin.writer.closeIssue(found, 12);
  expect(github.findIssue('acme/widgets', 12)).toMatchObject({ state: 'closed', closedBy: { login: 'robin' } });
});

describe('a webhook', () => {
  let server: Server;
  const rows: Delivery[] = [];

  beforeEach(async () => {
    rows.length = 0;
    const { appId, privateKey, webhookSecret: secret } = github;
    const log = pino({ level: 'silent' });
    const insert = async (row: Delivery) => {
      rows.push(row);
      return 'stored' as const;
    };
    const { receive } = await makeWebhookReceiver({
      probot: { appId, privateKey, secret, log, baseUrl: github.apiUrl },
      inbox: { insert },
      log,
      now: () => new Date(),
    });
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const header = (name: string) => request.headers[name] as string | undefined;
      const { status, body } = await receive({
        id: header('x-github-delivery'),
        event: header('x-github-event'),
        signature: header('x-hub-signature-256'),
        body: Buffer.concat(chunks),
      });
      response.writeHead(status).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    github.webhooks.to(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  test('is stored without a call to GitHub, and says what a live read says', async () => {
    const asked = github.requests().length;
    const delivery = issue().close({ by: 'ben', reason: 'not_planned' });
    await github.webhooks.settled();
    expect(github.requests()).toHaveLength(asked);
    expect(rows).toMatchObject([{ id: delivery.guid, event: 'issues' }]);
    const hint = interpretDelivery('issues', JSON.parse(rows[0]?.payload ?? ''));
    const reading = await reader.readIssue(repository, 12);
    expect(hint).toMatchObject({
      kind: 'issue',
      action: 'closed',
      repository,
      ref: { repositoryId: repository.id, number: 12 },
    });
    expect(hint).toMatchObject({ issue: reading.found === 'issue' ? reading.issue : null });
  });

  test('tells of a new comment what a live read says, and of our file’s change', async () => {
    const { id } = issue().comment({ by: 'ann', body: '/task cancel' });
    github.pushFile('acme/widgets', { by: 'ann', path: 'README.md', text: 'hello' });
    github.pushFile('acme/widgets', { by: 'ann', path: '.github/standdown.yml', text: 'tasks: {}' });
    await github.webhooks.settled();
    const hints = rows.map(({ event, payload }) => interpretDelivery(event, JSON.parse(payload)));
    const comment = await reader.readComment(repository, String(id));
    expect(hints).toHaveLength(3);
    expect(hints).toEqual(
      expect.arrayContaining([
        { kind: 'comment', ref: { repositoryId: repository.id, number: 12 }, comment, repository },
        { kind: 'ignored' },
        { kind: 'file', repository },
      ]),
    );
  });

  test('tells both sides of a dependency that the same issue is to be looked at', async () => {
    github.addRepository('acme/data');
    github.addIssue('acme/data', { number: 7 });
    issue().blockBy({ by: 'ann', repository: 'acme/data', number: 7 });
    await github.webhooks.settled();
    const edges = rows.filter(({ event }) => event === 'issue_dependencies');
    const hints = edges.map(({ event, payload }) => interpretDelivery(event, JSON.parse(payload)));
    const hint = { kind: 'blockers', ref: { repositoryId: repository.id, number: 12 }, repository };
    expect(hints).toEqual([hint, hint]);
  });

  test('of every kind that the stand-in sends is a hint or ignored, never malformed', async () => {
    issue().edit({ by: 'ann', title: 'Train it again' });
    issue().lock({ by: 'ann' });
    issue().unlock({ by: 'ann' });
    issue().close({ by: 'ann' });
    issue().reopen({ by: 'ann' });
    issue().comment({ by: 'ann', body: 'hello' });
    github.installation.suspend({ by: 'ann' });
    github.installation.unsuspend({ by: 'ann' });
    github.webhooks.ping();
    issue().delete({ by: 'ann' });
    await github.webhooks.settled();
    github.pushFile('acme/widgets', { by: 'ann', path: '.github/standdown.yml', text: 'tasks: {}' });
    await github.webhooks.settled();
    const kinds = rows.map(({ event, payload }) => `${event}: ${interpretDelivery(event, JSON.parse(payload)).kind}`);
    expect(kinds.length).toBeGreaterThan(8);
    const told = ['issues: issue', 'issue_comment: comment', 'push: file', 'installation: access'];
    expect(kinds.filter((kind) => !told.includes(kind) && !kind.endsWith(': ignored'))).toEqual([]);
    expect(kinds).toEqual(expect.arrayContaining(told));
    expect(kinds).not.toContain('issues: ignored');
  });
});
