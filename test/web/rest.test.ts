import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anIssue } from '../support/builders.ts';
import { makeBatch, makeEvent, makeRun, makeTask, repository, startFakeApp } from './fake-app.ts';

let app: Awaited<ReturnType<typeof startFakeApp>>;
beforeEach(async () => {
  app = await startFakeApp();
});
afterEach(() => app.close());

async function errorOf(response: Response) {
  const { error } = (await response.json()) as { error: { code: string; message: string; problems?: unknown } };
  return { status: response.status, ...error };
}

const document = { repository: 'acme/widgets', name: 'nightly', tasks: { a: { runs_on: 'local', run: ['true'] } } };

describe('batches over REST', () => {
  it('are created from JSON', async () => {
    const response = await app.call('POST', '/api/v1/batches', { body: document });
    expect(response.status).toBe(201);
    expect(response.headers.get('location')).toBe('/api/v1/batches/batch_1');
    expect(await response.json()).toMatchObject({ id: 'batch_1', name: 'nightly', tasks: [{ id: 'task_1' }] });
    expect(app.world.acts).toEqual([{ document, dryRun: false, actor: 'api' }]);
  });

  it('are planned from YAML in a dry run', async () => {
    const body = 'repository: acme/widgets\nname: nightly\ntasks: {a: {runs_on: local, run: ["true"]}}\n';
    const headers = { 'content-type': 'application/yaml; charset=utf-8' };
    const response = await app.call('POST', '/api/v1/batches?dry_run=true', { body, headers });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ name: 'nightly', supersedes: null });
    expect(app.world.acts).toEqual([{ document, dryRun: true, actor: 'api' }]);
  });

  it('that are planned say what their tasks would wait for, and which stuck batch would make room', async () => {
    app.world.waitingOn = 'needs fetch (ready)';
    const response = await app.call('POST', '/api/v1/batches?dry_run=true', { body: { ...document, name: 'stuck' } });
    expect(await response.json()).toMatchObject({
      ...{ supersedes: 'batch_0', tasks: [{ waiting_on: 'needs fetch (ready)' }] },
    });
  });

  it('are refused with every problem and its place in the text', async () => {
    const body = 'tasks:\n  a:\n    run: nonsense\n';
    const response = await app.call('POST', '/api/v1/batches', { body, headers: { 'content-type': 'text/yaml' } });
    expect(await errorOf(response)).toEqual({
      status: 422,
      code: 'invalid_document',
      message: 'the batch document is wrong',
      problems: [{ path: 'tasks.a.run', message: 'must be better', line: 3, column: 5 }],
    });
  });

  it.each([
    ['application/json', '{\n  "name": "nightly",\n}', 400, 'line 3, column 1: is no JSON: '],
    ['application/yaml', 'name: nightly\ntasks: [1,\n', 422, 'line 3, column 1: '],
  ])('are refused as %s that is broken, with the place where', async (type, body, status, place) => {
    const error = await errorOf(await app.call('POST', '/api/v1/batches', { body, headers: { 'content-type': type } }));
    expect(error).toMatchObject({
      ...{ status, message: expect.stringContaining(`the batch document can not be read: ${place}`) },
      problems: [expect.objectContaining({ line: 3, column: 1 })],
    });
    expect(app.world.acts).toEqual([]);
  });

  it('are refused with 409 while one of that name is live', async () => {
    const response = await app.call('POST', '/api/v1/batches', { body: { ...document, name: 'busy' } });
    expect(await errorOf(response)).toEqual({
      ...{ status: 409, code: 'conflict', message: 'a batch of that name is running', batch_id: 'batch_0' },
    });
  });

  it('are listed by page with counts, and shown with their tasks and runs', async () => {
    app.world.batches = [makeBatch()];
    app.world.tasks = [makeTask(), makeTask({ id: 'task_2', key: 'b', state: 'done', cause: 'run_succeeded' })];
    app.world.runs = [makeRun()];
    const shown = {
      id: 'batch_1',
      repository: 'acme/widgets',
      name: 'nightly',
      state: 'running',
      stuck: false,
      strategy: 'parallel',
      max_parallel: 4,
      on_failure: 'continue',
      hold: null,
      order: null,
      created_at: '2026-01-02T03:04:05.678Z',
      finished_at: null,
      counts: { waiting: 0, ready: 0, running: 1, blocked: 0, done: 1, failed: 0, cancelled: 0, skipped: 0 },
      outcomes: expect.objectContaining({ done_by_run: 1, done_externally: 0, failed: 0 }),
    };
    const list = await app.call('GET', '/api/v1/batches?repository=acme/widgets&state=running&cursor=abc&limit=5');
    expect(await list.json()).toEqual({ items: [shown], next: 'more' });
    expect(app.world.asked).toEqual([{ repositoryId: '7', state: 'running', cursor: 'abc', limit: 5 }]);
    expect(app.world.batchReads).toBe(0);
    const one = (await (await app.call('GET', '/api/v1/batches/batch_1')).json()) as { tasks: { runs: object[] }[] };
    expect(one).toMatchObject(shown);
    expect(one.tasks.map((task) => task.runs.length)).toEqual([1, 0]);
  });

  it('of an unknown repository are none', async () => {
    const list = await app.call('GET', '/api/v1/batches?repository=acme/other');
    expect(await list.json()).toEqual({ items: [], next: null });
    expect(app.world.asked).toEqual([]);
  });

  it('show what was asked of them, and what would move a stuck one', async () => {
    const at = new Date('2026-01-02T03:04:05.678Z');
    const hold = { reason: 'quota', actor: 'ann', at };
    const order = { id: 'command_1', kind: 'resume', force: true, actor: 'tom', cause: 'api', at } as const;
    app.world.batches = [makeBatch({ stuck: true, hold, order })];
    app.world.tasks = [makeTask({ state: 'blocked', cause: 'question' })];
    const time = at.toISOString();
    expect(await (await app.call('GET', '/api/v1/batches/batch_1')).json()).toMatchObject({
      hold: { reason: 'quota', actor: 'ann', at: time },
      order: { kind: 'resume', force: true, actor: 'tom', at: time },
      next_steps: ['standdown unpause --batch batch_1', 'standdown task release task_1'],
    });
  });

  it.each([
    ['cancel', undefined, { cancel: { now: false, actor: 'api' } }],
    ['cancel', { now: true }, { cancel: { now: true, actor: 'api' } }],
    ['resume', {}, { resume: { force: false, actor: 'api' } }],
    ['resume', { force: true }, { resume: { force: true, actor: 'api' } }],
    ['hold', undefined, { hold: { reason: null, actor: 'api' } }],
    ['hold', { reason: 'quota' }, { hold: { reason: 'quota', actor: 'api' } }],
    ['release', undefined, { release: { actor: 'api' } }],
  ])('take %s with the body %j', async (verb, body, asked) => {
    app.world.batches = [makeBatch()];
    const path = (id: string) => `/api/v1/batches/${id}/${verb}`;
    const accepted = await app.call('POST', path('batch_1'), body === undefined ? {} : { body });
    expect([accepted.status, await accepted.json()]).toEqual([202, expect.objectContaining({ id: 'batch_1' })]);
    expect(app.world.acts).toEqual([{ id: 'batch_1', ...asked }]);
    expect(await errorOf(await app.call('POST', path('batch_9')))).toMatchObject({
      ...{ status: 404, message: 'no batch has the id batch_9; `standdown batch list` shows them' },
    });
    expect(await errorOf(await app.call('POST', path('batch_busy')))).toMatchObject({
      ...{ status: 409, batch_id: 'batch_0', message: 'another batch is running as batch_0' },
    });
  });

  it.each([
    ['cancel', { now: 'yes' }],
    ['cancel', { force: true }],
    ['resume', { now: true }],
    ['hold', { reason: '' }],
    ['release', { reason: 'over' }],
  ])('refuse %s with the body %j, and nothing is done', async (verb, body) => {
    const response = await app.call('POST', `/api/v1/batches/batch_1/${verb}`, { body });
    expect(await errorOf(response)).toMatchObject({ status: 400, problems: [{}] });
    expect(app.world.acts).toEqual([]);
  });
});

describe('tasks over REST', () => {
  it('are shown in full, and without what their runs must keep to themselves', async () => {
    app.world.tasks = [makeTask()];
    app.world.runs = [makeRun({ state: 'failed', exitCode: 3, failureClass: 'work', cause: 'run_failed' })];
    const response = await app.call('GET', '/api/v1/tasks/task_1');
    const time = '2026-01-02T03:04:05.678Z';
    expect(await response.json()).toEqual({
      ...{ id: 'task_1', key: 'train', name: 'Train', batch_id: 'batch_1', repository: 'acme/widgets', issue: 13 },
      issue_state: null,
      ...{ state: 'running', cause: null, actor: null, needs: ['fetch'], runs_on: 'local', attempt: 1, blockers: [] },
      ...{ waiting_on: null, not_before: null, released: [] },
      hold: { reason: 'wait', actor: 'ann', at: time },
      runs: [
        {
          ...{ id: 'run_1', number: 1, purpose: 'work', runner: 'local', state: 'failed', cause: 'run_failed' },
          ...{ reason: null, failure_class: 'work', exit_code: 3, signal: null, started_at: time, ended_at: null },
          ...{
            containment: 'scan',
            survivors: [],
            cancel_requested_at: null,
            term_at: null,
            kill_at: null,
            gone_at: null,
            silent_since: null,
          },
        },
      ],
      ...{ created_at: time, updated_at: time, finished_at: null },
    });
  });

  it('say what they wait for: questions, and issues with what each needs', async () => {
    const at = new Date('2026-01-02T03:04:05.678Z');
    const time = at.toISOString();
    const view = { source: 'body', actor: null, reopenedAt: null } as const;
    app.world.waitingOn = 'waits for an answer for 60 s: Which seed?';
    app.world.blockers = [{ label: 'acme/data#3', status: 'not_completed', needs: 'release', ...view }];
    const blockers = [{ id: 'command_1', question: 'Which seed?', actor: 'ann', at }];
    const released = [{ blocker: 'acme/widgets#7', actor: 'tom', at }];
    app.world.tasks = [makeTask({ state: 'blocked', cause: 'question', blockers, released, notBefore: at })];
    expect(await (await app.call('GET', '/api/v1/tasks/task_1')).json()).toMatchObject({
      waiting_on: 'waits for an answer for 60 s: Which seed?',
      not_before: time,
      blockers: [
        { kind: 'question', id: 'command_1', question: 'Which seed?', actor: 'ann', at: time },
        {
          ...{ kind: 'issue', issue: 'acme/data#3', source: 'body', status: 'not_completed', actor: null },
          needs: 'release',
        },
      ],
      released: [{ issue: 'acme/widgets#7', actor: 'tom', at: time }],
    });
  });

  it('are listed by repository, issue and state', async () => {
    app.world.tasks = [makeTask({ batchId: null })];
    const list = await app.call('GET', '/api/v1/tasks?repository=acme/widgets&issue=13&state=blocked');
    expect(await list.json()).toEqual({ items: [expect.objectContaining({ batch_id: null })], next: null });
    expect(app.world.asked).toEqual([{ repositoryId: '7', issueNumber: 13, state: 'blocked', limit: 50 }]);
  });

  it.each([
    ['cancel', undefined, {}],
    ['retry', {}, {}],
    ['done', {}, {}],
    ['skip', undefined, {}],
    ['hold', { reason: 'quota' }, { text: 'quota' }],
    ['hold', undefined, {}],
    ['release', undefined, {}],
    ['block', { question: 'Which seed?' }, { text: 'Which seed?' }],
    ['answer', { text: '42' }, { text: '42' }],
  ])('take %s with the body %j', async (verb, body, said) => {
    const response = await app.call('POST', `/api/v1/tasks/task_1/${verb}`, body === undefined ? {} : { body });
    expect([response.status, await response.json()]).toEqual([202, expect.objectContaining({ id: 'task_1' })]);
    expect(app.world.acts).toEqual([{ id: 'task_1', verb, actor: 'api', ...said }]);
  });

  it.each([
    ['cancel', { force: true }],
    ['block', {}],
    ['block', { question: ' ' }],
    ['hold', { reason: 'a\0b' }],
    ['answer', { text: 3 }],
    ['answer', '[]'],
    ['answer', '{"text": "a", "text": "b"}'],
    ['answer', '{"text": "a"'],
  ])('refuse %s with the body %j, and nothing is done', async (verb, body) => {
    const response = await app.call('POST', `/api/v1/tasks/task_1/${verb}`, { body });
    expect(await errorOf(response)).toMatchObject({ status: 400, code: 'bad_request', problems: [{}] });
    expect(app.world.acts).toEqual([]);
  });

  it('say why not, and that there is none', async () => {
    expect(await errorOf(await app.call('POST', '/api/v1/tasks/task_busy/retry'))).toEqual({
      status: 409,
      code: 'conflict',
      message: 'it is stopping since 12:00',
    });
    expect(await errorOf(await app.call('POST', '/api/v1/tasks/closed/retry'))).toEqual({
      ...{ status: 409, code: 'issue_closed', message: '#13 is closed: reopen it first' },
    });
    const message = 'no task has the id task_9; `standdown batch status` shows those of a batch';
    for (const [method, path] of [
      ['POST', 'task_9/retry'],
      ['GET', 'task_9'],
      ['GET', 'task_9/log'],
      ['DELETE', 'task_9/issue'],
    ] as const) {
      expect(await errorOf(await app.call(method, `/api/v1/tasks/${path}`))).toMatchObject({ status: 404, message });
    }
    // One that can't be an id is not looked for.
    expect(await errorOf(await app.call('POST', '/api/v1/tasks/a%00%0Ab/cancel'))).toMatchObject({
      ...{ status: 404, message: expect.stringMatching(/^no task has the id a b; /) },
    });
    expect(app.world.acts).not.toContainEqual(expect.objectContaining({ verb: 'cancel' }));
  });

  it('are linked to an issue and unlinked', async () => {
    expect((await app.call('PUT', '/api/v1/tasks/task_1/issue', { body: { issue: 12 } })).status).toBe(202);
    expect((await app.call('DELETE', '/api/v1/tasks/task_1/issue')).status).toBe(202);
    expect((await app.call('PUT', '/api/v1/tasks/task_1/issue', { body: { issue: 0 } })).status).toBe(400);
    expect(app.world.acts).toEqual([
      { id: 'task_1', link: 12, actor: 'api' },
      { id: 'task_1', unlink: true, actor: 'api' },
    ]);
  });

  it('give the end of their log as text', async () => {
    const response = await app.call('GET', '/api/v1/tasks/task_1/log?tail=100');
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await response.text()).toBe('the last 100 bytes');
    expect((await app.call('GET', '/api/v1/tasks/task_9/log')).status).toBe(404);
    expect((await app.call('GET', '/api/v1/tasks/task_1/log?tail=0')).status).toBe(400);
  });
});

describe('holds over REST', () => {
  it('are listed with their reason and age', async () => {
    const at = new Date('2026-01-02T03:04:05.678Z');
    const hold = { reason: 'quota', actor: 'ann', at };
    app.world.holds = [
      { scope: { kind: 'all' }, ...hold },
      { scope: { kind: 'repository', repositoryId: '7' }, ...hold },
      { scope: { kind: 'runner', runner: 'local' }, ...hold },
    ];
    const shown = { reason: 'quota', actor: 'ann', at: at.toISOString(), age_seconds: 60 };
    expect(await (await app.call('GET', '/api/v1/holds')).json()).toEqual({
      items: [
        { scope: 'all', ...shown },
        { scope: 'repository', repository: 'acme/widgets', ...shown },
        { scope: 'runner', runner: 'local', ...shown },
      ],
      next: null,
    });
  });

  it('are set and released by scope', async () => {
    const scope = { scope: 'repository', repository: 'acme/widgets' };
    const set = await app.call('POST', '/api/v1/holds', { body: { ...scope, reason: 'move' } });
    expect([set.status, await set.json()]).toEqual([201, expect.objectContaining({ ...scope, reason: 'move' })]);
    expect((await app.call('POST', '/api/v1/holds/release', { body: { scope: 'all' } })).status).toBe(200);
    expect((await app.call('POST', '/api/v1/holds/release', { body: scope })).status).toBe(404);
    expect(app.world.acts).toEqual([
      { request: scope, reason: 'move', actor: 'api' },
      { request: { scope: 'all' }, actor: 'api' },
      { request: scope, actor: 'api' },
    ]);
  });

  it.each(['/api/v1/holds', '/api/v1/holds/release'])('%s says which names there are', async (path) => {
    const response = await app.call('POST', path, { body: { scope: 'runner', runner: 'lab' } });
    expect(await errorOf(response)).toMatchObject({
      ...{ status: 400, code: 'bad_request', message: 'runner: must be the name of a runner; there is: local' },
    });
  });

  it.each([
    [{}, 'scope', 'must be one of all, repository, runner, not nothing'],
    [{ scope: 'batch' }, 'scope', 'must be one of all, repository, runner, not "batch"'],
    [{ scope: 'repository' }, 'repository', 'is missing: must be a string'],
    [{ scope: 'all', runner: 'local' }, 'runner', 'unknown key; accepted: scope, reason'],
  ])('refuse %j, and nothing is held', async (body, path, message) => {
    const response = await app.call('POST', '/api/v1/holds', { body });
    expect(await errorOf(response)).toMatchObject({ status: 400, problems: [{ path, message }] });
    expect(app.world.acts).toEqual([]);
  });
});

describe('an issue explained over REST', () => {
  it('says what a close or reopen would do', async () => {
    const seenAt = new Date('2026-01-02T03:04:05.678Z');
    const view = { source: 'dependency', actor: null, reopenedAt: null } as const;
    app.world.explained = {
      ...{ result: 'explained', repository, note: null, issue: anIssue({ number: 13, observedAt: seenAt }) },
      blockers: [{ label: 'acme/data#3', status: 'open', needs: 'close', ...view }],
      tasks: [
        {
          task: makeTask(),
          waitingOn: null,
          ifClosed: { completed: 'run 1 is stopped', notPlanned: 'run 1 is stopped' },
          ifReopened: null,
        },
      ],
      blocks: [
        { task: makeTask({ id: 'task_2' }), issue: 'acme/widgets#14', ifCompleted: 'nothing blocks it any more' },
      ],
    };
    const response = await app.call('GET', '/api/v1/issues/acme/widgets/13/explain');
    expect(await response.json()).toEqual({
      ...{ repository: 'acme/widgets', issue: 13, title: 'Train the ranker', state: 'open', note: null },
      moved_to: null,
      seen_at: '2026-01-02T03:04:05.678Z',
      blocked_by: [{ issue: 'acme/data#3', source: 'dependency', status: 'open', actor: null, needs: 'close' }],
      tasks: [
        {
          ...{ id: 'task_1', key: 'train', batch_id: 'batch_1', state: 'running', waiting_on: null },
          if_closed: { completed: 'run 1 is stopped', not_planned: 'run 1 is stopped' },
          if_reopened: null,
        },
      ],
      blocks: [
        {
          ...{ id: 'task_2', key: 'train', batch_id: 'batch_1', issue: 'acme/widgets#14' },
          if_completed: 'nothing blocks it any more',
        },
      ],
    });
    expect(app.world.asked).toEqual([{ explain: 'acme/widgets#13' }]);
  });

  it('is none where there is no such issue, and is not looked for where there can be none', async () => {
    expect(await errorOf(await app.call('GET', '/api/v1/issues/acme/widgets/13/explain'))).toMatchObject({
      ...{ status: 404, message: 'there is no issue acme/widgets#13' },
    });
    for (const path of ['acme/widgets/0', 'acme/widgets/1x', 'acme/wid%20gets/1']) {
      expect((await app.call('GET', `/api/v1/issues/${path}/explain`)).status).toBe(404);
    }
    expect(app.world.asked).toHaveLength(1);
  });
});

describe('the rest of REST', () => {
  it('shows one run, and starts a sweep', async () => {
    app.world.runs = [makeRun()];
    expect(await (await app.call('GET', '/api/v1/runs/run_1')).json()).toMatchObject({ id: 'run_1', number: 1 });
    expect(await errorOf(await app.call('GET', '/api/v1/runs/run_2'))).toMatchObject({
      ...{ status: 404, message: 'no run has the id run_2; `standdown task show` shows those of a task' },
    });
    expect((await app.call('POST', '/api/v1/sweep')).status).toBe(202);
    expect(app.world.acts).toEqual(['sweep']);
  });

  it('pages through the journal after the last id that was seen', async () => {
    app.world.events = ['1', '2', '3'].map((id) => makeEvent(id));
    const page = async (query: string) =>
      (await (await app.call('GET', `/api/v1/events${query}`)).json()) as { items: { id: string }[]; next: string };
    const first = await page('?limit=2');
    expect(first.items[0]).toEqual({
      ...{ id: '1', type: 'TASK_ENDED', at: '2026-01-02T03:04:05.678Z', repository: 'acme/widgets', issue: null },
      ...{ batch_id: null, task_id: null, run_id: null, data: { to: 'done' } },
    });
    const second = await page(`?after=${first.next}`);
    expect([...first.items, ...second.items].map((event) => event.id)).toEqual(['1', '2', '3']);
    expect(await page('?after=3')).toEqual({ items: [], next: '3' });
    // Where it ends now, without reading what came before.
    expect(await page('?after=latest')).toEqual({ items: [], next: '3' });
  });

  it.each([
    ['GET', '/api/v1/nothing', 404, 'not_found'],
    ['GET', '/nothing', 404, 'not_found'],
    ['DELETE', '/api/v1/batches', 405, 'method_not_allowed'],
    ['PUT', '/healthz', 405, 'method_not_allowed'],
    ['GET', '/api/v1/batches?stat=done', 400, 'bad_request'],
    ['GET', '/api/v1/batches?state=ended', 400, 'bad_request'],
    ['GET', '/api/v1/tasks?issue=one', 400, 'bad_request'],
    ['GET', '/api/v1/events?after=none', 400, 'bad_request'],
    ['GET', '/api/v1/events/stream?after=none', 400, 'bad_request'],
    ['POST', '/api/v1/tasks/dark/retry', 503, 'unavailable'],
  ])('answers %s %s with %d', async (method, path, status, code) => {
    expect(await errorOf(await app.call(method, path))).toMatchObject({ status, code });
  });

  it.each([
    ['dark', 'GitHub gave no answer to rely on (GET /repos/acme/widgets: ENOTFOUND): try again'],
    ['locked', "GitHub refuses the app's credentials (GET /user: 401 Bad credentials): check GITHUB_TOKEN"],
  ])('names GitHub, and what to do about it: %s', async (id, words) => {
    const error = await errorOf(await app.call('POST', `/api/v1/tasks/${id}/retry`));
    expect(error).toMatchObject({ status: 503, code: 'unavailable', message: expect.stringContaining(words) });
    expect(error.message.includes('try again')).toBe(id === 'dark');
  });

  it.each([
    ['?after=none', {}, 'after'],
    ['', { 'last-event-id': 'none' }, 'last-event-id'],
  ])('names where the id of no event was given: %s %o', async (query, headers, path) => {
    const error = await errorOf(await app.call('GET', `/api/v1/events/stream${query}`, { headers }));
    const problems = [{ path, message: 'must be one from an earlier answer, not "none"' }];
    expect(error).toMatchObject({ status: 400, problems });
  });

  it('says which methods there are', async () => {
    const response = await app.call('DELETE', '/api/v1/batches');
    expect(response.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'HEAD', 'POST']);
  });

  it('refuses bodies of other types, sizes and encodings', async () => {
    const post = (body: string | Uint8Array<ArrayBuffer>, type: string) =>
      fetch(`${app.url}/api/v1/batches`, {
        method: 'POST',
        body,
        headers: { authorization: 'Bearer a-token-of-some-length', 'content-type': type },
      });
    expect(await errorOf(await post('a=b', 'application/x-www-form-urlencoded'))).toMatchObject({ status: 415 });
    expect(await errorOf(await post('{"a":1,}', 'application/json'))).toMatchObject({ status: 400 });
    expect(await errorOf(await post(new Uint8Array([0x7b, 0xff, 0x7d]), 'application/json'))).toMatchObject({
      status: 400,
    });
    expect(await errorOf(await post(' '.repeat(1_048_577), 'application/json'))).toMatchObject({
      status: 413,
      code: 'body_too_large',
    });
    expect(app.world.acts).toEqual([]);
  });

  it('counts a body without a declared length while it comes', async () => {
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        sent += 65_536;
        if (sent > 64 * 1_048_576) controller.close();
        else controller.enqueue(new Uint8Array(65_536).fill(32));
      },
    });
    const headers = { authorization: 'Bearer a-token-of-some-length', 'content-type': 'application/json' };
    const request = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
    const status = await fetch(`${app.url}/api/v1/batches`, request).then(
      (response) => response.status,
      () => 'cut off',
    );
    expect([413, 'cut off']).toContain(status);
    expect(sent).toBeLessThan(32 * 1_048_576);
    expect(app.world.acts).toEqual([]);
  });

  it('keeps the detail of an inner failure for the log', async () => {
    const error = await errorOf(await app.call('POST', '/api/v1/tasks/boom/cancel'));
    expect(error).toMatchObject({ status: 500, code: 'internal' });
    expect(JSON.stringify(error)).not.toContain('secret detail');
    expect(app.logged).toEqual([{ err: new Error('secret detail'), message: 'request failed' }]);
  });
});
