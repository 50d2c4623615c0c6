/** A whole batch under an app that is killed again and again: every task runs as often as it should, and all comes to its end. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { longProgram } from '../support/crash-case.ts';
import { useCrashWalk } from '../support/crash-walk.ts';
import { pidsOf, untilAlive } from '../support/marked.ts';
import { makeRandom } from '../support/random.ts';

const KILLS = 8;
/** Far more than it takes: from here on it has to come to its end undisturbed. */
const MAX_KILLS = 40;
const WAIT = { timeout: 40_000, interval: 20 };

const walk = useCrashWalk();

/** A program that notes each of its runs, and then does `more`. */
function noting(file: string, marker: string, more: string): string[] {
  return ['sh', '-c', `echo "$STANDDOWN_TASK_KEY $STANDDOWN_RUN_NUMBER" >> ${file}; ${more}`, marker];
}

const linesOf = async (file: string) => (await readFile(file, 'utf8')).split('\n').filter(Boolean).toSorted();

const keysOf = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

const CHAIN = keysOf('chain', 8);
const FAN = keysOf('fan', 12);
const FLAKY = keysOf('flaky', 6);

/** 30 tasks: a chain, a fan-out with its join, some that fail at first, and one that keeps the batch from ending too soon. */
function makeTasks(file: string, gate: string, marker: string): Record<string, object> {
  const run = noting(file, marker, 'sleep 0.2');
  const retry = { attempts: 3, backoff_seconds: 0.2 };
  const flaky = noting(file, marker, 'sleep 0.1; test "$STANDDOWN_RUN_NUMBER" = 2');
  const gated = noting(file, marker, `while [ ! -e ${gate} ]; do sleep 0.05; done`);
  return {
    gate: { run: gated, priority: 1 },
    ...Object.fromEntries(CHAIN.map((key, index) => [key, { run, needs: CHAIN.slice(Math.max(0, index - 1), index) }])),
    root: { run },
    ...Object.fromEntries(FAN.map((key) => [key, { run, needs: ['root'] }])),
    join: { run, needs: FAN },
    ...Object.fromEntries(FLAKY.map((key) => [key, { run: flaky, retry }])),
    last: { run, needs: ['gate', 'join', ...CHAIN.slice(-1), ...FLAKY] },
  };
}

it('the app is killed at any moment and started again, and nothing is run twice or left out', {
  timeout: 300_000,
}, async () => {
  const random = makeRandom(1);
  const [file, gate] = [join(walk.dir(), 'runs'), join(walk.dir(), 'gate')];
  const it = await walk.submitCase(({ marker }) => ({ max_parallel: 4, tasks: makeTasks(file, gate, marker) }));
  let kills = 0;
  for (let over = false; !over && kills < MAX_KILLS; kills += 1) {
    await pause(20 + random(600));
    await walk.kill();
    await walk.start();
    if (kills === KILLS) await writeFile(gate, '');
    over = (await walk.batchOf(it)).state !== 'running';
  }
  const { tasks } = await walk.untilBatch(it, { state: 'completed', stuck: false });
  await walk.untilQuiet();
  expect(kills).toBeGreaterThan(KILLS);
  expect(tasks).toHaveLength(30);
  for (const { key, state, runs } of tasks) {
    const numbers = FLAKY.includes(key) ? ['1 failed', '2 succeeded'] : ['1 succeeded'];
    expect({ key, state, runs: runs.map((run) => `${run.number} ${run.state}`) }).toEqual({
      key,
      state: 'done',
      runs: numbers,
    });
  }
  const expected = tasks.flatMap(({ key, runs }) => runs.map(({ number }) => `${key} ${number}`));
  expect(await linesOf(file)).toEqual(expected.toSorted());
  expect(await walk.countOf(it, 'TASK_DONE')).toBe(30);
  expect(pidsOf(it.marker)).toEqual([]);
});

it('a retry that becomes due while the app is down runs once after the start', async () => {
  const file = join(walk.dir(), 'retry');
  const it = await walk.submitCase(({ issue, marker }) => ({
    tasks: {
      flaky: {
        issue,
        run: noting(file, marker, 'test "$STANDDOWN_RUN_NUMBER" = 2'),
        retry: { attempts: 2, backoff_seconds: 3 },
      },
    },
  }));
  await walk.untilTask(it, { state: 'ready', not_before: expect.any(String) });
  const due = Date.parse((await walk.taskOf(it)).not_before ?? '');
  await walk.kill();
  await expect.poll(() => Date.now(), WAIT).toBeGreaterThan(due);
  expect(await linesOf(file)).toEqual(['flaky 1']);
  await walk.start();
  await walk.untilTask(it, { state: 'done', runs: [{ state: 'failed' }, { number: 2, state: 'succeeded' }] });
  await walk.untilQuiet();
  expect(await linesOf(file)).toEqual(['flaky 1', 'flaky 2']);
  expect(await walk.countOf(it, 'RUN_STARTING')).toBe(2);
});

it('a deadline that passes while the app is down stops its run after the start', async () => {
  const timeoutMinutes = 0.08;
  const it = await walk.submitCase(({ issue, marker }) => ({
    tasks: { train: { issue, run: longProgram(marker), timeout_minutes: timeoutMinutes } },
  }));
  await walk.untilRunning(it, 1);
  const startedAt = Date.parse((await walk.taskOf(it)).runs[0]?.started_at ?? '');
  await walk.kill();
  await expect.poll(() => Date.now(), WAIT).toBeGreaterThan(startedAt + timeoutMinutes * 60_000);
  await untilAlive(it.marker);
  await walk.start();
  await walk.untilTask(it, { state: 'failed', cause: 'timeout', runs: [{ state: 'failed', cause: 'timeout' }] });
  await walk.untilQuiet();
  expect(pidsOf(it.marker)).toEqual([]);
  expect(await walk.countOf(it, 'RUN_ENDED')).toBe(1);
});
