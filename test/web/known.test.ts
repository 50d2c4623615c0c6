/** How old what is known of GitHub is, over REST: of repositories, and of the issues of tasks. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SweepProblem } from '../../src/engine/ports.ts';
import type { IssueStateView } from '../../src/web/schemas/issue-state.ts';
import { anIssue } from '../support/builders.ts';
import { makeBatch, makeState, makeTask, startFakeApp } from './fake-app.ts';

let app: Awaited<ReturnType<typeof startFakeApp>>;
beforeEach(async () => {
  app = await startFakeApp();
});
afterEach(() => app.close());

async function get(path: string) {
  const response = await app.call('GET', `/api/v1${path}`);
  return (await response.json()) as { issue_state: unknown; tasks: { issue: number; issue_state: IssueStateView }[] };
}

/** The app's clock stands a minute later. */
const at = new Date('2026-01-02T03:04:05.678Z');
const time = at.toISOString();
const later = (seconds: number) => new Date(at.getTime() + seconds * 1_000);
const failing = { look: 'changes', code: 'retryable', message: '502' } as const;
const sweepProblem: SweepProblem = { ...failing, since: at, failures: 3, nextTryAt: later(90) };
const problem = { ...failing, since: time, next_try_at: '2026-01-02T03:05:35.678Z' };

describe('repositories over REST', () => {
  it('are shown with how old what is known of them is, and why it is not newer', async () => {
    app.world.repositories = [
      makeState({ sweptAt: at, verifiedAt: later(-60), sweepProblem }),
      makeState({ id: '8', fullName: 'acme/gadgets', access: 'suspended', accessSince: at }),
    ];
    expect(await get('/repositories')).toEqual({
      items: [
        {
          ...{ id: '7', full_name: 'acme/widgets', access: 'ok', access_since: null },
          ...{ swept_at: time, verified_at: '2026-01-02T03:03:05.678Z', data_age_seconds: 60, problem },
        },
        {
          ...{ id: '8', full_name: 'acme/gadgets', access: 'suspended', access_since: time },
          ...{ swept_at: null, verified_at: null, data_age_seconds: null, problem: null },
        },
      ],
      next: null,
    });
  });

  it('come in pages, and one by its name', async () => {
    app.world.repositories = [makeState(), makeState({ id: '8' })];
    expect(await get('/repositories?limit=1&cursor=abc')).toMatchObject({ next: 'more' });
    await get('/repositories?repository=acme/widgets');
    expect(app.world.asked).toEqual([
      { cursor: 'abc', limit: 1 },
      { id: '7', limit: 50 },
    ]);
  });

  it('are none where none was ever seen, or none of that name', async () => {
    expect(await get('/repositories?repository=acme/unseen')).toEqual({ items: [], next: null });
    expect(app.world.asked).toEqual([]);
    app.world.repositories = [];
    expect(await get('/repositories')).toEqual({ items: [], next: null });
  });

  it.each([
    ['?access=gone', 'access', 'unknown key; accepted: repository, cursor, limit'],
    ['?repository=widgets', 'repository', 'must be owner/name, not "widgets"'],
    ['?limit=101', 'limit', expect.any(String)],
    ['?limit=1&limit=2', 'limit', 'is given 2 times; accepted is once'],
  ])('refuse %s with one clear error', async (query, path, message) => {
    const response = await app.call('GET', `/api/v1/repositories${query}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'bad_request', problems: [{ path, message }] } });
    expect(app.world.asked).toEqual([]);
  });

  it('refuse a cursor that no list gave out', async () => {
    const response = await app.call('GET', '/api/v1/repositories?cursor=none');
    expect(response.status).toBe(400);
    const problems = [{ path: 'cursor', message: 'must be one from an earlier answer, not "none"' }];
    expect(await response.json()).toMatchObject({ error: { code: 'bad_request', problems } });
  });

  it('need the same access as every read', async () => {
    expect((await fetch(`${app.url}/api/v1/repositories`)).status).toBe(401);
  });
});

describe('the issue of a task over REST', () => {
  const issueAs = (changes: Parameters<typeof anIssue>[0] = {}) =>
    anIssue({ repositoryId: '7', number: 13, observedAt: at, ...changes });
  const seen = async () => (await get('/tasks/task_1')).issue_state;

  beforeEach(() => {
    app.world.tasks = [makeTask()];
  });

  it('is shown as it was last seen, and why it is not known newer', async () => {
    app.world.repositories = [makeState({ sweepProblem })];
    const closed = { state: 'closed', reason: 'not_planned', closedAt: later(-5), locked: true } as const;
    app.world.issues = [issueAs(closed)];
    expect(await get('/tasks/task_1')).toMatchObject({ repository: 'acme/widgets', issue: 13 });
    expect(await seen()).toEqual({
      ...{ state: 'closed', reason: 'not_planned', closed_at: '2026-01-02T03:04:00.678Z', locked: true },
      ...{ presence: 'present', moved_to: null, observed_at: time, data_age_seconds: 60, problem },
      ...{ access: 'ok', access_since: null },
    });
    app.world.issues = [issueAs({ reason: 'completed' })];
    expect(await seen()).toMatchObject({ state: 'open', reason: null, closed_at: null, locked: false });
  });

  it('tells that its repository can not be used, and since when', async () => {
    app.world.repositories = [makeState({ access: 'suspended', accessSince: at })];
    app.world.issues = [issueAs()];
    expect(await seen()).toMatchObject({ access: 'suspended', access_since: time, problem: null });
  });

  it('tells where it was moved to', async () => {
    const movedTo = 'https://github.example/acme/gadgets/issues/4';
    app.world.issues = [issueAs({ presence: 'transferred', movedTo })];
    expect(await seen()).toMatchObject({ presence: 'transferred', moved_to: movedTo });
  });

  it('is as old as the sweep that found no news of it', async () => {
    app.world.repositories = [makeState({ sweptAt: later(50) })];
    app.world.issues = [issueAs()];
    expect(await seen()).toMatchObject({ observed_at: time, data_age_seconds: 10 });
    app.world.repositories = [makeState({ sweptAt: later(-50) })];
    expect(await seen()).toMatchObject({ data_age_seconds: 60 });
  });

  it.each([
    ['it has news that were not read yet', { readDue: true }, {}],
    ['it is not there any more', { presence: 'deleted' }, {}],
    ['nothing hangs on it any more', {}, { state: 'done', hold: null }],
  ] as const)('is no younger by a sweep where %s', async (_what, issue, task) => {
    app.world.repositories = [makeState({ sweptAt: later(50) })];
    app.world.issues = [issueAs(issue)];
    app.world.tasks = [makeTask(task)];
    expect(await seen()).toMatchObject({ data_age_seconds: 60 });
  });

  it('is null of a task without one, and of one whose issue was never read', async () => {
    app.world.issues = [issueAs({ number: 14 }), issueAs({ repositoryId: '8' })];
    expect(await seen()).toBeNull();
    app.world.tasks = [makeTask({ issueNumber: null })];
    expect(await seen()).toBeNull();
  });

  it('is read for many tasks at once, each issue once', async () => {
    const numbers = Array.from({ length: 500 }, (_, index) => index + 1);
    app.world.issues = numbers.map((number) => issueAs({ number, locked: number === 450 }));
    app.world.batches = [makeBatch()];
    app.world.tasks = [...numbers, ...numbers].map((issueNumber, index) =>
      makeTask({ id: `task_${index}`, key: `t${index}`, issueNumber }),
    );
    const { tasks } = await get('/batches/batch_1');
    const locked = tasks.filter((task) => task.issue_state.locked);
    expect(locked.map(({ issue }) => issue)).toEqual([450, 450]);
    expect(app.world.issueReads).toBe(2);
  });
});
