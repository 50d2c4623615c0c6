/** How old what is known of GitHub is, on the command line. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeApp, run, startApp, taskAs } from './support.ts';

let app: FakeApp;
beforeEach(async () => {
  app = await startApp();
});
afterEach(() => app.close());

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const problem = () => ({ look: 'changes', code: 'retryable', message: '502\u001b[2J', since: ago(9.5) });

function repositoryAs(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    ...{ id: '7', full_name: 'acme/widgets', access: 'ok', access_since: null, swept_at: null, verified_at: null },
    ...{ data_age_seconds: null, problem: null },
    ...changes,
  };
}

describe('standdown repositories', () => {
  it('shows whether each can be reached, and how old what is known of it is', async () => {
    const old = { data_age_seconds: 600, verified_at: ago(30.5), problem: problem() };
    const suspended = { full_name: 'acme/gadgets', access: 'suspended', access_since: ago(5.5) };
    const items = [repositoryAs(old), repositoryAs(suspended)];
    app.answers['GET /repositories'] = { body: { items, next: 'bW9yZQ' } };
    expect(await run(app, 'repositories')).toEqual({
      exitCode: 0,
      err: '',
      out: [
        'REPOSITORY    ACCESS               SWEPT       VERIFIED    PROBLEM',
        'acme/widgets  ok                   10 min ago  30 min ago  for 9 min: retryable: 502 [2J',
        'acme/gadgets  suspended for 5 min  never       never',
        'More: --cursor bW9yZQ',
        '',
      ].join('\n'),
    });
  });

  it('asks for one by name and for the page behind, and gives the answer itself with --json', async () => {
    const body = { items: [repositoryAs()], next: null };
    app.answers['GET /repositories'] = { body };
    const ran = await run(app, 'repositories', '--repository', 'acme/widgets', '--cursor', 'abc', '--json');
    expect(JSON.parse(ran.out)).toEqual(body);
    expect(app.calls).toEqual([{ call: 'GET /repositories?repository=acme%2Fwidgets&cursor=abc', body: '' }]);
  });

  it('says that there are none', async () => {
    app.answers['GET /repositories'] = { body: { items: [], next: null } };
    expect(await run(app, 'repositories')).toMatchObject({ exitCode: 0, out: 'No repositories.\n' });
  });

  it('refuses the name of one that was never seen', async () => {
    app.answers['GET /repositories'] = { body: { items: [], next: null } };
    const { exitCode, out, err } = await run(app, 'repositories', '--repository', 'acme/wigdets');
    expect(err).toMatch(/^standdown: the repository acme\/wigdets is not known here; /);
    expect({ exitCode, out }).toEqual({ exitCode: 5, out: '' });
  });
});

describe('standdown task show', () => {
  const open = {
    ...{ state: 'open', reason: null, closed_at: null, locked: false, presence: 'present', moved_to: null },
    ...{ observed_at: '2026-01-02T12:00:00.000Z', data_age_seconds: 61, problem: null },
  };
  const movedTo = 'https://github.com/acme/gadgets/issues/4';

  async function issueLines(state: object | undefined): Promise<string[]> {
    app.answers['GET /tasks/task_1'] = { body: taskAs({ issue_state: state }) };
    const { out } = await run(app, 'task', 'show', 'task_1');
    return out.split('\n').slice(1, -1);
  }

  it.each([
    ['open', {}, 'open'],
    ['closed and locked', { state: 'closed', reason: 'not_planned', locked: true }, 'closed (not planned), locked'],
    ['deleted', { presence: 'deleted', locked: true }, 'deleted'],
    ['transferred', { presence: 'transferred', moved_to: movedTo }, `transferred to ${movedTo}`],
    ['transferred out of sight', { presence: 'transferred' }, 'transferred'],
  ])('says that the issue is %s, and how long ago that was seen', async (_what, changes, words) => {
    expect(await issueLines({ ...open, ...changes })).toEqual([`issue acme/widgets#13: ${words}, as seen 61 s ago`]);
  });

  it('says why the issue is not known newer, and nothing in it drives the terminal', async () => {
    expect(await issueLines({ ...open, data_age_seconds: 600, problem: problem() })).toEqual([
      'issue acme/widgets#13: open, as seen 10 min ago',
      "can't be read anew for 9 min: retryable: 502�[2J",
    ]);
  });

  it.each([
    ['suspended', 'the App is suspended there'],
    ['gone', 'the App was taken from there'],
  ])('says that nobody looks at it where the repository is %s', async (access, words) => {
    expect(await issueLines({ ...open, access, access_since: ago(5.5) })).toEqual([
      'issue acme/widgets#13: open, as seen 61 s ago',
      `not looked at for 5 min: ${words}`,
    ]);
  });

  it.each([null, undefined])('shows only the number where the app tells no more (%s)', async (state) => {
    expect(await issueLines(state as never)).toEqual(['issue acme/widgets#13']);
  });
});

describe('standdown explain', () => {
  it('says where a transferred issue is now', async () => {
    const movedTo = 'https://github.com/acme/gadgets/issues/4';
    const known = { repository: 'acme/widgets', issue: 13, title: 'Train', state: 'transferred', moved_to: movedTo };
    app.answers['GET /issues/acme/widgets/13/explain'] = {
      body: { ...known, note: null, blocked_by: [], tasks: [], blocks: [] },
    };
    const { out } = await run(app, 'explain', 'acme/widgets#13');
    expect(out).toMatch(/^acme\/widgets#13 Train: transferred to https:\/\/github.com\/acme\/gadgets\/issues\/4\n/);
  });
});
