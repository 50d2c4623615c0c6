/** Claims of tasks beside the pass that gives slots to ready ones, and beside each other, where every read takes its time. */
import { randomUUID } from 'node:crypto';
import { setImmediate as breath } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Claim, type ClaimResult, makeClaims } from '../../src/engine/attend/index.ts';
import type { Deps } from '../../src/engine/deps.ts';
import { act, holdBatch } from '../../src/engine/index.ts';
import { observe } from '../../src/engine/observe.ts';
import { makeStartPace } from '../../src/engine/start-pace.ts';
import { startReady } from '../../src/engine/start-ready.ts';
import { type Checker, makeChecker } from '../fixtures/engine/checker.ts';
import { type Embedded, embed, submit } from '../fixtures/engine/embedded.ts';

const ISSUE = 1;
const RUN = ['true'];

let checker: Checker;
let embedded: Embedded;
let deps: Deps;

beforeEach(async () => {
  checker = makeChecker();
  checker.set(ISSUE, { state: 'open' });
  embedded = await embed(checker);
  const { store } = embedded.deps;
  const liveRuns = async () => {
    const live = await store.liveRuns();
    for (let n = 0; n < 5; n += 1) await breath();
    return live;
  };
  deps = { ...embedded.deps, store: { ...store, liveRuns } };
});
afterEach(() => embedded.close());

function aClaim(): Claim {
  const attendant = { host: 'elsewhere', boot: 'b', pidNamespace: '1', pid: 7, start: '8' };
  return { session: randomUUID(), attendant, isVisible: false };
}

/** Each is decided in its turn, as the engine's own pass does it. */
async function decided(claims: ReturnType<typeof makeClaims>, asked: Promise<ClaimResult>[]): Promise<string[]> {
  let open = asked.length;
  for (const one of asked) void one.finally(() => open--).catch(() => {});
  while (open > 0) {
    await claims.decide();
    await breath();
  }
  return (await Promise.all(asked)).map(({ result }) => result);
}

describe('claims', () => {
  it('get no more places than a batch has, however many come at once', async () => {
    const ids = await submit(embedded, { a: { run: RUN }, b: { run: RUN }, c: { run: RUN } }, { max_parallel: 1 });
    const claims = makeClaims(deps);
    const results = await decided(
      claims,
      ids.map((id) => claims.claim(id, aClaim())),
    );
    expect(results.toSorted()).toEqual(['claimed', 'conflict', 'conflict']);
    expect(await deps.store.liveRuns()).toHaveLength(1);
  });

  it('of one session at once are one run, and of two are one too', async () => {
    const [same = '', two = ''] = await submit(embedded, { a: { run: RUN }, b: { run: RUN } });
    const claims = makeClaims(deps);
    const claim = aClaim();
    expect(
      await decided(
        claims,
        [1, 2, 3].map(() => claims.claim(same, claim)),
      ),
    ).toEqual(Array(3).fill('claimed'));
    const results = await decided(
      claims,
      [1, 2].map(() => claims.claim(two, aClaim())),
    );
    expect(results.toSorted()).toEqual(['claimed', 'conflict']);
    expect(await deps.store.liveRuns()).toHaveLength(2);
  });

  it('and starts share the places, whichever comes first', async () => {
    const ids = await submit(embedded, { a: { run: RUN }, b: { run: RUN } }, { max_parallel: 1 });
    const claims = makeClaims(deps);
    const asked = ids.map((id) => claims.claim(id, aClaim()));
    await breath();
    await claims.decide();
    await startReady(deps, makeStartPace());
    await decided(claims, asked);
    expect(await deps.store.liveRuns()).toHaveLength(1);
  });

  it('are given nothing once nobody listens any more', async () => {
    const [id = ''] = await submit(embedded, { a: { run: RUN } });
    const claims = makeClaims(deps);
    const early = new AbortController();
    const left = claims.claim(id, aClaim(), early.signal);
    for (let n = 0; n < 20; n += 1) await breath();
    early.abort();
    expect(await left).toMatchObject({ result: 'unavailable' });
    // And while it is being decided.
    const late = new AbortController();
    const asked = claims.claim(id, aClaim(), late.signal);
    for (let n = 0; n < 20; n += 1) await breath();
    const deciding = claims.decide();
    late.abort();
    await deciding;
    expect(await decided(claims, [asked])).toEqual(['unavailable']);
    expect(await deps.store.liveRuns()).toEqual([]);
    expect(await decided(claims, [claims.claim(id, aClaim())])).toEqual(['claimed']);
  });

  it('are decided by what holds then, not when they were made', async () => {
    const [held = '', batched = ''] = await submit(embedded, {
      a: { run: RUN, issue: ISSUE },
      b: { run: RUN, issue: ISSUE },
    });
    const claims = makeClaims(deps);
    const { readIssue } = checker;
    let reads = 0;
    checker.readIssue = async (...asked) => {
      reads += 1;
      if (reads === 1) await act(deps, held, 'hold', { actor: 'ann', cause: 'api', text: 'lunch' });
      const { batchId } = (await deps.store.task(batched))!;
      if (reads === 2) await holdBatch(deps, batchId!, { reason: 'maintenance', actor: 'ann' });
      return readIssue(...asked);
    };
    const first = claims.claim(held, aClaim());
    expect(await decided(claims, [first])).toEqual(['conflict']);
    expect(await first).toMatchObject({ message: expect.stringContaining('lunch') });
    const second = claims.claim(batched, aClaim());
    expect(await decided(claims, [second])).toEqual(['conflict']);
    expect(await second).toMatchObject({ message: expect.stringContaining('maintenance') });
    expect(await deps.store.liveRuns()).toEqual([]);
  });

  it('have the same grace at every app, with the runner that the task names and without', async () => {
    const [id = ''] = await submit(embedded, { a: { run: RUN } });
    const claims = makeClaims(deps);
    const asked = claims.claim(id, aClaim());
    await decided(claims, [asked]);
    expect(await asked).toMatchObject({ graceSeconds: 10 });
    const task = (await deps.store.task(id))!;
    const others = { ...deps, runners: { ...deps.runners, get: () => null } };
    for (const app of [deps, others]) expect(await observe(app, task)).toMatchObject({ graceSeconds: 10 });
  });

  it('note where the branch of the task is, as any start does', async () => {
    const [id = ''] = await submit(embedded, { a: { run: RUN } });
    const { spec, version } = (await deps.store.task(id))!;
    const evidence = { branch: 'work', base: 'main' };
    await deps.store.commit([{ write: 'task.update', id, version, set: { spec: { ...spec, evidence } } }]);
    const readBranchHead = async () => 'abc123';
    const claims = makeClaims({ ...deps, github: { ...checker, readBranchHead } });
    expect(await decided(claims, [claims.claim(id, aClaim())])).toEqual(['claimed']);
    expect(await deps.store.newestRun(id)).toMatchObject({ branchBefore: { found: 'head', head: 'abc123' } });
  });
});
