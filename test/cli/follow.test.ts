import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { batchAs, type FakeApp, run, runAs, start, startApp, taskAs, tell, WAIT } from './support.ts';

let app: FakeApp;
beforeEach(async () => {
  app = await startApp();
});
afterEach(() => app.close());

const FOLLOW = ['batch', 'follow', 'batch_1'];

function end(state = 'completed') {
  app.batch = batchAs({ state, counts: { done: 1 }, tasks: [taskAs({ state: 'done', cause: 'run_succeeded' })] });
}

/** From here on, whatever is journalled is followed. */
function attached(): Promise<void> {
  return expect.poll(() => app.looks, WAIT).toBe(1);
}

function asked(more = 5): Promise<void> {
  const before = app.requests;
  return expect.poll(() => app.requests, WAIT).toBeGreaterThan(before + more);
}

/** Lines without their time of day, which is that of this place. */
function lines(out: string): string[] {
  const all = out.split('\n').slice(0, -1);
  for (const line of all) expect(line).toMatch(/^\d\d:\d\d:\d\d /);
  return all.map((line) => line.slice(9));
}

describe('following a batch without a terminal', () => {
  it('prints one line for each change from then on, and nothing else', async () => {
    tell(app, 'RUN_STARTING', { number: 1 }, { run_id: 'run_1' });
    app.batch = batchAs({ tasks: [taskAs({ runs: [runAs()] })] });
    const following = start(app, FOLLOW);
    await attached();
    expect(following.out()).toBe('');
    tell(app, 'RUN_ENDED', { state: 'failed', exit_code: 3, signal: null, reason: null }, { run_id: 'run_1' });
    tell(app, 'TASK_RETRY_SCHEDULED', { attempt: 1, not_before: '2026-01-02T12:00:30.000Z' }, { run_id: 'run_1' });
    tell(app, 'RUN_STARTING', { number: 2, runner: 'local' }, { run_id: 'run_2' });
    tell(app, 'RUN_STARTED', {}, { run_id: 'run_2' });
    tell(app, 'RUN_STARTING', { key: 'other', number: 7 }, { run_id: 'run_9', batch_id: 'batch_9' });
    const ended = { from: 'running', to: 'done', cause: 'run_succeeded', actor: 'standdown' };
    tell(app, 'RUN_ENDED', { exit_code: 0, signal: null, reason: null }, { run_id: 'run_2' });
    tell(app, 'TASK_DONE', ended, { run_id: 'run_2' });
    end();
    tell(app, 'BATCH_STATE_CHANGED', { name: 'nightly', from: 'running', to: 'completed', stuck: false });
    const ran = await following.done;
    const titles = ['running, 1 running', 'completed, 1 done'];
    const err = titles.map((state) => `acme/widgets nightly (batch_1): ${state}\n`).join('');
    expect(ran).toMatchObject({ exitCode: 0, err });
    expect(lines(ran.out)).toEqual([
      expect.stringMatching(/^train: to be tried again \(run 1, exit code 3, not before \d\d:00:30\)$/),
      'train: ready → running (run 2)',
      'train: running → done (run 2, run_succeeded by standdown, after 3.0 s)',
      'batch nightly: running → completed',
    ]);
  });

  it.each([
    ['TASK_WAITING', { from: 'ready' }, 'train: ready → waiting'],
    ['TASK_READY', {}, 'train: waiting → ready'],
    ['RUN_STOPPING', { cause: 'issue_completed', actor: 'ann' }, 'train: stopping (issue_completed by ann)'],
    ['RUN_SURVIVED', { pids: [12, 13] }, 'train: running → blocked (alive after KILL: 12, 13)'],
    ['TASK_SKIPPED', { from: 'waiting', to: 'skipped', cause: 'api', actor: 'api' }, 'train: waiting → skipped (api)'],
    [
      'TASK_REQUEUED',
      { from: 'done', to: 'ready', reason: 'issue_reopened', actor: 'ann' },
      'train: done → ready (issue_reopened by ann)',
    ],
    ['TASK_REQUEUE_REFUSED', { why: 'too late' }, 'train: not queued again (too late)'],
    ['TASK_START_DELAYED', { reason: 'GitHub is silent' }, 'train: start delayed (GitHub is silent)'],
    ['TASK_BLOCKED', { from: 'ready', blocked_by: ['acme/data#7'] }, 'train: ready → blocked (by acme/data#7)'],
    ['TASK_BLOCKED', { questions: ['which\nlr?'] }, 'train: waits for an answer: which lr?'],
    ['TASK_BLOCKED', { from: 'running', unverified: true }, 'train: running → blocked (no verdict)'],
    [
      'TASK_BLOCKED',
      { from: 'running', evidence: 'branch x has 1 commit' },
      'train: running → blocked (branch x has 1 commit)',
    ],
    ['TASK_RETRY_SCHEDULED', { attempt: 1, not_before: null }, 'train: to be verified'],
    ['RUN_STARTING', { number: 2, purpose: 'verify' }, 'train: verifying (verify run 2)'],
    ['TASK_UNBLOCKED', { questions: [], answer: '0.1', actor: 'ann' }, 'train: answered by ann (0.1)'],
    ['TASK_HELD', { reason: 'quota', actor: 'ann' }, 'train: on hold by ann (quota)'],
    ['TASK_RELEASED', { actor: 'ann' }, 'train: released by ann'],
    ['TASK_LINKED', { from: null, to: 12, actor: 'ann' }, 'train: tied to #12'],
    ['BATCH_STATE_CHANGED', { name: 'nightly', from: 'running', to: 'running', stuck: true }, 'batch nightly: stuck'],
    [
      'BATCH_CANCEL_REQUESTED',
      { name: 'nightly', now: false, actor: 'ann' },
      'batch nightly: to be cancelled by ann, what runs finishes',
    ],
    ['BATCH_HELD', { name: 'nightly', reason: null, actor: 'ann' }, 'batch nightly: on hold by ann'],
  ])('tells of %s in one line', async (type, data, line) => {
    const following = start(app, FOLLOW);
    await attached();
    tell(app, type, data, type.startsWith('RUN_STARTING') ? { run_id: 'run_2' } : {});
    end();
    tell(app, 'BATCH_STATE_CHANGED', { name: 'nightly', from: 'running', to: 'completed', stuck: false });
    expect(lines((await following.done).out)).toEqual([line, 'batch nightly: running → completed']);
  });

  it('goes on after the last event that it saw when the app comes back', async () => {
    const following = start(app, FOLLOW);
    await attached();
    tell(app, 'RUN_STARTING', { number: 1 }, { run_id: 'run_1' });
    await expect.poll(following.out, WAIT).toContain('run 1');
    app.up = false;
    await asked();
    tell(app, 'RUN_STOPPING', { cause: 'api', actor: 'api' }, { run_id: 'run_1' });
    await asked();
    end('cancelled');
    tell(app, 'BATCH_STATE_CHANGED', { name: 'nightly', from: 'running', to: 'cancelled', stuck: false });
    app.up = true;
    const ran = await following.done;
    expect(ran.exitCode).toBe(1);
    expect(lines(ran.out)).toEqual([
      'train: ready → running (run 1)',
      'train: stopping (run 1, api)',
      'batch nightly: running → cancelled',
    ]);
    expect(ran.err.match(/trying again/g)).toHaveLength(1);
  });

  it('reads all that is told before the end, however much that is', async () => {
    const following = start(app, FOLLOW);
    await attached();
    for (let number = 1; number <= 250; number++) tell(app, 'RUN_STARTING', { number }, { run_id: `run_${number}` });
    end();
    tell(app, 'BATCH_STATE_CHANGED', { name: 'nightly', from: 'running', to: 'completed', stuck: false });
    expect(lines((await following.done).out)).toHaveLength(251);
  });

  it('says what would move a batch that is stuck', async () => {
    const step = 'standdown task release task_1';
    app.batch = batchAs({ stuck: true, counts: { blocked: 1 }, next_steps: [step] });
    const ran = await run(app, ...FOLLOW);
    expect(ran).toMatchObject({ exitCode: 4, out: '' });
    expect(ran.err).toContain(`What would move it:\n  ${step}\n`);
  });

  it('ends at Ctrl-C with 130, and says that the batch goes on', async () => {
    const following = start(app, FOLLOW);
    await attached();
    expect(following.interrupt()).toBe(true);
    const ran = await following.done;
    expect(ran).toMatchObject({ exitCode: 130, out: '' });
    expect(ran.err).toBe(
      'acme/widgets nightly (batch_1): running, 1 running\nstanddown: no longer following the batch batch_1; it goes on\n',
    );
    expect(app.calls).toEqual([]);
    expect(following.interrupt()).toBe(false);
  });

  it('tells how a batch stands once, where it has ended already', async () => {
    end();
    expect(await run(app, ...FOLLOW)).toEqual({
      ...{ exitCode: 0, out: '', err: 'acme/widgets nightly (batch_1): completed, 1 done\n' },
    });
  });

  it('ends at its deadline', async () => {
    expect(await run(app, ...FOLLOW, '--deadline-minutes', '0.001')).toMatchObject({ exitCode: 3, out: '' });
  });

  it('refuses a batch that is not there', async () => {
    expect(await run(app, 'batch', 'follow', 'batch_7')).toMatchObject({ exitCode: 5, out: '' });
  });
});

describe('following a batch as it is submitted', () => {
  it('tells of its first event, too, and of none before', async () => {
    tell(app, 'TASK_DONE', { from: 'running', to: 'done' });
    app.answers['POST /batches'] = { status: 201, body: app.batch };
    const following = start(app, ['batch', 'run', 'a.yml', '--follow']);
    await expect.poll(() => app.calls, WAIT).toHaveLength(1);
    tell(app, 'RUN_STARTING', { number: 1 }, { run_id: 'run_1' });
    end();
    tell(app, 'BATCH_STATE_CHANGED', { name: 'nightly', from: 'running', to: 'completed', stuck: false });
    const ran = await following.done;
    expect(ran.exitCode).toBe(0);
    expect(lines(ran.out)).toEqual(['train: ready → running (run 1)', 'batch nightly: running → completed']);
    expect(ran.err).toMatch(/^batch batch_1 is submitted\n/);
  });

  it('writes nothing and follows nothing on a dry run', async () => {
    app.answers['POST /batches'] = { body: batchAs({ supersedes: null }) };
    const ran = await run(app, 'batch', 'run', 'a.yml', '--follow', '--dry-run');
    expect(ran).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^Nothing was written/) });
  });
});

describe('following a batch as it is resumed', () => {
  it('tells of its first event, too, and of none before', async () => {
    tell(app, 'TASK_FAILED', { from: 'running', to: 'failed' });
    app.answers['POST /batches/batch_1/resume'] = { status: 202, body: app.batch };
    const following = start(app, ['batch', 'resume', 'batch_1', '--follow']);
    await expect.poll(() => app.calls, WAIT).toHaveLength(1);
    tell(app, 'BATCH_RESUME_REQUESTED', { name: 'nightly', actor: 'api' });
    end();
    tell(app, 'BATCH_STATE_CHANGED', { name: 'nightly', from: 'running', to: 'completed', stuck: false });
    const ran = await following.done;
    expect(ran.exitCode).toBe(0);
    expect(lines(ran.out)).toEqual(['batch nightly: to be resumed by api', 'batch nightly: running → completed']);
  });
});

describe('following a batch with --json', () => {
  it('prints one event per line, and the batch as the last line', async () => {
    tell(app, 'TASK_CREATED', {});
    const following = start(app, ['--json', ...FOLLOW]);
    await attached();
    tell(app, 'RUN_STARTED', {}, { run_id: 'run_1' });
    tell(app, 'RUN_STARTED', {}, { batch_id: null });
    end();
    tell(app, 'BATCH_STATE_CHANGED', { name: 'nightly', from: 'running', to: 'completed', stuck: false });
    const ran = await following.done;
    expect(ran).toMatchObject({ exitCode: 0, err: '' });
    const [first, second, last, ...more] = ran.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(first).toEqual(app.events[1]);
    expect(second).toEqual(app.events[3]);
    expect(last).toMatchObject({ id: 'batch_1', state: 'completed' });
    expect(more).toEqual([]);
  });
});
