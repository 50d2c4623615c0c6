/** An agent that says whatever it likes: nothing of it holds up the app, is stored as it came, or touches another run. */
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Deps } from '../../../src/engine/deps.ts';
import { DEFAULT_POLICY } from '../../../src/engine/index.ts';
import { type JobControl, RunnerUnreachable } from '../../../src/engine/ports/runner.ts';
import { reconcileTask } from '../../../src/engine/reconcile-task.ts';
import { openByAgent } from '../../support/agent.ts';
import { aRun, aTask } from '../../support/builders.ts';
import { openTestStore, silentLog, type TestStore } from '../../support/databases.ts';
import { json, runningAs, type ScriptedAgent, startScriptedAgent, statusAs } from '../../support/scripted-agent.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

let agent: ScriptedAgent;
let control: JobControl;
let opened: TestStore;
let deps: Deps;

beforeEach(async () => {
  agent = await startScriptedAgent();
  control = openByAgent(agent.url, { answerMs: 1_000 });
  opened = await openTestStore();
  deps = {
    store: opened.store,
    runners: { get: () => control, names: () => ['lab'], allows: () => true },
    ...{ github: null, interpret: () => ({ kind: 'ignored' }), policyOf: async () => DEFAULT_POLICY },
    ...{ trustedApps: () => [], limits: { maxRunning: 8, maxRunningPerRepository: 8 } },
    ...{ clock: () => new Date(), newId: (prefix: string) => `${prefix}_new`, log: silentLog },
  } as Deps;
  const now = new Date();
  for (const id of ['1', '2']) {
    const task = aTask({
      ...{ id: `task_${id}`, key: `key_${id}`, batchId: null, issueNumber: null, state: 'running' },
      ...{ runNumber: 1, attempt: 1, createdAt: now, updatedAt: now, spec: { ...aTask().spec, runsOn: 'lab' } },
    });
    const run = aRun({ id: `run_${id}`, taskId: task.id, runner: 'lab', createdAt: now, startedAt: now });
    await deps.store.commit([
      { write: 'repository.put', repository: { id: '1', fullName: 'acme/widgets', installationId: null } },
      { write: 'task.insert', task },
      { write: 'run.insert', run },
    ]);
  }
});

afterEach(async () => {
  await control.close();
  await agent.close();
  await opened.close();
});

const exitedAs = (more: object) => ({
  ...{ run_id: 'run_1', state: 'exited', exit_code: 3, signal: null, survivors: [], containment: 'cgroup' },
  ...{ started_at: new Date(), ended_at: new Date() },
  ...more,
});

const facts = (more: object) => ({ agent: { ...(statusAs().agent as object), ...more } });
const vanishedAs = (reason: string) => ({
  completed: [{ run_id: 'run_1', state: 'vanished', started_at: null, survivors: [], reason }],
});

/** Everything but news is answered so. */
function answer(changes: Record<string, unknown>): void {
  agent.answer = (request, response) => {
    if (request.url?.startsWith('/changes')) return;
    (request.url === '/status' ? json(statusAs(changes)) : json({ result: 'accepted' }))(request, response);
  };
}

describe('is no answer, and is silent for it: one that tells of', () => {
  it.each<[string, Record<string, unknown>]>([
    ['an exit code that no program has', { completed: [exitedAs({ exit_code: 4_294_967_296 })] }],
    ['a negative exit code', { completed: [exitedAs({ exit_code: -1 })] }],
    ['a signal that is a sentence', { completed: [exitedAs({ signal: '@everyone [here](https://example.com)' })] }],
    ['a signal of five million letters', { completed: [exitedAs({ signal: 'X'.repeat(5_000_000) })] }],
    ['a process that can be none', { active: [exitedAs({ survivors: [-1] })] }],
    ['a time beyond all clocks', { completed: [exitedAs({ ended_at: '+012000-01-01T00:00:00Z' })] }],
    ['sixty thousand runs, where it was asked about one', { active: Array.from({ length: 60_000 }, other) }],
    ['a run in both lists', { active: [runningAs('run_1')], completed: [exitedAs({})] }],
  ])('%s', async (_what, changes) => {
    answer(changes);
    await reconcileTask(deps, 'task_1');
    expect(await deps.store.run('run_1')).toMatchObject({ state: 'running', exitCode: null, signal: null });
    expect(control.profile.silent?.reason.length).toBeLessThanOrEqual(300);
  });
});

function other(_: unknown, index: number): object {
  return runningAs(`other_${index}`);
}

it.each([
  ['that is endless', 'x'.repeat(900_000), 2_000],
  ['with what no database takes', `a${'\0'}b`, 3],
])('a reason %s is kept as far as people read it', async (_what, reason, length) => {
  answer(vanishedAs(reason));
  await reconcileTask(deps, 'task_1');
  const run = await deps.store.run('run_1');
  expect(run).toMatchObject({ state: 'lost' });
  expect(run?.reason).toHaveLength(length);
  expect(run?.reason).not.toContain('\0');
});

it.each<[string, object, object]>([
  ['that lies ahead', {}, { started_at: '9999-12-31T23:59:59Z', ended_at: '9999-12-31T23:59:59Z' }],
  ['before all time', {}, { started_at: '0000-01-01T00:00:00Z', ended_at: '0000-01-01T00:00:00Z' }],
  ['by a clock far ahead', { now: '9999-12-31T23:59:59Z' }, { ended_at: '0000-01-01T00:00:00Z' }],
  ['by a clock far behind', { now: '0000-01-01T00:00:00Z' }, { ended_at: '9999-12-31T23:59:59Z' }],
])('a time %s becomes none that is impossible', async (_what, agents, times) => {
  answer({ ...facts(agents), completed: [exitedAs(times)] });
  await reconcileTask(deps, 'task_1');
  const run = await deps.store.run('run_1');
  expect(run).toMatchObject({ state: 'failed', exitCode: 3 });
  for (const time of [run?.startedAt, run?.endedAt]) {
    expect(time?.getTime()).toBeGreaterThanOrEqual(0);
    expect(time?.getTime()).toBeLessThanOrEqual(Date.now());
  }
});

it('what it tells of runs that it was not asked about touches none of them', async () => {
  answer({ active: [runningAs('run_1')], completed: [exitedAs({ run_id: 'run_2' })] });
  await reconcileTask(deps, 'task_1');
  const found = await control.inspect(['run_1']);
  expect([...found.keys()]).toEqual(['run_1']);
  expect(await deps.store.run('run_2')).toMatchObject({ state: 'running', exitCode: null });
});

it('thousands of survivors of one run are told of', async () => {
  const survivors = Array.from({ length: 20_000 }, (_, index) => index + 2);
  answer({ active: [exitedAs({ survivors })] });
  expect((await control.inspect(['run_1'])).get('run_1')).toMatchObject({ state: 'exited', survivors });
});

it('notes without end are shown as far as people read them', async () => {
  answer(facts({ notes: Array(5_000).fill('n'.repeat(100)) }));
  await control.inspect(['run_1']);
  expect(control.profile.notes).toHaveLength(100);
});

it('news without end are listened to at a pace, and news of too many runs not at all', async () => {
  let asked = 0;
  const ids = Array.from({ length: 1_000 }, (_, index) => `run_${index}`);
  agent.answer = (request, response) => {
    asked += 1;
    json({ next: 'a.1', run_ids: [...ids, ...ids].slice(500, 1_500) })(request, response);
  };
  const heard: string[] = [];
  control.onHint((runId) => heard.push(runId));
  await vi.waitFor(() => expect(heard.length).toBe(2_000), { timeout: 10_000 });
  expect(asked).toBeLessThanOrEqual(3);
  agent.answer = json({ next: 'a.2', run_ids: [...ids, 'run_one_more'] });
  await vi.waitFor(() => expect(control.profile.silent?.reason).toMatch(/not whole: run_ids/), { timeout: 10_000 });
});

describe('a call has an end where the answer has none:', () => {
  /** Until the other side has had enough. */
  function forever(response: ServerResponse, write: () => void): void {
    const timer = setInterval(write, 5);
    response.on('close', () => clearInterval(timer));
    response.on('error', () => {});
  }

  it.each<[string, ScriptedAgent['answer']]>([
    [
      'a body that drips',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        forever(response, () => response.write(' '));
      },
    ],
    [
      'a body that floods',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        forever(response, () => response.write(Buffer.alloc(1_048_576, 0x20)));
      },
    ],
    [
      'headers that drip',
      ({ socket }, response) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        forever(response, () => socket.write('x: y\r\n'));
      },
    ],
    [
      'one header that floods',
      ({ socket }, response) => {
        socket.write('HTTP/1.1 200 OK\r\nx: ');
        forever(response, () => socket.write('y'.repeat(65_536)));
      },
    ],
    [
      'nothing but that it goes on',
      ({ socket }, response) => forever(response, () => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n')),
    ],
    ['brackets without end', (_, response) => void response.writeHead(200, JSON_TYPE).end('['.repeat(1_000_000))],
    [
      'a length that is a lie',
      (_, response) => void response.writeHead(200, { ...JSON_TYPE, 'content-length': 9_999_999_999 }).write('{'),
    ],
  ])('%s', async (_what, hostile) => {
    agent.answer = hostile;
    await expect(control.inspect(['run_1'])).rejects.toThrow(RunnerUnreachable);
    agent.answer = json(statusAs({ active: [runningAs('run_1')] }));
    expect((await control.inspect(['run_1'])).get('run_1')).toMatchObject({ state: 'running' });
  });
});
