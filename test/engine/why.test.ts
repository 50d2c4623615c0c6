/** Why tasks are not running, gathered from a real store in few reads. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setHold } from '../../src/engine/holds.ts';
import { holdBatch, submitBatch, type Task } from '../../src/engine/index.ts';
import { lookAtPlanned, lookAtTasks, whyNotRunning } from '../../src/engine/why.ts';
import { type Checker, makeChecker } from '../fixtures/engine/checker.ts';
import { documentOf, type Embedded, embed, REPOSITORY, submit } from '../fixtures/engine/embedded.ts';

/** Long, since a busy machine is no failure. */
const WAIT = { timeout: 20_000 };

let embedded: Embedded;
let github: Checker;

beforeEach(async () => {
  github = makeChecker();
  embedded = await embed(github);
});
afterEach(() => embedded.close());

async function tasksOf(ids: readonly string[]): Promise<Task[]> {
  const found = await Promise.all(ids.map((id) => embedded.deps.store.task(id)));
  return found.filter((task) => task !== null);
}

async function why(ids: readonly string[]): Promise<(string | null | undefined)[]> {
  const words = await whyNotRunning(embedded.deps, await tasksOf(ids));
  return ids.map((id) => words.get(id));
}

describe('why tasks are not running', () => {
  it('names needs, limits, holds and runners that are not there, as they are now', async () => {
    const { deps } = embedded;
    const ids = await submit(embedded, { fetch: { run: ['true'] }, train: { run: ['true'], needs: ['fetch'] } });
    expect(await why(ids)).toEqual(['next in line', 'needs fetch (ready)']);

    expect(await whyOf({ ...deps, limits: { maxRunning: 0, maxRunningPerRepository: 8 } }, ids[0])).toBe(
      'this app runs 0 of 0 at most',
    );
    expect(await whyOf({ ...deps, runners: { ...deps.runners, get: () => null, names: () => ['lab'] } }, ids[0])).toBe(
      'no runner is called local here; there is: lab',
    );

    await setHold(deps, { kind: 'repository', repositoryId: REPOSITORY.id }, { reason: 'move', actor: 'ann' });
    expect(await why(ids.slice(0, 1))).toEqual([
      expect.stringMatching(/^acme\/widgets is on hold by ann for \d+ s: move$/),
    ]);
    const batchId = (await tasksOf(ids))[0]?.batchId ?? '';
    await holdBatch(deps, batchId, { reason: null, actor: 'tom' });
    expect(await why(ids)).toEqual(Array(2).fill(expect.stringMatching(/^batch nightly is on hold by tom for \d+ s$/)));
  });

  async function whyOf(deps: Embedded['deps'], id = '') {
    return (await whyNotRunning(deps, await tasksOf([id]))).get(id);
  }

  it('of a batch that is not written tells what is known, and which stuck batch it would supersede', async () => {
    const { deps } = embedded;
    const document = documentOf({ fetch: { run: ['true'] }, train: { run: ['true'], needs: ['fetch'] } });
    const plan = () => submitBatch(deps, document, { dryRun: true, actor: 'ann' });
    const planned = await plan();
    if (planned.result !== 'planned') throw new Error(JSON.stringify(planned));
    const { batch, tasks, supersedes } = planned;
    const looks = await lookAtPlanned(deps, batch, tasks);
    expect(tasks.map(({ id }) => looks.get(id)?.waitingOn)).toEqual(['next in line', 'needs fetch (ready)']);
    expect([supersedes, await deps.store.batch(batch.id)]).toEqual([null, null]);

    const [id = ''] = await submit(embedded, { fetch: { run: ['true'] } });
    const live = (await tasksOf([id]))[0]?.batchId ?? '';
    await deps.store.commit([{ write: 'batch.update', id: live, version: 1, set: { stuck: true } }]);
    expect(await plan()).toMatchObject({ result: 'planned', supersedes: live });
    expect(await deps.store.batch(live)).toMatchObject({ state: 'running' });
  });

  it('counts the runs that are alive against the limits', async () => {
    const ids = await submit(embedded, { a: { run: embedded.long }, b: { run: embedded.long } }, { max_parallel: 1 });
    await embedded.start();
    await expect.poll(() => why(ids), WAIT).toEqual([null, 'batch nightly runs 1 of 1 at most']);
  });

  it('names the failed task that stops the batch', async () => {
    const failing = { fails: { run: ['false'] }, other: { run: ['true'] } };
    const ids = await submit(embedded, failing, { max_parallel: 1, on_failure: 'stop' });
    await embedded.start();
    await expect
      .poll(() => why(ids), WAIT)
      .toEqual([null, 'fails has failed, and nothing more of batch nightly starts then (on_failure: stop)']);
  });

  it('shows the issues that block a task, those that do so now first', async () => {
    github.set(12, {});
    const [id = ''] = await submit(embedded, { train: { run: ['true'], issue: 12 } });
    const edge = { repositoryId: REPOSITORY.id, number: 12, source: 'body', addedBy: 'ann', removedBy: null } as const;
    const at = new Date();
    await embedded.deps.store.commit([
      {
        write: 'blocker.put',
        blocker: { ...edge, label: 'acme/a#1', blocker: { repositoryId: null, number: 1 }, state: 'refused', at },
      },
      {
        write: 'blocker.put',
        blocker: { ...edge, label: 'acme/b#2', blocker: { repositoryId: null, number: 2 }, state: 'active', at },
      },
    ]);
    const look = (await lookAtTasks(embedded.deps, await tasksOf([id]))).get(id);
    expect(look).toMatchObject({
      waitingOn: 'blocked by acme/b#2 (can not be read here: needs a release)',
      blockers: [
        { label: 'acme/b#2', status: 'unreadable', needs: 'release' },
        { label: 'acme/a#1', status: 'refused', needs: null },
      ],
    });
  });

  it('costs few reads, however many tasks there are', async () => {
    const names = Array.from({ length: 2_000 }, (_, index) => `t${index}`);
    github.set(12, {});
    const entries = names.map((name) => [name, { run: ['true'], issue: 12, needs: name === 't0' ? [] : ['t0'] }]);
    const ids = await submit(embedded, Object.fromEntries(entries));
    const tasks = await tasksOf(ids);
    let reads = 0;
    const counted = <T extends object>(target: T): T =>
      new Proxy(target, {
        get: (from, name) => {
          const value = Reflect.get(from, name);
          if (name === 'queries') return counted(value as object);
          if (typeof value !== 'function') return value;
          return (...args: unknown[]) => {
            reads += 1;
            return Reflect.apply(value, from, args);
          };
        },
      });
    const words = await whyNotRunning({ ...embedded.deps, store: counted(embedded.deps.store) }, tasks);
    expect(words.get(ids[1_999] ?? '')).toBe('needs t0 (ready)');
    expect(reads).toBeLessThan(20);
  });
});
