/** What lives on a runner and nobody wants alive: ours is ended and told of, what is not known is left alone. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { act } from '../../src/engine/act.ts';
import type { Deps } from '../../src/engine/deps.ts';
import type { JobControl, Run } from '../../src/engine/index.ts';
import { makeOrphanWatch } from '../../src/engine/orphans/index.ts';
import { reconcileTask } from '../../src/engine/reconcile-task.ts';
import { makeChecker } from '../fixtures/engine/checker.ts';
import { type Embedded, embed, submit, untilRunning } from '../fixtures/engine/embedded.ts';
import { anExit } from '../support/builders.ts';
import { orderOf } from '../support/process-runner.ts';
import { eventually, findByWord } from '../support/processes.ts';

let embedded: Embedded;
beforeEach(async () => {
  embedded = await embed(makeChecker());
});
afterEach(() => embedded.close());

const stubborn = () => ['sh', '-c', 'trap "" TERM; echo ready; while :; do sleep 1; done', embedded.marker];

/** Its runner says for so long that it knows nothing of the run, that it is given up. No app runs then. */
async function givenUp(run: readonly string[]): Promise<{ id: string; first: Run }> {
  const engine = await embedded.start();
  const [id = ''] = await submit(embedded, { train: { run } });
  await untilRunning(embedded, id);
  const first = (await embedded.deps.store.newestRun(id))!;
  await eventually(async () => expect(findByWord(embedded.marker)).not.toEqual([]));
  if (run.some((part) => part.includes('ready'))) {
    await eventually(async () => expect(await embedded.runner.log(first.id, 100)).toBe('ready\n'));
  }
  await engine.stop();
  const { deps } = embedded;
  const longAgo = new Date(Date.now() - 130_000);
  await deps.store.commit([{ write: 'run.update', id: first.id, from: ['running'], set: { startedAt: longAgo } }]);
  await reconcileTask(cutOff(), id);
  expect(await deps.store.task(id)).toMatchObject({ state: 'failed', cause: 'runner_lost' });
  return { id, first };
}

function cutOff(): Deps {
  const { deps, runner } = embedded;
  const inspect = async (ids: readonly string[]) => new Map(ids.map((id) => [id, { state: 'no_record' as const }]));
  return { ...deps, runners: { ...deps.runners, get: (name) => (name === 'local' ? { ...runner, inspect } : null) } };
}

async function told(runId: string): Promise<{ type: string; data: object }[]> {
  const events = await embedded.deps.store.queries.events(null, 1_000);
  return events
    .filter((event) => event.runId === runId && event.type.startsWith('RUN_ORPHAN'))
    .map(({ type, data }) => ({ type, data }));
}

const ended = (signal: string) => [
  { type: 'RUN_ORPHAN_FOUND', data: { key: 'train', runner: 'local', state: 'lost', number: 1 } },
  { type: 'RUN_ORPHAN_ENDED', data: { key: 'train', runner: 'local', state: 'lost', number: 1, signal } },
];

it('a run that was given up and comes back is ended, told of once, and its newer run goes on', async () => {
  const { id, first } = await givenUp(embedded.long);
  const old = findByWord(embedded.marker);
  expect(await act(embedded.deps, id, 'retry', { actor: 'ann', cause: 'api' })).toMatchObject({ result: 'accepted' });
  const engine = await embedded.start();
  await untilRunning(embedded, id, 2);
  await eventually(async () => expect(await told(first.id)).toEqual(ended('TERM')));
  const living = findByWord(embedded.marker);
  expect(living.filter((pid) => old.includes(pid))).toEqual([]);
  await eventually(() => expect(findByWord(embedded.marker)).not.toEqual([]));
  expect(await embedded.deps.store.newestRun(id)).toMatchObject({ number: 2, state: 'running', termAt: null });
  const row = await embedded.deps.store.run(first.id);
  expect(row).toMatchObject({ state: 'lost', cause: 'runner_lost', exitCode: null });
  expect(row!.goneAt!.getTime()).toBeGreaterThanOrEqual(row!.termAt!.getTime());
  expect(engine.status().leftovers.get('local')).toEqual({ orphans: [], strangers: [] });
  await makeOrphanWatch(embedded.deps).pursue(first.id);
  expect(await told(first.id)).toHaveLength(2);
});

it('one that comes back when it had ended is told of to nobody, and is known to be gone', async () => {
  const { id, first } = await givenUp(embedded.long);
  const { deps, runner } = embedded;
  expect(await deps.store.run(first.id)).toMatchObject({ state: 'lost', goneAt: null });
  await runner.cancel(first.id, 'kill');
  await eventually(async () =>
    expect((await runner.inspect([first.id])).get(first.id)).toMatchObject({ state: 'exited', survivors: [] }),
  );
  await embedded.start();
  await eventually(async () => expect(await deps.store.run(first.id)).toMatchObject({ goneAt: expect.any(Date) }));
  expect(await told(first.id)).toEqual([]);
  expect(await deps.store.task(id)).toMatchObject({ state: 'failed', cause: 'runner_lost' });
  expect(await deps.store.unseenRuns()).toEqual([]);
});

it('one that ignores TERM is killed after its grace, by whichever app is there then', async () => {
  const { first } = await givenUp(stubborn());
  const killed = makeOrphanWatch(embedded.deps);
  await killed.look();
  expect(killed.seen().get('local')?.orphans).toMatchObject([{ runId: first.id }]);
  await killed.pursue(first.id);
  expect(await embedded.deps.store.run(first.id)).toMatchObject({ termAt: expect.any(Date), killAt: null });
  expect(findByWord(embedded.marker)).not.toEqual([]);

  await embedded.start();
  await eventually(async () => expect(await told(first.id)).toEqual(ended('KILL')));
  expect(findByWord(embedded.marker)).toEqual([]);
});

it('what a person disregarded is looked after until it is seen gone, however it goes', async () => {
  const { deps, runner } = embedded;
  const engine = await embedded.start();
  const [id = ''] = await submit(embedded, { train: { run: embedded.long } });
  await untilRunning(embedded, id);
  await engine.stop();
  const { id: runId } = (await deps.store.newestRun(id))!;
  const set = { state: 'stopping', killAt: new Date(), survivors: [11] } as const;
  const task = (await deps.store.task(id))!;
  await deps.store.commit([
    { write: 'run.update', id: runId, from: ['running'], set },
    { write: 'task.update', id, version: task.version, set: { state: 'blocked', cause: 'survivors' } },
  ]);
  expect(await act(deps, id, 'release', { actor: 'ann', cause: 'api' })).toMatchObject({ result: 'accepted' });
  expect(await deps.store.run(runId)).toMatchObject({ state: 'cancelled', goneAt: null, survivors: [11] });
  await runner.cancel(runId, 'kill');
  await eventually(async () =>
    expect((await runner.inspect([runId])).get(runId)).toMatchObject({ state: 'exited', survivors: [] }),
  );
  await embedded.start();
  await eventually(async () =>
    expect(await deps.store.run(runId)).toMatchObject({ goneAt: expect.any(Date), survivors: [] }),
  );
  expect(await deps.store.forgettableRuns([runId], new Date(Date.now() + 60_000))).toEqual([runId]);
});

it('a run that nobody here knows is shown and left alone, and so is one that is just being started', async () => {
  const { deps, runner } = embedded;
  const engine = await embedded.start();
  const [id = ''] = await submit(embedded, { train: { run: embedded.long } });
  await untilRunning(embedded, id);
  await engine.stop();
  const own = (await deps.store.newestRun(id))!;
  await deps.store.commit([{ write: 'run.update', id: own.id, from: ['running'], set: { state: 'starting' } }]);
  await runner.start(orderOf('run_of_others', embedded.long));
  const watch = makeOrphanWatch(deps);
  await watch.look();
  expect(watch.seen().get('local')).toEqual({ orphans: [], strangers: ['run_of_others'] });
  for (const runId of [own.id, 'run_of_others']) await watch.pursue(runId);
  const probes = await runner.inspect([own.id, 'run_of_others']);
  await runner.cancel('run_of_others', 'kill');
  expect([...probes.values()].map(({ state }) => state)).toEqual(['running', 'running']);
});

it('asks a runner once about each of the many runs that it lists only for their logs', async () => {
  const asked: string[] = [];
  let listed = Array.from({ length: 1_000 }, (_, index) => `run_${index}`);
  const runner = {
    ...embedded.runner,
    list: async () => listed,
    async inspect(ids: readonly string[]) {
      asked.push(...ids);
      return new Map(ids.map((id) => [id, anExit()]));
    },
  } satisfies JobControl;
  const watch = makeOrphanWatch({
    ...embedded.deps,
    runners: { ...embedded.deps.runners, get: (name) => (name === 'local' ? runner : null) },
  });
  await watch.look();
  listed = [...listed.slice(1), 'run_new'];
  await watch.look();
  expect(asked).toHaveLength(1_001);
  expect(asked.at(-1)).toBe('run_new');
});
