/** A person's own command as the work of a task: the real command line, the real app, real processes. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { readStat } from '../../src/runners/process/proc.ts';
import { type Attending, attendTask, bundleCli } from '../support/attend.ts';
import {
  deadline,
  endByWord,
  expectGone,
  findByWord,
  makeMarker,
  NASTY,
  removeDirectory,
} from '../support/processes.ts';
import {
  API_TOKEN,
  outcomesOf,
  type RestBatch,
  rest,
  runOf,
  submit,
  untilQuiet,
  untilRunning,
  untilTask,
  WAIT,
} from '../support/world.ts';
import { finish, pidOf } from './programs.ts';
import { batchName, type ClockedWorld, closeWorld, makeClockedWorld, newIssue, numberOfRuns } from './support.ts';

let place: { dir: string; cli: string };
let world: ClockedWorld;
const words: string[] = [];

beforeAll(async () => {
  place = await bundleCli();
}, 120_000);

beforeEach(async () => {
  world = await makeClockedWorld();
  await world.start();
});

afterEach(async () => {
  for (const word of words.splice(0)) endByWord(word);
  await closeWorld(world);
});

afterAll(() => {
  if (place !== undefined) removeDirectory(place.dir);
});

/** A word that finds its processes, also those of `standdown attend` itself. */
function word(): string {
  const marker = makeMarker();
  words.push(marker);
  return marker;
}

/** One task that only people run. */
function submitTask(issue: number, fields: object = {}): Promise<RestBatch> {
  return submit(world, { train: { issue, runs_on: 'attended', run: ['true'], ...fields } }, batchName());
}

function idOf({ tasks }: RestBatch): string {
  return tasks.find(({ key }) => key === 'train')?.id ?? '';
}

function start(batch: RestBatch, command: readonly string[], options: readonly string[] = []): Attending {
  const at = { ...place, url: world.app().url, token: API_TOKEN };
  return attendTask(at, ['--task', idOf(batch), ...options, '--', ...command]);
}

/** Works until USR1, then ends with that exit code. */
function worker(exitCode: number, marker = word()): string[] {
  return ['perl', '-e', `$SIG{USR1} = sub { exit ${exitCode} }; sleep 1 while 1`, marker];
}

test("the command's exit code is passed on, and is what the task becomes", async () => {
  const good = await submitTask(newIssue(world).number);
  const bad = await submitTask(newIssue(world).number, { retry: { attempts: 1 } });
  const names = 'echo "$STANDDOWN_TASK_ID:$STANDDOWN_RUN_NUMBER:$STANDDOWN_REPOSITORY:$STANDDOWN_API_TOKEN:$OWN"';
  const done = start(good, ['sh', '-c', names]);
  const fails = start(bad, ['sh', '-c', 'exit 7']);
  expect([await done.done, done.out(), done.err()]).toEqual([0, `${idOf(good)}:1:acme/widgets::kept\n`, '']);
  expect([await fails.done, fails.err()]).toEqual([7, '']);
  await untilTask(world, good, 'train', { state: 'done', cause: 'run_succeeded' });
  await untilTask(world, bad, 'train', { state: 'failed', cause: 'run_failed' });
  expect(await runOf(world, bad, 'train')).toMatchObject({ runner: 'attended', exitCode: 7, state: 'failed' });
  const { body } = await rest(world, 'GET', `/tasks/${idOf(bad)}/log`);
  expect(body).toMatch(/^\[standdown: its output is not kept here: .*\]\n$/);
});

test('a close stops the whole tree within its grace, is told on the terminal, and by one truthful comment', async () => {
  const issue = newIssue(world);
  const batch = await submitTask(issue.number, { grace_seconds: 0.5 });
  const marker = word();
  const modes = ['ignores_term', 'own_session', 'daemon'];
  const script = modes.map((mode) => `perl "$0" ${mode} ${marker} ${deadline(60)} &`).join(' ');
  const attending = start(batch, ['sh', '-c', `${script} wait; : ${marker}`, NASTY]);
  await expect.poll(() => attending.out().match(/ready \w+/g)?.length, WAIT).toBe(3);
  await untilRunning(world, batch, 'train');
  world.clock.forward();
  issue.close({ by: 'ann', reason: 'not_planned' });
  expect(await attending.done).toBe(124);
  expectGone(marker);
  const because = `standdown: acme/widgets#${issue.number} was closed as not planned by ann: TERM to`;
  expect(attending.err()).toContain(because);
  expect(attending.err()).toMatch(/TERM to \d+ processes, KILL after 0.5 s\nstanddown: KILL was needed; nothing of it/);
  await untilTask(world, batch, 'train', { state: 'cancelled', cause: 'issue_not_planned', actor: 'ann' });
  await untilQuiet(world);
  const [outcome, ...more] = outcomesOf(world, issue.number);
  expect(outcome).toMatch(
    /`train`: run 1 was stopped \(TERM, then KILL, gone after .*, scan: best effort\); the task is \*\*cancelled\*\*/,
  );
  expect(more).toEqual([]);
});

test("a person's cancel stops it likewise, and KILL is never sent before the grace is over", async () => {
  const batch = await submitTask(newIssue(world).number, { grace_seconds: 600 });
  const marker = word();
  const ends = `$SIG{TERM} = sub { print "told\\n"; exit 3 }; $| = 1; print "up\\n"; sleep 1 while 1`;
  const attending = start(batch, ['perl', '-e', ends, marker]);
  await expect.poll(() => attending.out(), WAIT).toBe('up\n');
  expect((await rest(world, 'POST', `/tasks/${idOf(batch)}/cancel`)).status).toBe(202);
  expect([await attending.done, attending.out()]).toEqual([124, 'up\ntold\n']);
  expect(attending.err()).toBe('standdown: train was cancelled by api: TERM to 1 process, KILL after 600 s\n');
  await untilTask(world, batch, 'train', { state: 'cancelled', cause: 'api' });
  expect(await runOf(world, batch, 'train')).toMatchObject({ state: 'cancelled', exitCode: 3, killAt: null });
});

test('the comment of a stop names KILL where whoever attends sent it, before the app ordered it', async () => {
  const issue = newIssue(world);
  const batch = await submitTask(issue.number, { grace_seconds: 600 });
  const attending = start(batch, ['perl', NASTY, 'ignores_term', word(), deadline(60)], ['--grace', '0.5']);
  await expect.poll(() => attending.out(), WAIT).toContain('ready');
  await untilRunning(world, batch, 'train');
  world.clock.forward();
  issue.close({ by: 'ann', reason: 'not_planned' });
  expect(await attending.done).toBe(124);
  await untilTask(world, batch, 'train', { state: 'cancelled' });
  await untilQuiet(world);
  expect(outcomesOf(world, issue.number)[0]).toContain('run 1 was stopped (TERM, then KILL, gone after ');
});

test.each([
  ['obeys', '$SIG{TERM} = sub { print "told\\n"; exit 3 }', 'TERM, gone after '],
  ['does not obey', '$SIG{TERM} = sub { print "told\\n" }', 'TERM, then KILL, gone after '],
])(
  'a stop reaches a command that %s though whoever attends is stopped, and is told as it was',
  async (_, trap, signals) => {
    const issue = newIssue(world);
    const batch = await submitTask(issue.number, { grace_seconds: 1 });
    const marker = word();
    const attending = start(batch, ['perl', '-e', `$| = 1; ${trap}; print "up\n"; sleep 1 while 1`, marker]);
    await expect.poll(() => attending.out(), WAIT).toBe('up\n');
    await untilRunning(world, batch, 'train');
    const programs = () => findByWord(marker).filter((pid) => pid !== attending.pid);
    await expect.poll(programs, WAIT).toHaveLength(1);
    attending.child.kill('SIGSTOP');
    await expect.poll(() => readStat(attending.pid), WAIT).toMatchObject({ isStopped: true });
    world.clock.forward();
    issue.close({ by: 'ann', reason: 'not_planned' });
    await untilTask(world, batch, 'train', { state: 'cancelled', cause: 'issue_not_planned', actor: 'ann' });
    expect([programs(), attending.out()]).toEqual([[], 'up\ntold\n']);
    await untilQuiet(world);
    expect(outcomesOf(world, issue.number)).toEqual([expect.stringContaining(`run 1 was stopped (${signals}`)]);
    attending.child.kill('SIGCONT');
    await attending.done;
  },
);

test('one that is attended is had by nobody else', async () => {
  const batch = await submitTask(newIssue(world).number);
  const marker = word();
  const first = start(batch, worker(0, marker));
  await untilRunning(world, batch, 'train');
  const second = start(batch, ['touch', 'never']);
  expect(await second.done).toBe(5);
  expect(second.err()).toBe('standdown: nothing was started: train is running already, as run 1\n');
  await finish(await pidOf(marker));
  expect(await first.done).toBe(0);
  await untilTask(world, batch, 'train', { state: 'done' });
  const third = start(batch, ['touch', 'never']);
  expect([await third.done, third.err()]).toEqual([
    5,
    'standdown: nothing was started: train is done: only a retry makes it run again\n',
  ]);
  expect(await numberOfRuns(world, idOf(batch))).toBe(1);
});

test('kill -9 of whoever attends: the guard ends the tree, and then the run is lost', async () => {
  const batch = await submitTask(newIssue(world).number, { retry: { environment_attempts: 1 }, grace_seconds: 1 });
  const marker = word();
  const attending = start(batch, ['perl', NASTY, 'ignores_term', marker, deadline(60)]);
  await expect.poll(() => attending.out(), WAIT).toContain('ready');
  const { id } = await untilRunning(world, batch, 'train');
  const [{ session = '' } = {}] = await world.app().deps.store.attendedRuns([id]);
  // Whoever knows it may speak for the run, and anybody may read what processes were started with.
  expect([session, findByWord(session)]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), []]);
  attending.child.kill('SIGKILL');
  // What it was is not over while anything of it is alive.
  await expect.poll(async () => (await runOf(world, batch, 'train'))?.state, WAIT).toBe('lost');
  expectGone(marker);
  await untilTask(world, batch, 'train', { state: 'failed', cause: 'runner_lost' });
  const reason = 'whoever attended it is gone without a word, and so is the command';
  expect(await runOf(world, batch, 'train')).toMatchObject({ reason, exitCode: null, survivors: [] });
});

test('a program that is not there is told as shells do, and fails the task', async () => {
  const batch = await submitTask(newIssue(world).number);
  const attending = start(batch, ['no-such-program-here']);
  expect([await attending.done, attending.err()]).toEqual([
    127,
    'standdown: there is no program "no-such-program-here"\n',
  ]);
  await untilTask(world, batch, 'train', { state: 'failed' });
  expect(await runOf(world, batch, 'train')).toMatchObject({ exitCode: 127 });
});
