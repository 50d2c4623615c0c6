/** Sessions of attended runs as an app hears of them, from another host: what it does about silence, and about others. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Adapters } from '../../src/app/adapters.ts';
import type { RunningAgent } from '../../src/app/agent/index.ts';
import type { AgentStatus } from '../../src/core/agent.ts';
import type { JobControl } from '../../src/engine/ports.ts';
import { AGENT_TOKEN, startTestAgent } from '../support/agent.ts';
import { type Attendant, anAttendant } from '../support/attendant.ts';
import { makeTemporaryDirectory, removeDirectory } from '../support/processes.ts';
import {
  REPOSITORY,
  type RestBatch,
  rest,
  runOf,
  submit,
  taskOf,
  untilRunning,
  untilTask,
  WAIT,
} from '../support/world.ts';
import {
  batchName,
  type ClockedWorld,
  closeWorld,
  eventsOf,
  makeClockedWorld,
  newIssue,
  numberOfRuns,
  untilSettled,
} from './support.ts';

let world: ClockedWorld;
let agent: RunningAgent;
let agentDir: string;
let ahead = 0;
const looks = new Map<string, number>();

const now = () => new Date(Date.now() + ahead);
const MINUTE = 60_000;

/** Counts how often each runner is asked about its runs. */
function wrap(adapters: Adapters): Adapters {
  const get = (name: string) => {
    const runner = adapters.runners.get(name);
    if (runner === null) return runner;
    const inspect: JobControl['inspect'] = (ids) => {
      looks.set(name, (looks.get(name) ?? 0) + 1);
      return runner.inspect(ids);
    };
    return { ...runner, inspect };
  };
  return { ...adapters, runners: { ...adapters.runners, get } };
}

async function looked(runner = 'attended'): Promise<void> {
  const before = looks.get(runner) ?? 0;
  await expect.poll(() => looks.get(runner), WAIT).toBeGreaterThan(before + 2);
}

/** Time passes here while the app goes on looking, as it does more often than once a minute. */
async function passUntil(minutes: number): Promise<void> {
  while (ahead < minutes * MINUTE) {
    ahead = Math.min(ahead + MINUTE, minutes * MINUTE);
    await looked();
  }
}

beforeAll(async () => {
  agentDir = makeTemporaryDirectory('agent');
  agent = await startTestAgent({
    ...{ name: 'lab', dataDir: agentDir, root: agentDir, passEnv: [], processEnv: process.env },
    ...{ maxRunning: 4, graceSeconds: 1 },
  });
});

afterAll(async () => {
  await agent?.close();
  removeDirectory(agentDir);
});

beforeEach(async () => {
  ahead = 0;
  const lab = `{ kind: agent, url: "${agent.url}", token_env: LAB_TOKEN, repositories: ["acme/*"] }`;
  const local = '{ kind: process, repositories: ["acme/*"], grace_seconds: 2, max_running: 1 }';
  const operator = `runners:\n  local: ${local}\n  lab: ${lab}\n`;
  world = await makeClockedWorld({ operator, env: { LAB_TOKEN: AGENT_TOKEN }, app: { now, wrap } });
  await world.start();
});

afterEach(async () => {
  // What no app would do by itself for a long time.
  for (const { id, runner } of await world.app().deps.store.liveRuns()) {
    const [attended] = runner === 'attended' ? await world.app().deps.store.attendedRuns([id]) : [];
    if (attended !== undefined) await tellEnd({ runId: id, session: attended.session });
    else await world.app().deps.runners.get(runner)?.cancel(id, 'kill');
  }
  await expect.poll(async () => (await world.app().deps.store.liveRuns()).length, WAIT).toBe(0);
  await closeWorld(world);
});

interface Held {
  runId: string;
  session: string;
}

const idOf = ({ tasks }: RestBatch) => tasks[0]?.id ?? '';
const submitTask = (fields: object = {}, more: object = {}) =>
  submit(world, { train: { runs_on: 'attended', run: ['true'], ...fields } }, { ...batchName(), ...more });
const attend = (batch: RestBatch, by: Attendant = anAttendant()) =>
  rest(world, 'POST', `/tasks/${idOf(batch)}/attend`, by);
const ask = ({ runId, session }: Held) => rest(world, 'GET', `/runs/${runId}/attend?session=${session}`);
/** Asks for news, and does not wait for them. */
const heartbeat = ({ runId, session }: Held) =>
  rest(world, 'GET', `/runs/${runId}/attend?session=${session}&wait_seconds=0`);
const tellEnd = ({ runId, session }: Held, end: object = { exit_code: 0 }) =>
  rest(world, 'POST', `/runs/${runId}/attend/end`, { session, ...end });

async function held(batch: RestBatch, by: Attendant = anAttendant()): Promise<Held> {
  const { status, body } = await attend(batch, by);
  expect(status).toBe(201);
  const at = { runId: (body as { run_id: string }).run_id, session: by.session };
  expect((await heartbeat(at)).body).toMatchObject({ state: 'running' });
  await untilRunning(world, batch, 'train');
  return at;
}

describe('a claim', () => {
  it('made twice by one session is the same run, and another session is refused', async () => {
    const batch = await submitTask({ grace_seconds: 7.5 });
    const by = anAttendant();
    const claims = await Promise.all([attend(batch, by), attend(batch, by), attend(batch, by)]);
    expect(claims.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(claims.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    const { env, ...told } = claims[0]!.body as { env: object };
    expect(told).toEqual({ run_id: expect.any(String), number: 1, grace_seconds: 7.5, lease_seconds: 900 });
    expect(env).toMatchObject({ STANDDOWN_TASK_KEY: 'train', STANDDOWN_REPOSITORY: 'acme/widgets' });
    expect(await attend(batch)).toMatchObject({
      ...{ status: 409, body: { error: { message: 'train is running already, as run 1' } } },
    });
    expect(await numberOfRuns(world, idOf(batch))).toBe(1);
  });

  it('goes to its runner or to whoever attends, never to both, and never beyond what its batch may run', async () => {
    const tried = Array.from({ length: 8 }, async (_, n) => {
      const run = ['sleep', '0.2'];
      const batch = await submit(world, { train: { run } }, { ...batchName(), max_parallel: 1 });
      return { n, batch, claims: await Promise.all([attend(batch), attend(batch)]) };
    });
    for (const { batch, claims } of await Promise.all(tried)) {
      const taken = claims.filter(({ status }) => status === 201);
      expect(taken.length).toBeLessThanOrEqual(1);
      await untilTask(world, batch, 'train', { runNumber: 1 });
      const runner = taken.length === 1 ? 'attended' : 'local';
      expect(await runOf(world, batch, 'train')).toMatchObject({ runner, number: 1 });
      expect(await eventsOf(world, { taskId: idOf(batch), type: 'RUN_STARTING' })).toHaveLength(1);
    }
  });

  it('needs no place on the runner that the task names, and one in its batch', async () => {
    const busy = await submit(world, { train: { run: ['sleep', '60'] } }, batchName());
    await untilRunning(world, busy, 'train');
    const tasks = { train: { run: ['true'] }, next: { run: ['true'] } };
    const batch = await submit(world, tasks, { ...batchName(), max_parallel: 1 });
    expect((await taskOf(world, batch, 'train')).state).toBe('ready');
    await held(batch);
    expect(await rest(world, 'POST', `/tasks/${batch.tasks[1]?.id}/attend`, anAttendant())).toMatchObject({
      ...{
        status: 409,
        body: { error: { message: expect.stringMatching(/^next is ready, .*: batch .* runs 1 of 1/) } },
      },
    });
  });

  it('counts as any start: many at once get no more places than there are', async () => {
    const keys = Array.from({ length: 6 }, (_, n) => `t${n}`);
    const tasks = Object.fromEntries(keys.map((key) => [key, { runs_on: 'attended', run: ['true'] }]));
    const batch = await submit(world, tasks, { ...batchName(), max_parallel: 2 });
    const claims = batch.tasks.map(({ id }) => rest(world, 'POST', `/tasks/${id}/attend`, anAttendant()));
    const statuses = (await Promise.all(claims)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([201, 201, 409, 409, 409, 409]);
  });

  it('is refused for what could not start either: held, blocked, waiting, of a closed issue', async () => {
    const issue = newIssue(world);
    const batch = await submitTask({ issue: issue.number });
    const refused = async () => ((await attend(batch)).body as { error: { code: string; message: string } }).error;
    const order = (verb: string, body: object = {}) => rest(world, 'POST', `/tasks/${idOf(batch)}/${verb}`, body);
    await order('hold', { reason: 'lunch' });
    expect(await refused()).toMatchObject({ message: expect.stringMatching(/on hold by api for \d+ s: lunch$/) });
    await order('release');
    await order('block', { question: 'which data?' });
    expect(await refused()).toMatchObject({ message: expect.stringContaining('which data?') });
    await order('answer', { text: 'these' });
    await rest(world, 'POST', '/holds', { scope: 'runner', runner: 'attended' });
    expect(await refused()).toMatchObject({ message: expect.stringContaining('runner attended is on hold') });
    await rest(world, 'POST', '/holds/release', { scope: 'runner', runner: 'attended' });
    await world.stop();
    issue.close({ by: 'ann' });
    await world.github.webhooks.settled();
    world.github.faults.add({ kind: 'answer', status: 502 });
    await world.start();
    const told = `GitHub gave no answer to rely on (${REPOSITORY}#${issue.number}: 502`;
    expect(await refused()).toMatchObject({ code: 'unavailable', message: expect.stringContaining(told) });
    world.github.faults.clear();
    // No webhook told of the close.
    await expect.poll(async () => (await refused()).message, WAIT).toMatch(/closed: reopen it first|train is done/);
    expect(await numberOfRuns(world, idOf(batch))).toBe(0);
  });
});

describe('a claim whose session is never heard', () => {
  const claim = async (batch: RestBatch, by = anAttendant()): Promise<Held> => {
    const { status, body } = await attend(batch, by);
    expect(status).toBe(201);
    return { runId: (body as { run_id: string }).run_id, session: by.session };
  };

  it('is taken back after a minute: its task is ready with all its attempts, and it can begin no more', async () => {
    const batch = await submitTask({ retry: { attempts: 1, environment_attempts: 1 } });
    const at = await claim(batch);
    await looked();
    expect(await runOf(world, batch, 'train')).toMatchObject({ state: 'starting' });
    ahead = 0.9 * MINUTE;
    await looked();
    expect(await runOf(world, batch, 'train')).toMatchObject({ state: 'starting' });
    ahead = 1.1 * MINUTE;
    await untilTask(world, batch, 'train', { state: 'ready', attempt: 0, runNumber: 1 });
    const reason = 'whoever claimed it left before its command could begin';
    expect(await runOf(world, batch, 'train')).toMatchObject({ ...{ state: 'failed', cause: 'start_failed' }, reason });
    expect((await heartbeat(at)).body).toMatchObject({ state: 'over', why: `run 1 of train: ${reason}` });
    expect((await attend(batch, { ...anAttendant(), session: at.session })).status).toBe(409);
    const next = await claim(batch);
    expect((await heartbeat(next)).body).toMatchObject({ state: 'running' });
    expect((await tellEnd(next)).status).toBe(202);
    await untilTask(world, batch, 'train', { state: 'done', runNumber: 2 });
  });

  it('is not taken back while the app was away, nor once it was heard', async () => {
    const batch = await submitTask();
    const at = await claim(batch);
    await world.stop();
    ahead = 5 * MINUTE;
    await world.start();
    await looked();
    expect(await runOf(world, batch, 'train')).toMatchObject({ state: 'starting' });
    expect((await heartbeat(at)).body).toMatchObject({ state: 'running' });
    ahead = 8 * MINUTE;
    await looked();
    await untilRunning(world, batch, 'train');
  });

  it('is no run that a close lets finish: its task ends by that', async () => {
    const issue = newIssue(world);
    const batch = await submitTask({ issue: issue.number });
    const text = 'policy: { on_close: { not_planned: let_finish } }\n';
    world.github.pushFile(REPOSITORY, { by: 'ann', path: '.github/standdown.yml', text });
    await untilSettled(world);
    await claim(batch);
    world.clock.forward();
    issue.close({ by: 'ann', reason: 'not_planned' });
    const exempted = { type: 'TASK_EXEMPTED', issueNumber: issue.number };
    await expect.poll(() => eventsOf(world, exempted), WAIT).toHaveLength(1);
    ahead = 1.1 * MINUTE;
    await untilTask(world, batch, 'train', { state: 'cancelled', cause: 'issue_not_planned', actor: 'ann' });
  });

  it('is stopped by a close before it could begin', async () => {
    const issue = newIssue(world);
    const batch = await submitTask({ issue: issue.number });
    const at = await claim(batch);
    await looked();
    world.clock.forward();
    issue.close({ by: 'ann', reason: 'not_planned' });
    await untilTask(world, batch, 'train', { state: 'cancelled', cause: 'issue_not_planned' });
    expect((await heartbeat(at)).body).toMatchObject({ state: 'over' });
  });
});

describe('a task that only people run', () => {
  it('waits for somebody, says how, and keeps nothing else from starting', async () => {
    const waits = await submitTask();
    const other = await submit(world, { train: { run: ['true'] } }, batchName());
    await untilTask(world, other, 'train', { state: 'done' });
    const { body } = await rest(world, 'GET', `/tasks/${idOf(waits)}`);
    const command = `standdown attend --task ${idOf(waits)} -- COMMAND`;
    expect(body).toMatchObject({ state: 'ready', waiting_on: `somebody has to run it: ${command}` });
  });

  it('keeps its batch from being stuck, since it can start, and everybody is told how', async () => {
    const issue = newIssue(world);
    const tasks = {
      fetch: { runs_on: 'local', run: ['true'] },
      train: { runs_on: 'attended', issue: issue.number, needs: ['fetch'] },
    };
    const document = { repository: REPOSITORY, ...batchName(), tasks };
    const started = (await rest(world, 'POST', '/batches', document)).body as RestBatch;
    await untilTask(world, started, 'train', { state: 'ready' });
    await untilSettled(world);
    const batch = (await rest(world, 'GET', `/batches/${started.id}`)).body;
    const id = started.tasks.find(({ key }) => key === 'train')?.id;
    const words = `somebody has to run it: standdown attend --task ${id} -- COMMAND`;
    const waits = { key: 'train', waiting_on: words };
    expect(batch).toMatchObject({
      state: 'running',
      stuck: false,
      next_steps: [],
      tasks: expect.arrayContaining([expect.objectContaining(waits)]),
    });
    expect((await rest(world, 'GET', `/issues/${REPOSITORY}/${issue.number}/explain`)).body).toMatchObject({
      tasks: [{ key: 'train', waiting_on: words }],
    });
    // It holds its name.
    expect(await rest(world, 'POST', '/batches', document)).toMatchObject({ status: 409 });
    // Held, nobody can start it.
    await rest(world, 'POST', `/tasks/${id}/hold`, {});
    await expect
      .poll(async () => (await rest(world, 'GET', `/batches/${started.id}`)).body, WAIT)
      .toMatchObject({ state: 'running', stuck: true, next_steps: [`standdown task release ${id}`] });
  });
});

describe('silence', () => {
  it('of a session elsewhere ends its run once the lease is over, with the reason and without another run', async () => {
    const batch = await submitTask({ retry: { attempts: 3, environment_attempts: 3 } });
    const at = await held(batch);
    await passUntil(2);
    expect((await heartbeat(at)).body).toMatchObject({ state: 'running' });
    await passUntil(16);
    expect(await runOf(world, batch, 'train')).toMatchObject({ state: 'running' });
    ahead = 17.3 * MINUTE;
    await untilTask(world, batch, 'train', { state: 'failed', cause: 'runner_lost' });
    const reason = expect.stringMatching(/^nothing was heard of whoever attends it on elsewhere since .* UTC$/);
    expect(await runOf(world, batch, 'train')).toMatchObject({ state: 'lost', reason, exitCode: null, goneAt: null });
    expect(await numberOfRuns(world, idOf(batch))).toBe(1);

    // And then it comes back.
    const back = await ask(at);
    const why = expect.stringMatching(/^run 1 of train was given up: nothing was heard/);
    expect(back).toMatchObject({ status: 200, body: { state: 'over', signal: null, why } });
    expect((await tellEnd(at)).status).toBe(202);
    expect(await runOf(world, batch, 'train')).toMatchObject({ state: 'lost', exitCode: null });
  });

  it('of the app itself is none of the session', async () => {
    const batch = await submitTask();
    const at = await held(batch);
    await world.stop();
    ahead = 60 * MINUTE;
    await world.start();
    await looked();
    expect(await runOf(world, batch, 'train')).toMatchObject({ state: 'running' });
    expect((await heartbeat(at)).body).toMatchObject({ state: 'running' });
    await tellEnd(at, { exit_code: 4 });
    await untilTask(world, batch, 'train', { state: 'failed', cause: 'run_failed' });
  });

  it('of the app that was away without being stopped is none of the session either', async () => {
    const batch = await submitTask();
    const at = await held(batch);
    ahead = 20 * MINUTE;
    await looked();
    expect(await runOf(world, batch, 'train')).toMatchObject({ state: 'running' });
    expect((await heartbeat(at)).body).toMatchObject({ state: 'running' });
  });

  it('of a command is no stall: its output is not seen here', async () => {
    // With a runner for it, which may not take it.
    await rest(world, 'POST', '/holds', { scope: 'runner', runner: 'local' });
    const batch = await submitTask({ runs_on: 'local', stall_minutes: 1, timeout_minutes: 30 });
    const at = await held(batch);
    ahead = 10 * MINUTE;
    await looked();
    expect(await runOf(world, batch, 'train')).toMatchObject({ state: 'running' });
    expect((await heartbeat(at)).body).toMatchObject({ state: 'running' });
    ahead = 24 * MINUTE;
    expect((await heartbeat(at)).body).toMatchObject({ state: 'running' });
    ahead = 31 * MINUTE;
    const news = { state: 'stopping', signal: 'TERM', why: 'run 1 of train took longer than it may' };
    await expect.poll(async () => (await ask(at)).body, WAIT).toMatchObject(news);
    await tellEnd(at, { signal: 'TERM' });
    await untilTask(world, batch, 'train', { state: 'failed', cause: 'timeout' });
  });
});

describe('a stop', () => {
  it('is heard at once by who waits for news, by its close, and not before', async () => {
    const issue = newIssue(world);
    const batch = await submitTask({ issue: issue.number, grace_seconds: 3 });
    const at = await held(batch);
    const news = ask(at);
    expect((await heartbeat(at)).body).toMatchObject({ state: 'running' });
    world.clock.forward();
    issue.close({ by: 'ann', reason: 'completed' });
    const why = `acme/widgets#${issue.number} was closed as completed by ann`;
    expect(await news).toMatchObject({ body: { state: 'stopping', signal: 'TERM', grace_seconds: 3, why } });
    // One who hears late is told too, and the run ends when it says so, not before.
    await expect.poll(async () => (await ask(at)).body, WAIT).toMatchObject({ signal: 'KILL', why });
    expect(await runOf(world, batch, 'train')).toMatchObject({ state: 'stopping', goneAt: null });
    await tellEnd(at, { signal: 'KILL' });
    await untilTask(world, batch, 'train', { state: 'done', cause: 'issue_completed', actor: 'ann' });
    expect(await runOf(world, batch, 'train')).toMatchObject({ state: 'cancelled', signal: 'KILL' });
  });

  it('comes too late for what had ended before, also where that is told late', async () => {
    const issue = newIssue(world);
    const batch = await submitTask({ issue: issue.number });
    const at = await held(batch);
    world.clock.forward();
    issue.close({ by: 'ann', reason: 'not_planned' });
    await expect.poll(async () => (await runOf(world, batch, 'train'))?.state, WAIT).toBe('stopping');
    await tellEnd(at, { exit_code: 0, ended_seconds_ago: 60 });
    await untilTask(world, batch, 'train', { state: 'done', cause: 'run_succeeded' });
    expect(await runOf(world, batch, 'train')).toMatchObject({ state: 'succeeded', exitCode: 0 });
  });

  it('names what survived it, and waits for a person', async () => {
    const batch = await submitTask({ issue: newIssue(world).number });
    const at = await held(batch);
    await rest(world, 'POST', `/tasks/${idOf(batch)}/cancel`);
    await expect.poll(async () => (await ask(at)).body, WAIT).toMatchObject({ state: 'stopping' });
    await tellEnd(at, { signal: 'KILL', survivors: [4712, 4713] });
    await expect.poll(async () => (await runOf(world, batch, 'train'))?.killAt, WAIT).not.toBeNull();
    ahead = 2 * MINUTE;
    await untilTask(world, batch, 'train', { state: 'blocked', cause: 'survivors' });
    expect(await runOf(world, batch, 'train')).toMatchObject({ survivors: [4712, 4713], goneAt: null });
    expect((await rest(world, 'POST', `/tasks/${idOf(batch)}/release`)).status).toBe(202);
    await untilTask(world, batch, 'train', { state: 'cancelled' });
  });
});

describe('a session', () => {
  it('is no other: what another one says of the run is refused, and changes nothing', async () => {
    const batch = await submitTask();
    const at = await held(batch);
    const other = { ...at, session: anAttendant().session };
    const refused = { status: 409, body: { error: { message: `run ${at.runId} is attended by another session` } } };
    expect(await ask(other)).toMatchObject(refused);
    expect(await tellEnd(other)).toMatchObject(refused);
    expect(await runOf(world, batch, 'train')).toMatchObject({ state: 'running' });
    const elsewhere = await submitTask();
    const had = { status: 409, body: { error: { message: `this session has had run ${at.runId} already` } } };
    expect(await attend(elsewhere, anAttendant({ session: at.session }))).toMatchObject(had);
    expect((await ask({ ...at, runId: 'run_unknown' })).status).toBe(404);
    // A run of a runner is attended by nobody.
    const driven = await submit(world, { train: { run: ['sleep', '60'] } }, batchName());
    const { id } = await untilRunning(world, driven, 'train');
    expect([(await ask({ ...at, runId: id })).status, (await tellEnd({ ...at, runId: id })).status]).toEqual([
      404, 404,
    ]);
  });

  it('tells of its end once: the first word stands', async () => {
    const batch = await submitTask();
    const at = await held(batch);
    const told = await Promise.all([tellEnd(at, { exit_code: 3 }), tellEnd(at, { exit_code: 3 })]);
    expect(told.map(({ status }) => status)).toEqual([202, 202]);
    await untilTask(world, batch, 'train', { state: 'failed' });
    expect((await tellEnd(at, { exit_code: 0 })).status).toBe(202);
    expect(await runOf(world, batch, 'train')).toMatchObject({ state: 'failed', exitCode: 3 });
    expect(await taskOf(world, batch, 'train')).toMatchObject({ state: 'failed', runNumber: 1 });
  });

  it('has nothing to do with an agent beside it, which has never heard of its run', async () => {
    const batch = await submit(world, { other: { runs_on: 'lab', run: ['sleep', '60'] } }, batchName());
    const other = await untilRunning(world, batch, 'other');
    const attended = await submitTask();
    const at = await held(attended);
    await looked('lab');
    const headers = { authorization: `Bearer ${AGENT_TOKEN}` };
    const status = (await (await fetch(`${agent.url}/status`, { headers })).json()) as AgentStatus;
    expect(status.active.map(({ run_id: id }) => id)).toEqual([other.id]);
    expect(status.completed.map(({ run_id: id }) => id)).not.toContain(at.runId);
    await looked();
    expect(await runOf(world, attended, 'train')).toMatchObject({ id: at.runId, state: 'running' });
    expect((await world.app().deps.runners.get('lab')?.list()) ?? []).not.toContain(at.runId);
  });

  it('attends a task that names the agent, and the agent is asked nothing of it', async () => {
    await rest(world, 'POST', '/holds', { scope: 'runner', runner: 'lab' });
    const batch = await submitTask({ runs_on: 'lab', verify: { run: ['true'] } });
    const at = await held(batch);
    await looked();
    expect(await runOf(world, batch, 'train')).toMatchObject({ id: at.runId, runner: 'attended', state: 'running' });
    await rest(world, 'POST', '/holds/release', { scope: 'runner', runner: 'lab' });
    await tellEnd(at);
    // Whether it is right is judged there.
    await untilTask(world, batch, 'train', { state: 'done', runNumber: 2 });
    expect(await runOf(world, batch, 'train')).toMatchObject({ runner: 'lab', purpose: 'verify', state: 'succeeded' });
  });
});
