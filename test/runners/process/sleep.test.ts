/** A machine that stood still: what its runs did not say meanwhile is no silence of theirs. The clock is moved; the runs are real. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { planTask } from '../../../src/core/plan/task.ts';
import { DEFAULT_POLICY } from '../../../src/core/policy.ts';
import type { Probe } from '../../../src/core/run.ts';
import type { JobControl } from '../../../src/engine/ports.ts';
import { openProcessRunner } from '../../../src/runners/process/index.ts';
import { anObservation, aRun, aTask } from '../../support/builders.ts';
import { silentLog } from '../../support/databases.ts';
import { makeOptions, orderOf, type RunnerOptions, removeRunner } from '../../support/process-runner.ts';
import { endByWord, eventually, makeMarker } from '../../support/processes.ts';

const MINUTE_MS = 60_000;

let options: RunnerOptions;
let runner: JobControl;
let marker: string;
let aheadMs: number;

const now = () => new Date(Date.now() + aheadMs);

beforeEach(async () => {
  aheadMs = 0;
  marker = makeMarker();
  options = makeOptions('scan');
  runner = await openProcessRunner({ ...options, log: silentLog, now });
});
afterEach(async () => {
  await runner.cancel('run_1', 'kill');
  endByWord(marker);
  await runner.close();
  removeRunner(options);
});

const probe = async (): Promise<Probe> => (await runner.inspect(['run_1'])).get('run_1')!;

/** What becomes of it, where it may be silent for a quarter of an hour. */
async function stepsOf(): Promise<readonly string[]> {
  const lookedFrom = now();
  const found = await probe();
  const startedAt = found.state === 'running' ? found.startedAt : null;
  const task = aTask({ state: 'running', runNumber: 1, spec: { ...aTask().spec, stallMinutes: 15 } });
  const o = anObservation({ task, run: aRun({ startedAt }), probe: found });
  return planTask(o, DEFAULT_POLICY, lookedFrom).map(({ step }) => step);
}

it.each([
  ['that had said something', 'echo hello; exec sleep 60'],
  ['that had said nothing yet', 'exec sleep 60'],
])('a run %s is not silent for as long as its machine slept, and may be silent from then on', async (_, script) => {
  await runner.start(orderOf('run_1', ['sh', '-c', `: ${marker}; ${script}`]));
  const hasBegun = script.startsWith('echo') ? { lastOutputAt: expect.any(Date) } : { lastOutputAt: null };
  await eventually(async () => expect(await probe()).toMatchObject({ state: 'running', ...hasBegun }));
  aheadMs = 480 * MINUTE_MS;
  const wokeAt = now();
  expect(await stepsOf()).toEqual(['recheck']);
  const woken = await probe();
  expect(woken.state === 'running' && woken.lastOutputAt).toBeInstanceOf(Date);
  expect(woken.state === 'running' && woken.lastOutputAt! >= wokeAt).toBe(true);
  // One that began after that was silent for no longer than it ran.
  const task = aTask({ state: 'running', runNumber: 1, spec: { ...aTask().spec, stallMinutes: 15 } });
  const begun = new Date(wokeAt.getTime() + 14 * MINUTE_MS);
  const young = anObservation({ task, run: aRun({ startedAt: begun }), probe: woken });
  const later = new Date(wokeAt.getTime() + 20 * MINUTE_MS);
  expect(planTask(young, DEFAULT_POLICY, later)).toEqual([
    { step: 'recheck', at: new Date(begun.getTime() + 15 * MINUTE_MS) },
  ]);
  // A short while later, as the clock that only counts on would have it, nothing has changed.
  expect(await probe()).toEqual(woken);
});
