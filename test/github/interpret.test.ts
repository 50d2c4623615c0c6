import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { interpretDelivery } from '../../src/github/interpret.ts';
import { commentJson, issueJson } from './support.ts';

function payload(action: string, issue: object = {}, facts: object = {}) {
  return {
    action,
    issue: issueJson({ closed_by: undefined, ...issue }),
    repository: { id: 101, full_name: 'acme/widgets', private: true },
    sender: { login: 'cleo' },
    installation: { id: 7, node_id: 'x' },
    ...facts,
  };
}

const OPEN = { state: 'open', state_reason: null, closed_at: null };

describe('a delivery about an issue', () => {
  test('is a hint: which issue, what the payload saw of it, and where', () => {
    expect(interpretDelivery('issues', payload('closed', { state_reason: 'not_planned' }))).toEqual({
      kind: 'issue',
      action: 'closed',
      ref: { repositoryId: '101', number: 12 },
      repository: { id: '101', fullName: 'acme/widgets', installationId: 7 },
      issue: {
        nodeId: 'I_12',
        number: 12,
        title: 'Train the ranker',
        url: 'https://github.com/acme/widgets/issues/12',
        state: 'closed',
        reason: 'not_planned',
        closedAt: new Date('2026-01-02T03:04:05Z'),
        updatedAt: new Date('2026-01-02T03:04:06Z'),
        author: 'ann',
        actor: 'cleo',
        locked: false,
        isPullRequest: false,
        dependsOn: [],
        blockedByCount: null,
      },
    });
  });

  test('that reopens names who did it', () => {
    const hint = interpretDelivery('issues', payload('reopened', { ...OPEN, state_reason: 'reopened' }));
    expect(hint).toMatchObject({ action: 'reopened', issue: { state: 'open', actor: 'cleo', closedAt: null } });
  });

  test.each(['edited', 'deleted', 'transferred', 'locked', 'unlocked'])(
    'with the action %s is a hint whose sender did not close or reopen it',
    (action) => {
      expect(interpretDelivery('issues', payload(action))).toMatchObject({
        kind: 'issue',
        action,
        issue: { actor: null },
      });
    },
  );

  test('from a webhook that no App made has no installation', () => {
    const hint = interpretDelivery('issues', payload('closed', {}, { installation: undefined }));
    expect(hint).toMatchObject({ repository: { installationId: null } });
  });

  test('shows what the issue waits for', () => {
    const summary = { total_blocked_by: 2 };
    const hint = interpretDelivery(
      'issues',
      payload('edited', { body: 'Depends on #3', issue_dependencies_summary: summary }),
    );
    expect(hint).toMatchObject({ issue: { dependsOn: ['#3'], blockedByCount: 2 } });
  });

  test('that it was transferred is about the issue where it was', () => {
    const moved = { html_url: 'https://github.com/acme/archive/issues/3', number: 3 };
    const changes = { new_issue: issueJson(moved), new_repository: { id: 404, full_name: 'acme/archive' } };
    expect(interpretDelivery('issues', payload('transferred', OPEN, { changes }))).toMatchObject({
      kind: 'issue',
      action: 'transferred',
      ref: { repositoryId: '101', number: 12 },
      repository: { fullName: 'acme/widgets' },
    });
  });

  test.each([
    'opened',
    'assigned',
    'unassigned',
    'labeled',
    'unlabeled',
    'milestoned',
    'demilestoned',
    'pinned',
    'unpinned',
    'typed',
    'untyped',
    'field_added',
    'field_removed',
    'an_action_of_tomorrow',
    'constructor',
  ])('with the action %s is ignored, whatever comes with it', (action) => {
    expect(interpretDelivery('issues', payload(action))).toEqual({ kind: 'ignored' });
    expect(interpretDelivery('issues', { action })).toEqual({ kind: 'ignored' });
  });

  test.each(['closed', 'reopened', 'deleted', 'transferred', 'locked', 'unlocked', 'edited'])(
    '%s is ignored where that is a pull request',
    (action) => {
      const hint = interpretDelivery('issues', payload(action, { pull_request: { url: 'x' } }));
      expect(hint).toEqual({ kind: 'ignored' });
    },
  );
});

describe('a delivery about a dependency', () => {
  const edge = (action: string, facts: object = {}) => ({
    action,
    blocked_issue: { number: 12 },
    blocking_issue: { number: 7 },
    repository: { id: 101, full_name: 'acme/widgets' },
    installation: { id: 7 },
    ...facts,
  });
  const widgets = { id: '101', fullName: 'acme/widgets', installationId: 7 };
  const data = { id: 202, full_name: 'acme/data' };

  test.each(['blocked_by_added', 'blocked_by_removed'])('%s names the issue of its own repository', (action) => {
    const hint = interpretDelivery('issue_dependencies', edge(action, { blocking_issue_repo: data }));
    expect(hint).toEqual({ kind: 'blockers', ref: { repositoryId: '101', number: 12 }, repository: widgets });
  });

  test.each(['blocking_added', 'blocking_removed'])('%s names the issue where that is', (action) => {
    const hint = interpretDelivery('issue_dependencies', edge(action, { blocked_issue_repo: data }));
    const repository = { id: '202', fullName: 'acme/data', installationId: 7 };
    expect(hint).toEqual({ kind: 'blockers', ref: { repositoryId: '202', number: 12 }, repository });
  });

  test.each([
    ['does not say where the blocked issue is', edge('blocking_added')],
    [
      'is about an issue of another account',
      edge('blocking_added', { blocked_issue_repo: { id: 3, full_name: 'b/c' } }),
    ],
    ['is about a pull request', edge('blocked_by_added', { blocked_issue: { number: 12, pull_request: {} } })],
    ['has an action of tomorrow', edge('an_action_of_tomorrow')],
  ])('is ignored where it %s', (_name, told) => {
    expect(interpretDelivery('issue_dependencies', told)).toEqual({ kind: 'ignored' });
  });

  test.each([
    ['no object', null, 'payload'],
    ['no blocked issue', edge('blocked_by_added', { blocked_issue: undefined }), 'blocked_issue'],
    ['no number', edge('blocked_by_added', { blocked_issue: { number: 'S3CRET' } }), 'blocked_issue.number'],
    ['no number of an issue', edge('blocked_by_added', { blocked_issue: { number: 2 ** 31 } }), 'blocked_issue.number'],
    ['no repository', edge('blocked_by_added', { repository: undefined }), 'repository'],
  ])('is malformed with %s, and the problem names the place alone', (_name, told, place) => {
    const hint = interpretDelivery('issue_dependencies', told);
    expect(hint).toEqual({ kind: 'malformed', problem: expect.stringContaining(`${place}: `) });
    expect(JSON.stringify(hint)).not.toContain('S3CRET');
  });
});

describe('a delivery about a comment', () => {
  const told = (action: string, comment: object = {}, issue: object = {}) =>
    payload(action, { ...OPEN, ...issue }, { comment: commentJson(comment) });
  const hintOf = (comment: object) => interpretDelivery('issue_comment', told('created', comment));

  test('is a hint: what was said, by whom and where', () => {
    expect(interpretDelivery('issue_comment', told('created'))).toEqual({
      kind: 'comment',
      ref: { repositoryId: '101', number: 12 },
      repository: { id: '101', fullName: 'acme/widgets', installationId: 7 },
      comment: {
        id: '77',
        number: 12,
        author: 'ann',
        isBot: false,
        app: null,
        body: '/task cancel',
        createdAt: new Date('2026-01-02T03:04:05Z'),
        updatedAt: new Date('2026-01-02T03:04:05Z'),
      },
    });
  });

  test.each([
    ['a bot', { user: { login: 'helper[bot]', type: 'Bot' } }, { author: 'helper[bot]', isBot: true, app: 'helper' }],
    [
      'a bot without a slug',
      { user: { login: 'Copilot', type: 'Bot' } },
      { author: 'Copilot', isBot: true, app: null },
    ],
    [
      'a person through an App',
      { performed_via_github_app: { id: 5, slug: 'helper' } },
      { author: 'ann', isBot: false, app: 'helper' },
    ],
    ['a person through an App without a slug', { performed_via_github_app: { id: 5 } }, { author: 'ann', app: '5' }],
    ['an account that is gone', { user: null }, { author: null, isBot: false, app: null }],
  ])('tells %s from a person', (_name, comment, expected) => {
    expect(hintOf(comment)).toMatchObject({ kind: 'comment', comment: expected });
  });

  test('without a text says nothing, which is no fault', () => {
    expect(hintOf({ body: null })).toMatchObject({ comment: { body: '' } });
  });

  test.each([
    ['was edited', told('edited')],
    ['was deleted', told('deleted')],
    ['is on a pull request', told('created', {}, { pull_request: { url: 'x' } })],
    ['has an action of tomorrow', told('pinned')],
  ])('is ignored where it %s', (_name, delivery) => {
    expect(interpretDelivery('issue_comment', delivery)).toEqual({ kind: 'ignored' });
  });

  test.each([
    ['no object', null, 'payload'],
    ['no comment', payload('created'), 'comment'],
    ['no id', told('created', { id: 'S3CRET' }), 'comment.id'],
    ['no time', told('created', { created_at: 'S3CRET' }), 'comment.created_at'],
    ['no issue', told('created', { issue_url: 'S3CRET' }), 'comment.issue_url'],
    ['no number', told('created', {}, { number: 'S3CRET' }), 'issue.number'],
  ])('is malformed with %s, and the problem names the place alone', (_name, delivery, place) => {
    const hint = interpretDelivery('issue_comment', delivery);
    expect(hint).toEqual({ kind: 'malformed', problem: expect.stringContaining(`${place}: `) });
    expect(JSON.stringify(hint)).not.toContain('S3CRET');
  });
});

describe('a push', () => {
  const FILE = '.github/standdown.yml';
  const commit = (facts: object) => ({ id: 'c1', added: [], modified: [], removed: [], ...facts });
  const push = (facts: object) => ({
    ref: 'refs/heads/trunk',
    created: false,
    deleted: false,
    forced: false,
    commits: [commit({ modified: ['README.md'] })],
    repository: { id: 101, full_name: 'acme/widgets', default_branch: 'trunk' },
    installation: { id: 7 },
    ...facts,
  });
  const many = (count: number, name: (index: number) => object | string) =>
    Array.from({ length: count }, (_, index) => name(index));
  const hint = { kind: 'file', repository: { id: '101', fullName: 'acme/widgets', installationId: 7 } };

  test.each([
    ['adds the file', { commits: [commit({ added: [FILE] })] }],
    ['changes it in one of several commits', { commits: [commit({ modified: [FILE] }), commit({})] }],
    ['removes it', { commits: [commit({ removed: [FILE] })] }],
    ['is forced: what it took away is in no commit', { forced: true }],
    ['made the branch', { created: true }],
    ['names no commit', { commits: [] }],
    ['names as many commits as GitHub ever names', { commits: many(2048, () => commit({})) }],
    ['names as many files as GitHub ever names', { commits: [commit({ added: many(3000, (n) => `f${n}`) })] }],
  ])('of the default branch that %s is a hint', (_name, facts) => {
    expect(interpretDelivery('push', push(facts))).toEqual(hint);
  });

  test.each([
    ['touches other files', {}],
    ['is to another branch', { ref: 'refs/heads/feature', commits: [commit({ added: [FILE] })] }],
    ['is a tag of the same name', { ref: 'refs/tags/trunk', commits: [commit({ added: [FILE] })] }],
    ['deletes the branch', { deleted: true, forced: true, commits: [] }],
    ['touches a file whose path ends so', { commits: [commit({ added: [`docs/${FILE}`] })] }],
  ])('is ignored where it %s', (_name, facts) => {
    expect(interpretDelivery('push', push(facts))).toEqual({ kind: 'ignored' });
  });

  test.each([
    ['no object', null, 'payload'],
    ['no branch', push({ ref: undefined }), 'ref'],
    ['no commits', push({ commits: 'S3CRET' }), 'commits'],
    ['no default branch', push({ repository: { id: 101, full_name: 'acme/widgets' } }), 'repository.default_branch'],
  ])('is malformed with %s, and the problem names the place alone', (_name, delivery, place) => {
    const problem = interpretDelivery('push', delivery);
    expect(problem).toEqual({ kind: 'malformed', problem: expect.stringContaining(`${place}: `) });
    expect(JSON.stringify(problem)).not.toContain('S3CRET');
  });
});

test.each(['ping', 'public', 'sub_issues', 'pull_request', 'toString', ''])(
  'the event %j is ignored, whatever it holds',
  (event) => {
    expect(interpretDelivery(event, null)).toEqual({ kind: 'ignored' });
  },
);

describe('a payload that lacks what its event promises is malformed', () => {
  test.each([
    ['no object', null, 'payload'],
    ['a list', [], 'payload'],
    ['no action', { ...payload('closed'), action: undefined }, 'action'],
    ['no issue', { ...payload('closed'), issue: undefined }, 'issue'],
    ['no state', payload('closed', { state: undefined }), 'issue.state'],
    ['no number of an issue', payload('closed', { number: 2 ** 31 }), 'issue.number'],
    ['no version', payload('closed', { updated_at: 'yesterday' }), 'issue.updated_at'],
    ['a close without its time', payload('closed', { closed_at: null }), 'issue.closed_at'],
    ['no repository id', payload('closed', {}, { repository: { full_name: 'acme/widgets' } }), 'repository.id'],
    ['no sender', payload('closed', {}, { sender: null }), 'sender'],
    ['a broken installation', payload('closed', {}, { installation: { id: 'seven' } }), 'installation.id'],
  ])('%s, and the problem names the place', (_name, broken, place) => {
    const hint = interpretDelivery('issues', broken);
    expect(hint).toEqual({ kind: 'malformed', problem: expect.stringContaining(`${place}: `) });
  });

  test('and no value of it gets into the problem', () => {
    const hint = interpretDelivery('issues', payload('closed', { state: 'S3CRET', number: 'S3CRET', user: 'S3CRET' }));
    expect(hint).toMatchObject({ kind: 'malformed' });
    expect(JSON.stringify(hint)).not.toContain('S3CRET');
  });

  test('and nothing that JSON can hold makes it throw', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (whole, issue) => {
        expect(interpretDelivery('issues', whole).kind).toBe('malformed');
        expect(interpretDelivery('issues', payload('closed', {}, { issue })).kind).toBe('malformed');
        expect(interpretDelivery('issue_comment', payload('created', {}, { comment: issue })).kind).toBe('malformed');
        expect(interpretDelivery('push', whole).kind).toBe('malformed');
      }),
      { numRuns: 200 },
    );
  });
});
