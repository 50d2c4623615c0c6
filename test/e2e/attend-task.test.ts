/** A person's own command as the work of a task: the real command line, the real app, real processes. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Attending, attendTask, bundleCli } from '../support/attend.ts';
import { deadline, endByWord, expectGone, makeMarker, NASTY, removeDirectory } from '../support/processes.ts';
import { API_TOKEN, outcomesOf, type RestBatch, rest, runOf, submit, untilQuiet, untilRunning, untilTask, WAIT } from '../support/world.ts';
import { finish, pidOf } from './programs.ts';
import { batchName, type ClockedWorld, closeWorld, eventsOf, makeClockedWorld, newIssue, numberOfRuns } from './support.ts';

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
