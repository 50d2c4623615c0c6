/** An app that stands still between a look at a run and what it makes of it: that time is none of the run's. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Deps } from '../../src/engine/deps.ts';
import type { JobControl } from '../../src/engine/ports.ts';
import { reconcileTask } from '../../src/engine/reconcile-task.ts';
import { makeChecker } from '../fixtures/engine/checker.ts';
import { type Embedded, embed, submit, untilRunning } from '../fixtures/engine/embedded.ts';
import { findByWord } from '../support/processes.ts';

let embedded: Embedded;
let id: string;

beforeEach(async () => {
  embedded = await embed(makeChecker());
  const engine = await embedded.start();
  [id = ''] = await submit(embedded, { train: { run: embedded.long, stall_minutes: 1 } });
  await untilRunning(embedded, id);
  await engine.stop();
});
afterEach(() => embedded.close());

/** The clock goes on by so much as soon as the runner has answered. */
function standingStill(minutes: number, inspect: JobControl['inspect']): Deps {
  const { deps, runner } = embedded;
  let ahead = 0;
  const slow: JobControl['inspect'] = async (ids) => {
    const found = await inspect(ids);
    ahead = minutes * 60_000;
    return found;
  };
  return {
    ...{ ...deps, clock: () => new Date(Date.now() + ahead) },
    runners: { ...deps.runners, get: () => ({ ...runner, inspect: slow }) },
  };
}

async function expectRunning(): Promise<void> {
  expect(await embedded.deps.store.task(id)).toMatchObject({ state: 'running' });
  expect(await embedded.deps.store.newestRun(id)).toMatchObject({ state: 'running', cancelRequestedAt: null });
  expect(findByWord(embedded.marker)).not.toEqual([]);
}

it('makes no run silent: it is judged by its output up to that look', async () => {
  await reconcileTask(standingStill(10, embedded.runner.inspect), id);
  await expectRunning();
});

it('makes no run lost that its runner did not know yet', async () => {
  const unknown: JobControl['inspect'] = async (ids) => new Map(ids.map((one) => [one, { state: 'no_record' }]));
  await reconcileTask(standingStill(10, unknown), id);
  await expectRunning();
});
