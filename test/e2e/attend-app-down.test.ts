/** An app that dies while its tasks are attended: the commands go on, and what became of them is told when it is back. */
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startApp as startScriptedApp } from '../cli/support.ts';
import { type AppProcess, bundleApp, startAppProcess } from '../support/app-process.ts';
import { type Attending, attendTask, bundleCli } from '../support/attend.ts';
import { endByWord, expectGone, makeMarker, removeDirectory } from '../support/processes.ts';
import { API_TOKEN, makeWorld, REPOSITORY, WAIT, type World } from '../support/world.ts';
import { finish, pidsOf } from './programs.ts';
import './support.ts';

let place: { dir: string; cli: string };
let bundle: string;
let world: World;
let app: AppProcess | null = null;
let env: Record<string, string>;
const words: string[] = [];

beforeAll(async () => {
  place = await bundleCli();
  bundle = await bundleApp(join(place.dir, 'app'));
  world = await makeWorld();
  const operator = join(world.dir, 'standdown.yml');
  await writeFile(operator, world.operator);
  env = { ...world.env, STANDDOWN_CONFIG: operator, PORT: String(await freePort()) };
  world.github.addIssue(REPOSITORY, { number: 7, title: 'Attended', by: 'ann' });
}, 120_000);

afterEach(async () => {
  for (const word of words.splice(0)) endByWord(word);
});

afterAll(async () => {
  await app?.kill();
  await world?.close();
  if (place !== undefined) removeDirectory(place.dir);
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function startApp(): Promise<void> {
  app = await startAppProcess(bundle, env);
  world.github.webhooks.to(`${app.url}/api/github/webhooks`);
}

async function call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${API_TOKEN}`, 'content-type': 'application/json', connection: 'close' };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  return (await (await fetch(`${app?.url}/api/v1${path}`, init)).json()) as Record<string, unknown>;
}

async function submitTasks(name: string, tasks: Record<string, object>): Promise<Map<string, string>> {
  const attended = Object.entries(tasks).map(([key, task]) => [key, { runs_on: 'attended', ...task }]);
  const batch = await call('POST', '/batches', { repository: REPOSITORY, name, tasks: Object.fromEntries(attended) });
  return new Map((batch.tasks as { id: string; key: string }[]).map(({ id, key }) => [key, id]));
}

/** Works until USR1, then ends with that exit code. */
function start(task: string | undefined, exitCode: number): Attending & { word: string } {
  const word = makeMarker();
  words.push(word);
  const at = { ...place, url: `http://127.0.0.1:${env.PORT}`, token: API_TOKEN };
  const program = ['perl', '-e', `$SIG{USR1} = sub { exit ${exitCode} }; sleep 1 while 1`, word];
  return { ...attendTask(at, ['--task', task ?? '', '--', ...program]), word };
}

const stateOf = async (task: string | undefined) => (await call('GET', `/tasks/${task}`)).state;

/** Not those of `standdown attend`, whose command line has the word, too. */
const commandsOf = (word: string) => pidsOf(word).length;

test('kill -9 of the app stops nothing: it is told once, and the rest when the app is back', async () => {
  await startApp();
  const tasks = await submitTasks('down', { ends: {}, goes: { issue: 7, grace_seconds: 1 } });
  const ends = start(tasks.get('ends'), 3);
  const goes = start(tasks.get('goes'), 0);
  for (const [, id] of tasks) await expect.poll(() => stateOf(id), WAIT).toBe('running');
  const pid = await commandPid(ends);
  const goesPid = await commandPid(goes);

  await app?.kill();
  const lost = 'the app gives no answer, the command goes on';
  await expect.poll(() => [ends.err(), goes.err()].every((text) => text.includes(lost)), WAIT).toBe(true);
  await finish(pid);
  await expect
    .poll(() => ends.err(), WAIT)
    .toContain('the command has ended, and the app gives no answer: it is told for');
  expect(() => process.kill(goesPid, 0)).not.toThrow();

  await startApp();
  expect(await ends.done).toBe(3);
  expect(ends.err()).toContain('the app was told how the command ended');
  await expect.poll(() => stateOf(tasks.get('ends')), WAIT).toBe('failed');
  const { runs } = (await call('GET', `/tasks/${tasks.get('ends')}`)) as { runs: object[] };
  expect(runs).toMatchObject([{ runner: 'attended', state: 'failed', cause: 'run_failed', exit_code: 3, number: 1 }]);

  await expect.poll(() => goes.err(), WAIT).toContain('the app answers again');
  expect(goes.err().match(new RegExp(lost, 'g'))).toHaveLength(1);
  expect(await stateOf(tasks.get('goes'))).toBe('running');
  world.github.issue(REPOSITORY, 7).close({ by: 'ann', reason: 'completed' });
  expect(await goes.done).toBe(124);
  expect(goes.err()).toContain('acme/widgets#7 was closed as completed by ann: TERM to');
  expectGone(goes.word);
  await expect.poll(() => stateOf(tasks.get('goes')), WAIT).toBe('done');
});

test('who will not wait for the app ends that by Ctrl-C, and has the exit code all the same', async () => {
  const tasks = await submitTasks('impatient', { ends: { retry: { environment_attempts: 1 } } });
  const ends = start(tasks.get('ends'), 9);
  await expect.poll(() => stateOf(tasks.get('ends')), WAIT).toBe('running');
  const pid = await commandPid(ends);
  await app?.kill();
  await finish(pid);
  await expect.poll(() => ends.err(), WAIT).toContain('the command has ended, and the app gives no answer');
  process.kill(ends.pid, 'SIGINT');
  expect(await ends.done).toBe(9);
  expect(ends.err()).toContain('the app was not told how the command ended');
  // And the app never invents one.
  await startApp();
  await expect.poll(() => stateOf(tasks.get('ends')), WAIT).toBe('failed');
  const { runs } = (await call('GET', `/tasks/${tasks.get('ends')}`)) as { runs: object[] };
  expect(runs).toMatchObject([
    { state: 'lost', exit_code: null, reason: expect.stringContaining('gone without a word') },
  ]);
});

test('where no app answers nothing is started', async () => {
  await app?.kill();
  const attending = start('task_1', 0);
  expect(await attending.done).toBe(6);
  expect(attending.err()).toMatch(/^standdown: nothing was started: can't reach the app at http:\/\/127/);
  expect(commandsOf(attending.word)).toBe(0);
  await startApp();
});

/** Of the perl below `standdown attend`. */
async function commandPid({ pid, word }: Attending & { word: string }): Promise<number> {
  await expect.poll(() => pidsOf(word).filter((one) => one !== pid).length, WAIT).toBe(1);
  return pidsOf(word).find((one) => one !== pid) ?? 0;
}

test('a session whose run was given up is told so when it comes back, and its command ends by TERM and its grace', async () => {
  const fake = await startScriptedApp();
  const env = { STANDDOWN_RUN_ID: 'run_1', STANDDOWN_RUN_NUMBER: '2', LD_PRELOAD: '/evil.so', PATH: '/evil' };
  fake.answers['POST /tasks/task_1/attend'] = {
    ...{ status: 201, body: { run_id: 'run_1', number: 2, grace_seconds: 0.5, lease_seconds: 900, env } },
  };
  const silent = { status: 502, body: 'the proxy says so' };
  fake.answers['GET /runs/run_1/attend'] = silent;
  fake.answers['POST /runs/run_1/attend/end'] = { status: 202, body: { accepted: true } };
  const word = makeMarker();
  words.push(word);
  const program =
    '$SIG{TERM} = "IGNORE"; $| = 1; print "$ENV{STANDDOWN_RUN_NUMBER}:$ENV{LD_PRELOAD}:\\n"; sleep 1 while 1';
  const at = { ...place, url: fake.url, token: API_TOKEN };
  const attending = attendTask(at, ['--task', 'task_1', '--', 'perl', '-e', program, word]);
  try {
    await expect.poll(() => attending.err(), WAIT).toMatch(/gives no answer, nothing is started until it does: .*502/);
    expect(attending.out()).toBe('');
    const running = { state: 'running', signal: null, grace_seconds: null, why: null };
    fake.answers['GET /runs/run_1/attend'] = { body: running };
    await expect.poll(() => attending.out(), WAIT).toBe('2::\n');
    fake.answers['GET /runs/run_1/attend'] = silent;
    await expect.poll(() => attending.err(), WAIT).toMatch(/the command goes on: .*502/);
    const over = {
      state: 'over',
      signal: null,
      grace_seconds: 0.5,
      why: 'run 2 of train was given up: nothing was heard',
    };
    fake.answers['GET /runs/run_1/attend'] = { body: over };
    expect(await attending.done).toBe(124);
    expect(attending.err()).toContain('standdown: run 2 of train was given up: nothing was heard: TERM to 1 process');
    expect(attending.err()).toContain('KILL was needed');
    expectGone(word);
    const claim = fake.calls.find(({ call }) => call === 'POST /tasks/task_1/attend');
    const told = fake.calls.filter(({ call }) => call === 'POST /runs/run_1/attend/end').map(({ body }) => body);
    const { session } = claim!.body as { session: string };
    expect(told).toMatchObject([{ session, exit_code: null, signal: 'KILL', survivors: [] }]);
  } finally {
    await fake.close();
  }
});
