/** What the doctor finds at an app that answers what a test puts there, and how it ends. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeApp, run, startApp } from './support.ts';

let app: FakeApp;
beforeEach(async () => {
  app = await startApp();
  app.answers['GET /holds'] = { body: { items: [], next: null } };
});
afterEach(() => app.close());

const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const webhooks = (set: object = {}) => ({
  ...{ missed: 0, recovered: 3, given_up: 0, oldest_missed_at: null, last_given_up_at: null },
  ...{ looked_at: ago(3 * MINUTE), problem: null, ...set },
});
const data = (set: object = {}) => ({
  ...{ repositories: 2, oldest_repository: 'acme/widgets', oldest_at: ago(9_000), age_seconds: 9 },
  ...{ problems: [], problems_in_all: 0, ...set },
});

const failing = () => ({ code: 'retryable', message: '502', since: ago(3 * MINUTE) });
const lost = (access: string) => ({ repository: 'acme/gadgets', access, since: ago(4 * MINUTE) });

function ready(set: object = {}, status = 200): void {
  const runner = { state: 'ok', kind: 'process', containment: 'cgroup', user: 'runs', max_running: null, notes: [] };
  const body = {
    ...{ status: 'ok', database: 'ok', github: 'ok', sweep: { done_at_start: true, last_at: null, errors: 0 } },
    ...{ data: data(), webhooks: webhooks(), runners: { local: runner }, not_enforced: [], ...set },
  };
  app.answers['GET /readyz'] = { status, body };
}

describe('the doctor', () => {
  it('says how it stands, and ends with 0 where nothing is wrong', async () => {
    ready();
    const { exitCode, out, err } = await run(app, 'doctor');
    expect(err).toBe('');
    expect(out.split('\n')).toEqual([
      'ok  app           takes deliveries',
      'ok  database      ok',
      'ok  github        answers',
      'ok  sweep         the last one reached all it looks at',
      'ok  issues        what is known of issues is 9 s old at most (acme/widgets)',
      'ok  webhooks      0 missed, 3 recovered, 0 given up; looked for 3 min ago',
      'ok  runner local  process, containment cgroup, runs as runs',
      'ok  api           answers',
      '',
      'Nothing is wrong.',
      '',
    ]);
    expect(exitCode).toBe(0);
  });

  it.each([
    ['a database that is away', { database: 'unavailable', status: 'unavailable' }, /^wrong\s+database\s+unavailable/m],
    ['an app that is ending', { status: 'draining' }, /^wrong\s+app\s+takes none: draining/m],
    [
      'a GitHub that gives no answer',
      { github: 'degraded' },
      /^wrong\s+github\s+degraded: its newest answer was none/m,
    ],
    [
      'a sweep that could not read something',
      { github: 'degraded', sweep: { done_at_start: true, last_at: null, errors: 2 } },
      /^wrong\s+github\s+degraded: an answer that the last sweep needed was none .*\nwrong\s+sweep\s+2 of/m,
    ],
    [
      'an issue that can not be read',
      { sweep: { done_at_start: true, last_at: null, errors: 1, issues: [{ issue: 'acme/gadgets#7', ...failing() }] } },
      /^wrong\s+sweep\s+1 of .*\nwrong\s+sweep\s+acme\/gadgets#7 has news, .* for 3 min: retryable: 502$/m,
    ],
    [
      'a repository that can not be read',
      {
        data: data({
          problems: [{ repository: 'acme/gadgets', code: 'lost_access', message: '403', since: ago(3 * MINUTE) }],
          problems_in_all: 4,
        }),
      },
      /^wrong\s+issues\s+acme\/gadgets can't be read for 3 min: lost_access: 403\nwrong\s+issues\s+3 more/m,
    ],
    [
      'an App that is suspended where tasks are',
      { data: data({ out_of_reach: [lost('suspended')], out_of_reach_in_all: 3 }) },
      /^wrong\s+access\s+the App is suspended on acme\/gadgets for 4 min: no close .*\nwrong\s+access\s+2 more/m,
    ],
    [
      'an App that was taken from where tasks are',
      { data: data({ out_of_reach: [lost('gone')], out_of_reach_in_all: 1 }) },
      /^wrong\s+access\s+the App was taken from acme\/gadgets 4 min ago: what is left there ends soon$/m,
    ],
    [
      'a delivery that was given up today',
      { webhooks: webhooks({ given_up: 1, last_given_up_at: ago(3 * HOUR) }) },
      /^wrong\s+webhooks\s+one was given up 3 h ago/m,
    ],
    [
      'an agent that gives no answer',
      {
        runners: {
          lab: {
            ...{ state: 'degraded', kind: 'agent', containment: 'cgroup', notes: [] },
            ...{ silent_since: ago(7 * MINUTE), silent_because: 'no connection in time' },
          },
        },
      },
      /^wrong\s+runner lab\s+gives no answer for 7 min: no connection in time/m,
    ],
    [
      'an agent that gives no answer for so long that somebody has to look',
      {
        runners: {
          lab: {
            ...{ state: 'degraded', kind: 'agent', containment: 'cgroup', notes: [] },
            ...{ silent_since: ago(61 * MINUTE), silent_because: 'no connection in time' },
            ...{ runs_left_alone: 2, needs_person: true },
          },
        },
      },
      /^wrong\s+runner lab\s+gives no answer for 61 min: no .* in time; see what .* of its 2 runs, which are left alone/m,
    ],
    [
      'a run that can not be ended where it was given up',
      { runners: { lab: { state: 'ok', orphans: [{ run_id: 'run_9', since: ago(6 * MINUTE) }], orphans_in_all: 1 } } },
      /^wrong\s+runner lab\s+run run_9 has ended here and lives there; it is being ended for 6 min/m,
    ],
    ['a runner that is away', { runners: { lab: { state: 'degraded' } } }, /^wrong\s+runner lab\s+degraded/m],
  ])('ends with 1 for %s, and names it', async (_what, set, line) => {
    ready(set, 'status' in set ? 503 : 200);
    const { exitCode, out } = await run(app, 'doctor');
    expect(out).toMatch(line);
    expect(out).toMatch(/(thing is|things are) wrong\.\n$/);
    expect(exitCode).toBe(1);
  });

  it.each([
    [
      'deliveries that are missed now',
      { webhooks: webhooks({ missed: 2, oldest_missed_at: ago(4 * MINUTE) }) },
      /^note\s+webhooks\s+2 missed, .*; the oldest that is missed was sent 4 min ago$/m,
    ],
    [
      'deliveries that were given up days ago',
      { webhooks: webhooks({ given_up: 7, last_given_up_at: ago(30 * HOUR) }) },
      /^ok\s+webhooks\s+0 missed, 3 recovered, 7 given up/m,
    ],
    [
      'a GitHub that does not tell of deliveries',
      { webhooks: webhooks({ problem: 'no such page', looked_at: null }) },
      /not looked for yet\nnote\s+webhooks\s+missed ones are left to the sweep: no such page$/m,
    ],
    [
      'a repository that is archived',
      { data: data({ out_of_reach: [lost('archived')], out_of_reach_in_all: 1 }) },
      /^note\s+access\s+acme\/gadgets is archived for 4 min: nothing starts there$/m,
    ],
    ['token mode', { webhooks: null }, /^ok\s+github/m],
    ['an app without GitHub', { github: 'not configured', data: null, webhooks: null }, /^note\s+github\s+no App/m],
    ['no runner', { runners: {} }, /^note\s+runners\s+none is configured/m],
    [
      'runs of the account of the app, and what else a runner says',
      { runners: { local: { state: 'ok', kind: 'process', user: null, notes: ['cgroup is not available: EROFS'] } } },
      /^note\s+runner local\s+runs belong to the account of the app.*\nnote\s+runner local\s+cgroup is not available/m,
    ],
    [
      'runs on a runner that nobody here wants',
      {
        runners: {
          lab: {
            ...{ state: 'ok', orphans: [{ run_id: 'run_9', since: ago(30 * 1_000) }], orphans_in_all: 1 },
            ...{ unknown_runs: ['run_x', 'run_y'], unknown_runs_in_all: 9 },
          },
        },
      },
      /^note\s+runner lab\s+run run_9 has ended .* for \d+ s\nnote .* 9 runs live there that .*: run_x, run_y and 7 more$/m,
    ],
    [
      'an agent that has not answered yet',
      { runners: { lab: { state: 'degraded', kind: 'agent', containment: 'scan', heard: false } } },
      /^note\s+runner lab\s+not heard of yet$/m,
    ],
    [
      'keys that nothing acts on',
      { not_enforced: ['limits.unreachable_minutes'] },
      /^note\s+configuration\s+limits.unreachable_minutes is set/m,
    ],
    [
      'a sweep at start that goes on',
      { sweep: { done_at_start: false, last_at: null, errors: 0 } },
      /^note\s+sweep\s+the one at start is not over/m,
    ],
  ])('mentions %s, which is nothing wrong', async (_what, set, line) => {
    ready(set);
    const { exitCode, out } = await run(app, 'doctor');
    expect(out).toMatch(line);
    expect(exitCode).toBe(0);
  });

  it('says what is paused, and that the token is refused', async () => {
    ready();
    const hold = { scope: 'all', reason: null, actor: 'ann', age_seconds: 3 };
    app.answers['GET /holds'] = { body: { items: [hold], next: null } };
    expect((await run(app, 'doctor')).out).toMatch(/^note\s+api\s+1 paused: see standdown pause --list$/m);
    app.answers['GET /holds'] = {
      status: 401,
      body: { error: { code: 'unauthorized', message: 'a token is missing' } },
    };
    const { exitCode, out } = await run(app, 'doctor');
    expect(out).toMatch(/^wrong\s+api\s+a token is missing \(the CLI takes it from STANDDOWN_API_TOKEN\)$/m);
    expect(exitCode).toBe(1);
  });

  it('gives all of it with --json, what the app itself says too', async () => {
    ready({ github: 'degraded' });
    const { exitCode, out } = await run(app, 'doctor', '--json');
    expect(JSON.parse(out)).toMatchObject({
      ok: false,
      findings: expect.arrayContaining([{ level: 'wrong', of: 'github', message: expect.any(String) }]),
      ready: { github: 'degraded', webhooks: { recovered: 3 } },
    });
    expect(exitCode).toBe(1);
  });

  it.each([
    ['a page of somebody else', { status: 404, body: '<html>' }, /answered 404, but not as Standdown does/],
    ['an answer of another shape', { body: { hello: 'world' } }, /not as this version of Standdown expects/],
  ])('ends with 6 for %s', async (_what, answer, words) => {
    app.answers['GET /readyz'] = answer;
    const { exitCode, err } = await run(app, 'doctor');
    expect(err).toMatch(words);
    expect(exitCode).toBe(6);
  });

  it('ends with 6 where nobody answers', async () => {
    await app.close();
    const { exitCode, err } = await run(app, 'doctor');
    expect(err).toMatch(/^standdown: can't reach the app at .*STANDDOWN_URL says where it is/);
    expect(exitCode).toBe(6);
  });
});
