/** What is taken away after its time, in which portions, and what is not. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Deps, JobControl } from '../../../src/engine/index.ts';
import { prune, readKeptLog } from '../../../src/engine/retention/index.ts';
import { makeMemoryStore } from '../../../src/store/memory/index.ts';
import { aRun, aTask, at, T0 } from '../../support/builders.ts';
import { silentLog } from '../../support/databases.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let nowMs: number;
let deps: Deps;
/** How many rows are left to be taken away, by table. */
let left: Record<string, number>;
let calls: { table: string; before: number; limit: number }[];
let warned: string[];
/** Ids that a runner knows; those it refuses to forget; those it forgot. */
let runner: {
  ids: string[];
  keeps: string[];
  breaks: string[];
  forgot: string[];
  isAway: boolean;
  fallsSilent: boolean;
  silentSince: Date | null;
};

beforeEach(() => {
  nowMs = T0.getTime() + 1_000 * DAY;
  left = {};
  calls = [];
  warned = [];
  runner = { ids: [], keeps: [], breaks: [], forgot: [], isAway: false, fallsSilent: false, silentSince: null };
  const store = makeMemoryStore({ now: () => new Date(nowMs), onEnqueued: () => {} });
  const take = (table: string) => async (before: Date, limit: number) => {
    calls.push({ table, before: before.getTime(), limit });
    const taken = Math.min(left[table] ?? 0, limit);
    left[table] = (left[table] ?? 0) - taken;
    return taken;
  };
  const retention = {
    deliveries: take('deliveries'),
    missed: take('missed'),
    events: take('events'),
    comments: take('comments'),
  };
  deps = {
    store: { ...store, retention },
    runners: {
      names: () => ['local', 'bare'],
      get: (name: string) =>
        new Map([
          ['local', local],
          ['bare', bare],
        ]).get(name)?.() ?? null,
    },
    clock: () => new Date(nowMs),
    log: { ...silentLog, warn: (_fields: object, message: string) => void warned.push(message) },
  } as unknown as Deps;
});

/** Can't forget. */
function bare(): JobControl {
  return { profile: {}, list: async () => ['run_bare'] } as unknown as JobControl;
}

function local(): JobControl {
  return {
    get profile() {
      return { silent: runner.silentSince && { since: runner.silentSince, reason: 'no answer in time' } };
    },
    async list() {
      if (runner.isAway) throw new Error('away');
      return runner.ids;
    },
    async forget(id: string) {
      if (runner.breaks.includes(id)) {
        if (runner.fallsSilent) runner.silentSince = new Date(nowMs);
        throw new Error('busy');
      }
      if (runner.keeps.includes(id)) return false;
      runner.forgot.push(id);
      return true;
    },
  } as unknown as JobControl;
}

const daysOf = (table: string) => {
  const call = calls.find((one) => one.table === table);
  return call === undefined ? null : (nowMs - call.before) / DAY;
};

describe('rows', () => {
  it('go after the days that are configured, and by default after 14, and 365 for events', async () => {
    await prune(deps);
    expect(['deliveries', 'missed', 'comments', 'events'].map(daysOf)).toEqual([14, 14, 14, 365]);
    calls = [];
    deps.retention = { deliveriesDays: 7, logsDays: 1, eventsDays: 3 };
    await prune(deps);
    expect(['deliveries', 'missed', 'comments', 'events'].map(daysOf)).toEqual([7, 7, 7, 3]);
  });

  it('of deliveries stay for four days at least, because GitHub may send again what is three days old', async () => {
    deps.retention = { deliveriesDays: 1, logsDays: 1, eventsDays: 1 };
    await prune(deps);
    expect(['deliveries', 'missed', 'comments', 'events'].map(daysOf)).toEqual([4, 4, 4, 1]);
  });

  it('go in small portions, between which others get their turn', async () => {
    left = { deliveries: 950 };
    let turns = 0;
    let going = true;
    const others = (async () => {
      while (going) {
        await new Promise((resolve) => setImmediate(resolve));
        turns += 1;
      }
    })();
    await prune(deps);
    going = false;
    await others;
    const portions = calls.filter(({ table }) => table === 'deliveries');
    expect(portions.map(({ limit }) => limit)).toEqual([200, 200, 200, 200, 200]);
    expect(left.deliveries).toBe(0);
    expect(turns).toBeGreaterThanOrEqual(4);
  });

  it('that are very many are left to the next time, which is soon; else it is in about an hour', async () => {
    const inMs = async (chance: number) => (await prune(deps, () => chance)).getTime() - nowMs;
    left = { events: 1_000_000, comments: 3 };
    expect(await inMs(0.5)).toBe(10_000);
    expect(left).toMatchObject({ events: 980_000, comments: 0 });
    left = {};
    expect([await inMs(0), await inMs(0.5), await inMs(1)]).toEqual(
      [54, 60, 66].map((minutes) => (minutes * HOUR) / 60),
    );
  });

  it('of comments stay as long as a listing may show them again', async () => {
    const since = new Date(nowMs - 20 * DAY);
    const repository = { id: '7', fullName: 'acme/widgets', installationId: 1 };
    await deps.store.commit([
      { write: 'repository.put', repository },
      { write: 'comments.since', repositoryId: '7', from: null, to: since },
    ]);
    await prune(deps);
    expect(daysOf('comments')).toBe(20);
    calls = [];
    await deps.store.commit([
      { write: 'repository.state', repositoryId: '7', set: { access: 'gone', accessSince: new Date(nowMs) } },
    ]);
    await prune(deps);
    expect(daysOf('comments')).toBe(14);
  });
});

describe('runs', () => {
  /** The task's run that ended so many days ago. */
  async function endedRun(id: string, days: number, state: 'done' | 'running' = 'done'): Promise<void> {
    const taskId = `task_of_${id}`;
    const endedAt = new Date(nowMs - days * DAY);
    await deps.store.commit([
      { write: 'repository.put', repository: { id: '1', fullName: 'acme/widgets', installationId: null } },
      { write: 'task.insert', task: aTask({ id: taskId, key: taskId, batchId: null, state }) },
      { write: 'run.insert', run: aRun({ id, taskId, state: 'succeeded', endedAt, goneAt: endedAt }) },
    ]);
    runner.ids.push(id);
  }

  it('are forgotten after their days, unless their task is unfinished or nothing is known of them', async () => {
    await endedRun('run_old', 31);
    await endedRun('run_young', 29);
    await endedRun('run_of_unfinished', 31, 'running');
    runner.ids.push('run_of_nobody');
    await prune(deps);
    expect(runner.forgot).toEqual(['run_old']);
  });

  it('that a runner keeps or fails to forget do not keep the others', async () => {
    for (const id of ['run_a', 'run_b', 'run_c']) await endedRun(id, 31);
    runner.keeps = ['run_a'];
    runner.breaks = ['run_b'];
    await prune(deps);
    expect(runner.forgot).toEqual(['run_c']);
    expect(warned).toEqual(['run not forgotten']);
  });

  it('of a runner that falls silent meanwhile stay, and it is not waited for once more for each of them', async () => {
    for (const id of ['run_a', 'run_b', 'run_c']) await endedRun(id, 31);
    runner.breaks = ['run_b', 'run_c'];
    runner.fallsSilent = true;
    await prune(deps);
    expect(runner.forgot).toEqual(['run_a']);
    expect(warned).toEqual(['run not forgotten']);
  });

  it('of a runner that gives no answer stay, and rows go all the same', async () => {
    await endedRun('run_a', 31);
    runner.isAway = true;
    left = { deliveries: 3 };
    await prune(deps);
    expect(runner.forgot).toEqual([]);
    expect(left.deliveries).toBe(0);
    expect(warned).toEqual(['runner unreachable']);
  });
});

describe('the log of a run', () => {
  const run = aRun({ state: 'succeeded', endedAt: at(0) });
  const withLog = (text: string, state: 'exited' | 'no_record') =>
    ({ log: async () => text, inspect: async () => new Map([[run.id, { state }]]) }) as unknown as JobControl;

  it.each([
    ['is shown while it is there, however old', 'said', 'exited', 1_000, { text: 'said' }],
    ['that is empty is shown as such while its run is known', '', 'exited', 1_000, { text: '' }],
    ['that is not there is empty before its days are over', '', 'no_record', 29, { text: '' }],
    ['is gone in words after that', '', 'no_record', 31, { gone: 'was kept for 30 days and is gone' }],
  ] as const)('%s', async (_what, text, state, days, expected) => {
    nowMs = T0.getTime() + days * DAY;
    const lost = aRun({ state: 'lost', endedAt: null, goneAt: at(0) });
    for (const one of [run, lost]) {
      expect(await readKeptLog(deps, withLog(text, state), one, 1_000)).toEqual(expected);
    }
  });
});
