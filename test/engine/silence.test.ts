/** A runner that gives no answer: its runs are left alone and shown, and after a while asked of a person. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeInsights } from '../../src/app/actions.ts';
import type { Deps } from '../../src/engine/deps.ts';
import { statusOf } from '../../src/engine/outbox/gather-tasks.ts';
import { type JobControl, RunnerUnreachable, type Store } from '../../src/engine/ports.ts';
import { reconcileTask } from '../../src/engine/reconcile-task.ts';
import { checkRunners } from '../../src/engine/runner-check.ts';
import { makeSilenceNews } from '../../src/engine/silence-news.ts';
import { viewTasks } from '../../src/web/views.ts';
import { makeChecker } from '../fixtures/engine/checker.ts';
import { type Embedded, embed, REPOSITORY, submit, untilRunning } from '../fixtures/engine/embedded.ts';
import { findByWord } from '../support/processes.ts';

const SINCE = new Date();

let embedded: Embedded;
let id: string;

beforeEach(async () => {
  const github = makeChecker();
  github.set(12, {});
  embedded = await embed(github);
  const engine = await embedded.start();
  [id = ''] = await submit(embedded, { train: { run: embedded.long, issue: 12 } });
  await untilRunning(embedded, id);
  await engine.stop();
});
afterEach(() => embedded.close());

/** So many minutes after the runner's last answer. */
function silentFor(minutes: number): Deps {
  const { deps, runner } = embedded;
  const nothing = async () => {
    throw new RunnerUnreachable('no answer in time');
  };
  const silent: JobControl = {
    ...{ ...runner, inspect: nothing, cancel: nothing, list: nothing },
    profile: { ...runner.profile, silent: { since: SINCE, reason: 'no answer in time' } },
  };
  const clock = () => new Date(SINCE.getTime() + minutes * 60_000);
  return { ...deps, clock, runners: { ...deps.runners, get: () => silent } };
}

async function shown(deps: Deps) {
  const task = await deps.store.task(id);
  const [view] = await viewTasks({ reads: deps.store, insights: makeInsights(deps), clock: deps.clock }, [task!]);
  return { waiting_on: view?.waiting_on, silent_since: view?.runs[0]?.silent_since };
}

it.each([
  [59, null],
  [61, 'runner local gives no answer for 61 min, and its run is left alone: see to that machine (no answer in time)'],
])('after %i minutes of silence a run goes on, its age is shown, and its task says: %s', async (minutes, words) => {
  const deps = silentFor(minutes);
  await checkRunners(deps);
  await reconcileTask(deps, id);
  expect(await shown(deps)).toEqual({ waiting_on: words, silent_since: SINCE.toISOString() });
  expect(await deps.store.task(id)).toMatchObject({ state: 'running' });
  expect(await deps.store.newestRun(id)).toMatchObject({ state: 'running', cancelRequestedAt: null });
  expect(findByWord(embedded.marker)).not.toEqual([]);
  expect(await shown(embedded.deps)).toEqual({ waiting_on: null, silent_since: null });
});

it('of a task that somebody attends elsewhere nothing is said: its run is not on the runner that it names', async () => {
  const deps = silentFor(61);
  const [live] = await deps.store.liveRuns();
  const liveRuns = async () => [{ ...live!, runner: 'attended' }];
  expect((await shown({ ...deps, store: { ...deps.store, liveRuns } })).waiting_on).toBeNull();
  expect((await shown(deps)).waiting_on).toMatch(/^runner local gives no answer/);
});

it('is asked of a person after the minutes that the operator sets', async () => {
  const deps = silentFor(3);
  expect((await shown({ ...deps, limits: { ...deps.limits, unreachableMinutes: 2 } })).waiting_on).toMatch(/for 3 min/);
  expect((await shown({ ...deps, limits: { ...deps.limits, unreachableMinutes: 4 } })).waiting_on).toBeNull();
});

it('has its status told anew when a person has to look and when it is over, and not in between', async () => {
  let deps = silentFor(59);
  const owed: string[] = [];
  const commit: Store['commit'] = (writes) => {
    owed.push(...writes.flatMap((write) => (write.write === 'outbox.owe' ? [write.item.key] : [])));
    return embedded.deps.store.commit(writes);
  };
  const tell = makeSilenceNews({
    ...{ ...deps, store: { ...deps.store, commit }, clock: () => deps.clock() },
    runners: { ...deps.runners, get: (name) => deps.runners.get(name) },
  });
  async function after(now: Deps) {
    deps = now;
    owed.length = 0;
    await tell();
    const { silentSince } = await statusOf(deps, { repositoryId: REPOSITORY.id, number: 12 });
    return { owed: [...owed], told: silentSince?.get('local') };
  }
  const status = `status:${REPOSITORY.id}#12`;
  await after(silentFor(59));
  expect(await after(silentFor(59.5))).toEqual({ owed: [], told: undefined });
  expect(await after(silentFor(61))).toEqual({ owed: [status], told: SINCE });
  expect(await after(silentFor(62))).toEqual({ owed: [], told: SINCE });
  expect(await after(silentFor(0))).toEqual({ owed: [status], told: undefined });
});
