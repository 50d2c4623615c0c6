import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { batchAs, type FakeApp, run, runAs, start, startApp, taskAs, WAIT } from './support.ts';

let app: FakeApp;
beforeEach(async () => {
  app = await startApp();
});
afterEach(() => app.close());

function takes(call: string, body: unknown, status = 202) {
  app.answers[call] = { status, body };
}

describe('moving a batch', () => {
  it.each([
    ['cancel batch_1', '/batches/batch_1/cancel', ''],
    ['cancel batch_1 --now', '/batches/batch_1/cancel', { now: true }],
    ['resume batch_1', '/batches/batch_1/resume', ''],
    ['resume batch_1 --force', '/batches/batch_1/resume', { force: true }],
  ])('batch %s', async (line, path, body) => {
    takes(`POST ${path}`, batchAs({ order: { kind: line.split(' ')[0], actor: 'api' } }));
    const ran = await run(app, 'batch', ...line.split(' '));
    expect(ran).toMatchObject({ exitCode: 0, err: '' });
    expect(ran.out).toMatch(/^acme\/widgets nightly \(batch_1\): running, being (cancelled|resumed), 1 running\n/);
    expect(app.calls).toEqual([{ call: `POST ${path}`, body }]);
  });

  it('is said in the help: without --now what runs finishes', async () => {
    expect((await run(app, 'batch', 'cancel', '--help')).out).toContain('what runs finishes, unless --now is given');
  });

  it('waits for a resumed batch, whose state is at first the old one', async () => {
    const order = { kind: 'resume', actor: 'api' };
    app.batch = batchAs({ state: 'failed', order, counts: { failed: 1 } });
    takes('POST /batches/batch_1/resume', app.batch);
    const waiting = start(app, ['batch', 'resume', 'batch_1', '--wait']);
    await expect.poll(() => app.looks, WAIT).toBeGreaterThan(2);
    app.batch = batchAs({ state: 'failed', counts: { ready: 1 } });
    const looks = app.looks;
    await expect.poll(() => app.looks, WAIT).toBeGreaterThan(looks + 2);
    app.batch = batchAs({ state: 'completed', counts: { done: 1 } });
    expect(await waiting.done).toMatchObject({ exitCode: 0 });
  });

  it('ends waiting at Ctrl-C with 130, and says that the batch goes on', async () => {
    takes('POST /batches/batch_1/resume', app.batch);
    const waiting = start(app, ['batch', 'resume', 'batch_1', '--wait']);
    await expect.poll(() => app.looks, WAIT).toBeGreaterThan(1);
    expect(waiting.interrupt()).toBe(true);
    const ran = await waiting.done;
    expect(ran).toMatchObject({ exitCode: 130, out: '' });
    expect(ran.err).toBe('train: running\nstanddown: no longer waiting for the batch batch_1; it goes on\n');
    expect(waiting.interrupt()).toBe(false);
  });

  it('names the batch that is in the way of a resume', async () => {
    const message = 'another batch nightly is running as batch_2: cancel it first';
    takes('POST /batches/batch_1/resume', { error: { code: 'conflict', message, batch_id: 'batch_2' } }, 409);
    const ran = await run(app, 'batch', 'resume', 'batch_1');
    expect(ran).toMatchObject({ exitCode: 5, out: '', err: `standdown: ${message}\n` });
  });

  it('shows outcomes, the hold, what each task waits for, and what would move it', async () => {
    const hold = { reason: 'quota', actor: 'ann', at: '2026-01-02T12:00:00.000Z' };
    const waiting_on = 'waits for an answer for 3 min: which lr?';
    app.batch = batchAs({
      ...{ stuck: true, hold, counts: { blocked: 1, done: 2 } },
      ...{ outcomes: { done_by_run: 1, done_externally: 1, failed: 0 } },
      tasks: [taskAs({ state: 'blocked', cause: 'question', actor: 'ann', waiting_on })],
      next_steps: ['standdown task answer task_1 "…"'],
    });
    expect((await run(app, 'batch', 'status', 'batch_1')).out).toBe(
      [
        'acme/widgets nightly (batch_1): running, stuck, on hold, 1 blocked, 2 done',
        'ended: 1 done by run, 1 done externally',
        'on hold by ann since 2026-01-02T12:00:00.000Z: quota',
        'TASK   ID      ISSUE  STATE    WHY',
        `train  task_1  #13    blocked  ${waiting_on}`,
        'What would move it:',
        '  standdown task answer task_1 "…"',
        '',
      ].join('\n'),
    );
  });
});

describe('pausing', () => {
  const hold = { scope: 'all', reason: null, actor: 'api', at: '2026-01-02T12:00:00.000Z', age_seconds: 0 };

  it.each([
    ['--all', 'everything', { scope: 'all' }],
    ['--repository acme/widgets', 'acme/widgets', { scope: 'repository', repository: 'acme/widgets' }],
    ['--runner local', 'runner local', { scope: 'runner', runner: 'local' }],
  ])('%s, and back', async (option, words, scope) => {
    takes('POST /holds', { ...hold, ...scope }, 201);
    takes('POST /holds/release', { ...hold, ...scope }, 200);
    const paused = await run(app, 'pause', ...option.split(' '), '--reason', 'new disks');
    expect(paused).toMatchObject({ exitCode: 0, err: '' });
    expect(paused.out).toBe(`Paused: ${words}. Nothing of it starts; what runs goes on.\n`);
    expect(await run(app, 'unpause', ...option.split(' '))).toMatchObject({
      exitCode: 0,
      out: `Unpaused: ${words}.\n`,
    });
    expect(app.calls).toEqual([
      { call: 'POST /holds', body: { ...scope, reason: 'new disks' } },
      { call: 'POST /holds/release', body: scope },
    ]);
  });

  it('--batch is a hold of that batch', async () => {
    takes('POST /batches/batch_1/hold', app.batch);
    takes('POST /batches/batch_1/release', app.batch);
    expect((await run(app, 'pause', '--batch', 'batch_1', '--reason', 'quota')).exitCode).toBe(0);
    expect((await run(app, 'unpause', '--batch', 'batch_1')).exitCode).toBe(0);
    expect(app.calls).toEqual([
      { call: 'POST /batches/batch_1/hold', body: { reason: 'quota' } },
      { call: 'POST /batches/batch_1/release', body: '' },
    ]);
  });

  it('--list shows all that is paused, for how long and why', async () => {
    const runner = { ...hold, scope: 'runner', runner: 'local', reason: 'new disks', age_seconds: 7_300 };
    takes('GET /holds', { items: [{ ...hold, age_seconds: 5 }, runner], next: null }, 200);
    const held = { reason: 'quota', actor: 'ann', at: new Date(Date.now() - 600_500).toISOString() };
    takes('GET /batches', { items: [batchAs(), batchAs({ hold: held })], next: null }, 200);
    expect((await run(app, 'pause', '--list')).out.split('\n')).toEqual([
      'PAUSED                   FOR     BY   REASON',
      'everything               5 s     api',
      'runner local             2 h     api  new disks',
      'batch nightly (batch_1)  10 min  ann  quota',
      '',
    ]);
    takes('GET /holds', { items: [], next: null }, 200);
    takes('GET /batches', { items: [], next: null }, 200);
    expect((await run(app, 'pause', '--list')).out).toBe('Nothing is paused.\n');
  });

  it.each([
    ['pause', 'it is not said what to pause or unpause; accepted is one of --all, --repository <owner/name>'],
    ['unpause', 'it is not said what to pause or unpause'],
    ['pause --all --runner local', '--all and --runner were given together'],
    ['pause --project x', "unknown option '--project'"],
    ['pause everything', 'too many arguments'],
    ['pause --repository widgets', "--repository is 'widgets'; accepted is owner/name"],
    ['pause --list --all', '--list shows all that is paused, and takes no --all'],
  ])('%s is told what is wrong', async (line, message) => {
    const ran = await run(app, ...line.split(' '));
    expect(ran).toMatchObject({ exitCode: 2, out: '' });
    expect(ran.err).toContain(`standdown: ${message}`);
    expect(app.calls).toEqual([]);
  });

  it('says once what is wrong with a name, and what there is', async () => {
    const problem = { path: 'runner', message: 'must be the name of a runner, not "lab"; there is: local' };
    const message = `runner: ${problem.message}`;
    takes('POST /holds', { error: { code: 'bad_request', message, problems: [problem] } }, 400);
    const ran = await run(app, 'pause', '--runner', 'lab');
    expect(ran).toMatchObject({ exitCode: 2, out: '', err: `standdown: ${message}\n` });
  });

  it('refuses to unpause what is not paused', async () => {
    expect(await run(app, 'unpause', '--runner', 'local')).toMatchObject({
      exitCode: 5,
      err: 'standdown: runner local is not paused (see pause --list)\n',
    });
  });
});

describe('explaining an issue', () => {
  const blocked = {
    issue: 'acme/data#7',
    source: 'dependency',
    status: 'not_completed',
    actor: 'ann',
    needs: 'release',
  };
  const explanation = {
    ...{
      repository: 'acme/widgets',
      issue: 12,
      state: 'open',
      title: 'Train the ranker',
      note: null,
      blocked_by: [blocked],
    },
    tasks: [
      {
        ...{ id: 'task_1', key: 'train', state: 'blocked', waiting_on: 'blocked by acme/data#7' },
        if_closed: { completed: 'it is done', not_planned: 'it is cancelled' },
        if_reopened: null,
      },
    ],
    blocks: [],
  };

  it.each([
    'acme/widgets#12',
    'https://github.com/acme/widgets/issues/12',
    'http://ghe.example:8443/acme/widgets/issues/12/?tab=1#issuecomment-5',
  ])('by %s', async (reference) => {
    takes('GET /issues/acme/widgets/12/explain', explanation, 200);
    expect((await run(app, 'explain', reference)).out).toBe(
      [
        'acme/widgets#12 Train the ranker: open',
        'blocked by acme/data#7 (dependency): not completed by ann, needs a release',
        'train (task_1): blocked, blocked by acme/data#7',
        '  closed as completed: it is done',
        '  closed as not planned: it is cancelled',
        '',
      ].join('\n'),
    );
  });

  it('says which tasks of other issues wait for it, and what its close would do to them', async () => {
    const blocked = { id: 'task_2', key: 'eval', issue: 'acme/widgets#14', if_completed: 'nothing blocks it any more' };
    const only = { ...explanation, tasks: [], blocked_by: [], blocks: [blocked] };
    takes('GET /issues/acme/widgets/12/explain', only, 200);
    expect((await run(app, 'explain', 'acme/widgets#12')).out).toBe(
      [
        'acme/widgets#12 Train the ranker: open',
        'eval (task_2) of acme/widgets#14 waits for it',
        '  closed as completed: nothing blocks it any more',
        '',
      ].join('\n'),
    );
  });

  it('says that what it tells may be out of date', async () => {
    const note = 'GitHub gives no answer; this was seen 5 min ago';
    takes('GET /issues/acme/widgets/12/explain', { ...explanation, note, tasks: [], blocked_by: [] }, 200);
    expect((await run(app, 'explain', 'acme/widgets#12')).out).toBe(
      `acme/widgets#12 Train the ranker: open\n${note}\nno task is tied to it, and none waits for it\n`,
    );
  });

  it.each(['12', '#12', 'acme#12', 'acme/widgets#0', 'acme/widgets#x', 'https://github.com/acme/widgets/pull/12'])(
    'refuses %s, and says what it takes',
    async (reference) => {
      const ran = await run(app, 'explain', reference);
      expect(ran).toMatchObject({ exitCode: 2, out: '' });
      expect(ran.err).toContain(`standdown: '${reference}' names no issue; accepted is acme/widgets#12`);
    },
  );
});

describe('showing a task', () => {
  it.each([
    [{ exit_code: 3 }, 'run_failed', 'exit code 3'],
    [{ signal: 'KILL' }, 'timeout', 'signal KILL'],
    [{ reason: 'no such program' }, 'start_failed', 'no such program'],
  ])('that failed says how its newest run ended: %j', async (ended, cause, words) => {
    const runs = [
      runAs({ state: 'failed', exit_code: 7 }),
      runAs({ id: 'run_2', number: 2, state: 'failed', ...ended }),
    ];
    takes('GET /tasks/task_1', taskAs({ state: 'failed', cause, actor: 'runner', runs }), 200);
    expect((await run(app, 'task', 'show', 'task_1')).out).toContain(`train (task_1): failed, ${cause}, ${words}\n`);
    app.batch = batchAs({ tasks: [taskAs({ state: 'failed', cause, actor: 'runner', runs })] });
    expect((await run(app, 'batch', 'status', 'batch_1')).out).toContain(`failed  ${cause}, ${words}\n`);
  });

  it('whose run is being stopped says since when and why', async () => {
    const stop = { state: 'stopping', cause: 'issue_not_planned', cancel_requested_at: '2026-01-02T12:00:05.000Z' };
    takes('GET /tasks/task_1', taskAs({ runs: [runAs(stop)] }), 200);
    expect((await run(app, 'task', 'show', 'task_1')).out).toContain(
      'train (task_1): running, stopping since 2026-01-02T12:00:05.000Z (issue_not_planned)\n',
    );
  });

  it('tells what it waits for, both kinds of blockers and when it may start', async () => {
    const blockers = [
      { kind: 'question', id: 'q1', question: 'which lr?', actor: 'ann', at: '2026-01-02T12:00:00.000Z' },
      { kind: 'issue', issue: 'acme/data#7', source: 'body', status: 'open', actor: null, needs: 'close' },
    ];
    const why = { state: 'blocked', waiting_on: 'waits for an answer for 3 min: which lr?' };
    const runs = [runAs({ state: 'failed', exit_code: 3 })];
    takes('GET /tasks/task_1', taskAs({ ...why, blockers, runs, not_before: '2026-01-02T12:05:00.000Z' }), 200);
    expect((await run(app, 'task', 'show', 'task_1')).out).toBe(
      [
        'train (task_1): blocked, waits for an answer for 3 min: which lr?',
        'issue acme/widgets#13',
        'question of ann: which lr?',
        'blocked by acme/data#7 (body): open, needs a close',
        'not before 2026-01-02T12:05:00.000Z',
        'run 1: failed, exit code 3',
        '',
      ].join('\n'),
    );
  });
});
