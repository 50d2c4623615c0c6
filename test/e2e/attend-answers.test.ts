/** What whoever attends a task makes of an app's answers: the real command line, and an app that answers what a test puts there. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FakeApp, startApp } from '../cli/support.ts';
import { type Attending, attendTask, bundleCli } from '../support/attend.ts';
import { endByWord, expectGone, makeMarker, removeDirectory } from '../support/processes.ts';
import { API_TOKEN, WAIT } from '../support/world.ts';
import { finish, pidsOf } from './programs.ts';

const CLAIM = 'POST /tasks/task_1/attend';
const NEWS = 'GET /runs/run_1/attend';
const END = 'POST /runs/run_1/attend/end';
const RUNNING = { body: { state: 'running', signal: null, grace_seconds: null, why: null } };

let place: { dir: string; cli: string };
let app: FakeApp;
let word: string;

beforeAll(async () => {
  place = await bundleCli();
}, 120_000);

beforeEach(async () => {
  word = makeMarker();
  app = await startApp();
  app.answers[CLAIM] = claimed(600);
  app.answers[NEWS] = RUNNING;
  app.answers[END] = { status: 202, body: { accepted: true } };
});

afterEach(async () => {
  endByWord(word);
  await app.close();
});

afterAll(() => {
  if (place !== undefined) removeDirectory(place.dir);
});

function claimed(graceSeconds: number) {
  return {
    status: 201,
    body: { run_id: 'run_1', number: 1, grace_seconds: graceSeconds, lease_seconds: 900, env: {} },
  };
}

function start(options: readonly string[] = []): Attending {
  const program = `$SIG{TERM} = "IGNORE"; $SIG{USR1} = sub { exit 3 }; $| = 1; print "up\n"; sleep 1 while 1`;
  const at = { ...place, url: app.url, token: API_TOKEN };
  return attendTask(at, ['--task', 'task_1', ...options, '--', 'perl', '-e', program, word]);
}

const up = (attending: Attending) => expect.poll(() => attending.out(), WAIT).toBe('up\n');
const callsOf = (name: string) => app.calls.filter(({ call }) => call.startsWith(name));
const ends = () => callsOf(END).map(({ body }) => body);
const why = 'train was cancelled by api';

test('KILL that the app orders ends the grace', async () => {
  const attending = start();
  await up(attending);
  app.answers[NEWS] = { body: { state: 'stopping', signal: 'TERM', grace_seconds: 600, why } };
  await expect.poll(() => attending.err(), WAIT).toContain(`${why}: TERM to 1 process, KILL after 600 s`);
  app.answers[NEWS] = { body: { state: 'stopping', signal: 'KILL', grace_seconds: 600, why } };
  expect(await attending.done).toBe(124);
  expectGone(word);
  expect(ends()).toMatchObject([{ signal: 'KILL', exit_code: null }]);
});

test("a grace above the task's is none: the task's holds, and that is said", async () => {
  app.answers[CLAIM] = claimed(0.2);
  const attending = start(['--grace', '600']);
  await up(attending);
  expect(attending.err()).toBe("standdown: --grace 600 is more than the task's: KILL comes 0.2 s after TERM\n");
  app.answers[NEWS] = { body: { state: 'stopping', signal: 'TERM', grace_seconds: 0.2, why } };
  expect(await attending.done).toBe(124);
  expect(attending.err()).toContain('KILL after 0.2 s');
});

test.each([
  [404, 'not_found', 'there is no run run_1'],
  [409, 'conflict', 'run run_1 is attended by another session'],
])('%i to the question for news is the end of it, told in the words of the app', async (status, code, message) => {
  const attending = start(['--grace', '0.1']);
  await up(attending);
  app.answers[NEWS] = { status, body: { error: { code, message } } };
  expect(await attending.done).toBe(124);
  expect(attending.err()).toContain(`standdown: ${message}: TERM to 1 process`);
  expect(attending.err()).not.toContain('gives no answer');
});

test('a token that is wrong meanwhile stops nothing, and is no silence', async () => {
  const attending = start();
  await up(attending);
  const refused = { status: 401, body: { error: { code: 'unauthorized', message: 'a wrong token' } } };
  app.answers[NEWS] = refused;
  await expect
    .poll(() => attending.err(), WAIT)
    .toContain('the app does not say what to do, the command goes on: a wrong token');
  app.answers[END] = refused;
  for (const pid of pidsOf(word)) if (pid !== attending.pid) await finish(pid);
  const told =
    'the command has ended, and the app does not take that: it is told for up to 10 min, Ctrl-C ends that (a wr';
  await expect.poll(() => attending.err(), WAIT).toContain(told);
  app.answers[END] = { status: 202, body: { accepted: true } };
  expect(await attending.done).toBe(3);
  expect(attending.err()).not.toContain('gives no answer');
});

test('a signal that comes before the claim is answered gives the task back, and starts nothing', async () => {
  let answer = () => {};
  const after = new Promise<void>((resolve) => {
    answer = resolve;
  });
  app.answers[CLAIM] = { ...claimed(1), after };
  const attending = start();
  await expect.poll(() => callsOf(CLAIM).length, WAIT).toBe(1);
  process.kill(attending.pid, 'SIGINT');
  await expect.poll(() => attending.err(), WAIT).toContain('told to end: as soon as the app has answered');
  answer();
  expect([await attending.done, attending.out()]).toEqual([130, '']);
  expect(ends()).toMatchObject([{ signal: 'INT', exit_code: null, survivors: [] }]);
});

test('nothing begins before the app has said that it may', async () => {
  let answer = () => {};
  const after = new Promise<void>((resolve) => {
    answer = resolve;
  });
  app.answers[NEWS] = { ...RUNNING, after };
  const attending = start();
  await expect.poll(() => callsOf(NEWS).length, WAIT).toBe(1);
  expect([attending.out(), pidsOf(word)]).toEqual(['', [attending.pid]]);
  app.answers[NEWS] = RUNNING;
  answer();
  await up(attending);
});

test('nothing begins where the claim was taken back, or is to end already', async () => {
  app.answers[NEWS] = { body: { state: 'over', signal: null, grace_seconds: 600, why: 'run 1 was taken back' } };
  const late = start();
  expect([await late.done, late.out(), late.err()]).toEqual([
    ...[5, '', 'standdown: nothing was started: run 1 was taken back\n'],
  ]);
  expect(ends()).toEqual([]);
  app.answers[NEWS] = { body: { state: 'stopping', signal: 'TERM', grace_seconds: 600, why } };
  const stopped = start();
  expect([await stopped.done, stopped.out(), stopped.err()]).toEqual([
    ...[124, '', `standdown: nothing was started: ${why}\n`],
  ]);
  expect(ends()).toMatchObject([{ signal: 'TERM', exit_code: null, survivors: [] }]);
});

test('a second signal gives the claim up', async () => {
  app.answers[CLAIM] = { ...claimed(1), after: new Promise(() => {}) };
  const attending = start();
  await expect.poll(() => callsOf(CLAIM).length, WAIT).toBe(1);
  process.kill(attending.pid, 'SIGTERM');
  await expect.poll(() => attending.err(), WAIT).toContain('which a second signal gives up');
  process.kill(attending.pid, 'SIGTERM');
  expect([await attending.done, attending.out(), ends()]).toEqual([143, '', []]);
});
