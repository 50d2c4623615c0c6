/** Every time counts by the app's clock, whatever the agent's says: starts, ends, deadlines, and how long a run may be unknown. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Deps } from '../../../src/engine/deps.ts';
import { DEFAULT_POLICY } from '../../../src/engine/index.ts';
import type { JobControl } from '../../../src/engine/ports/runner.ts';
import { reconcileTask } from '../../../src/engine/reconcile-task.ts';
import { makeMemoryStore } from '../../../src/store/memory/index.ts';
import { openByAgent } from '../../support/agent.ts';
import { aRun, aTask, at } from '../../support/builders.ts';
import { silentLog } from '../../support/databases.ts';
import { json, runningAs, type ScriptedAgent, startScriptedAgent, statusAs } from '../../support/scripted-agent.ts';

const HOUR = 3_600;
const NO_RECORD = 'runner has no record of this run (neither active nor completed)';

let agent: ScriptedAgent;
let control: JobControl;
let deps: Deps;
/** Of the app, in seconds after T0. */
let now: number;

beforeEach(async () => {
  now = 0;
  const clock = () => at(now);
  agent = await startScriptedAgent();
  control = openByAgent(agent.url, { now: clock });
  deps = {
    store: makeMemoryStore({ now: clock, onEnqueued: () => {} }),
    runners: { get: () => control, names: () => ['lab'], allows: () => true },
    ...{ github: null, interpret: () => ({ kind: 'ignored' }), policyOf: async () => DEFAULT_POLICY },
    ...{ trustedApps: () => [], limits: { maxRunning: 8, maxRunningPerRepository: 8 } },
    ...{ clock, newId: (prefix: string) => `${prefix}_new`, log: silentLog },
  } as Deps;
});

afterEach(async () => {
  await control.close();
  await agent.close();
});

/** A task whose run is there since T0; its row as it was made, unless the rest says otherwise. */
async function startedTask(run: Parameters<typeof aRun>[0] = {}, timeoutMinutes: number | null = null): Promise<void> {
  const spec = { ...aTask().spec, runsOn: 'lab', timeoutMinutes };
  const task = aTask({ spec, batchId: null, issueNumber: null, state: 'running', runNumber: 1, attempt: 1 });
  await deps.store.commit([
    { write: 'repository.put', repository: { id: '1', fullName: 'acme/widgets', installationId: null } },
    { write: 'task.insert', task },
    {
      write: 'run.insert',
      run: aRun({ runner: 'lab', state: 'starting', startedAt: null, containment: null, ...run }),
    },
  ]);
}

/** What the agent says at that second of ours, by a clock that is so many seconds off. */
function says(offset: number, entries: (theirs: (second: number) => Date) => Record<string, unknown>): void {
  const theirs = (second: number) => at(second + offset);
  const status = statusAs(entries(theirs));
  Object.assign(status.agent as object, { now: theirs(now) });
  agent.answer = json(status);
}

async function look(second: number) {
  now = second;
  await reconcileTask(deps, 'task_1');
  const run = await deps.store.run('run_1');
  const task = await deps.store.task('task_1');
  return { run, task };
}

const exitedAs = (more: object) => ({
  ...{ run_id: 'run_1', state: 'exited', exit_code: 3, signal: null, survivors: [], containment: 'cgroup' },
  ...more,
});

describe.each([
  ['right', 0],
  ['an hour behind', -HOUR],
  ['an hour ahead', HOUR],
])('where the clock of the agent is %s', (_word, offset) => {
  it('a run starts, and ends, by ours', async () => {
    await startedTask();
    now = 10;
    says(offset, (theirs) => ({ active: [runningAs('run_1', { started_at: theirs(8) })] }));
    expect((await look(10)).run).toMatchObject({ state: 'running', startedAt: at(8) });
    now = 60;
    says(offset, (theirs) => ({ completed: [exitedAs({ started_at: theirs(8), ended_at: theirs(55) })] }));
    expect((await look(60)).run).toMatchObject({ state: 'failed', exitCode: 3, startedAt: at(8), endedAt: at(55) });
  });

  it('its time is up by ours', async () => {
    await startedTask({}, 5);
    const runs = (theirs: (second: number) => Date) => ({ active: [runningAs('run_1', { started_at: theirs(8) })] });
    for (const [second, state] of [
      [10, 'running'],
      [307, 'running'],
      [308, 'stopping'],
    ] as const) {
      now = second;
      says(offset, runs);
      expect((await look(second)).run).toMatchObject({ state, startedAt: at(8) });
    }
    expect((await look(308)).task).toMatchObject({ target: { ending: { cause: 'timeout' } } });
  });

  it.each([
    ['that started', { state: 'running', startedAt: at(8) } as const, 8],
    ['of which no start is known', { state: 'running', startedAt: null } as const, 0],
  ])('a run %s and is in neither list goes on for 119 s of ours, and is lost after 121', async (_what, run, from) => {
    await startedTask(run);
    for (const [second, state] of [
      [from + 119, 'running'],
      [from + 121, 'lost'],
    ] as const) {
      now = second;
      says(offset, () => ({}));
      expect((await look(second)).run).toMatchObject({ state, exitCode: null });
    }
    const { run: lost, task } = await look(from + 121);
    expect(lost).toMatchObject({ reason: NO_RECORD, cause: 'runner_lost', startedAt: run.startedAt, endedAt: null });
    expect(task).toMatchObject({ state: 'failed', cause: 'runner_lost' });
  });

  it('an end without a start is an end, whose start nobody invents', async () => {
    await startedTask();
    now = 50;
    says(offset, (theirs) => ({ completed: [exitedAs({ started_at: null, ended_at: theirs(45) })] }));
    expect((await look(50)).run).toMatchObject({ state: 'failed', exitCode: 3, startedAt: null, endedAt: at(45) });
  });

  it('one that vanished without any time is lost, without invented times', async () => {
    await startedTask({ state: 'running', startedAt: null });
    now = 50;
    says(offset, () => ({ completed: [{ run_id: 'run_1', state: 'vanished', started_at: null, survivors: [] }] }));
    expect((await look(50)).run).toMatchObject({ state: 'lost', exitCode: null, startedAt: null, endedAt: null });
  });
});

it('an end before the cancel wins where the clock is wrong, and one after it does not', async () => {
  const target = {
    becomes: 'ended',
    effect: null,
    ending: { state: 'cancelled', cause: 'command', actor: 'ann', episodeId: null },
  } as const;
  for (const [endedAt, state] of [
    [29, 'failed'],
    [31, 'cancelled'],
  ] as const) {
    now = 0;
    deps = { ...deps, store: makeMemoryStore({ now: () => at(now), onEnqueued: () => {} }) };
    await startedTask({ state: 'stopping', startedAt: at(8), cancelRequestedAt: at(30) });
    const { version } = (await deps.store.task('task_1'))!;
    await deps.store.commit([{ write: 'task.update', id: 'task_1', version, set: { target } }]);
    now = 40;
    says(HOUR, (theirs) => ({ completed: [exitedAs({ started_at: theirs(8), ended_at: theirs(endedAt) })] }));
    expect((await look(40)).run).toMatchObject({ state, endedAt: at(endedAt) });
  }
});
