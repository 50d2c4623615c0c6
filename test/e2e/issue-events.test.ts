/** Every event of an issue, heard or found by the sweep alone: what becomes of a task that runs or waits there. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Task } from '../../src/core/task.ts';
import type { Delivery } from '../../src/demo/github/index.ts';
import { type RestBatch, rest, submit, taskOf, untilRunning, untilTask } from '../support/world.ts';
import { type Program, pidsOf, sleeper, untilAlive } from './programs.ts';
import { outcomesOf } from './rules.ts';
import {
  batchName,
  type ClockedWorld,
  closeWorld,
  eventsOf,
  type Hands,
  makeClockedWorld,
  newIssue,
  numberOfRuns,
  sweepNow,
  untilSettled,
} from './support.ts';

const THERE = 'acme/archive';
const by = 'ann';

let world: ClockedWorld;
/** Another open issue. */
let other: Hands;

interface Row {
  event: string;
  /** Heard of in any case, and worked off before the event. */
  before?: (issue: Hands) => unknown;
  happens: (issue: Hands) => unknown;
  becomes: Partial<Task>;
  /** Comments about it where the issue was. */
  told: number;
}

const done = { state: 'done', cause: 'issue_completed', actor: by } as const;
const runs = { state: 'running', cause: null, target: null } as const;
const cancelled = (cause: Task['cause'], actor = by) => ({ state: 'cancelled', cause, actor }) as const;

const depend = (issue: Hands) => issue.edit({ by, body: `Depends on #${other.number}` });
const block = (issue: Hands) => issue.blockBy({ by, number: other.number });
const unblock = (issue: Hands) => issue.unblockBy({ by, number: other.number });
const close = (reason: 'completed' | 'not_planned' | 'duplicate' | null) => (issue: Hands) =>
  issue.close({ by, reason });

/** What runs there is stopped. */
const ENDING: Row[] = [
  { event: 'closed as completed', happens: close('completed'), becomes: done, told: 1 },
  { event: 'closed as not planned', happens: close('not_planned'), becomes: cancelled('issue_not_planned'), told: 1 },
  { event: 'closed as a duplicate', happens: close('duplicate'), becomes: cancelled('issue_duplicate'), told: 1 },
  { event: 'closed without a reason, as by a commit that fixes it', happens: close(null), becomes: done, told: 1 },
  // Its lock takes no words.
  { event: 'converted to a discussion', happens: (issue) => issue.convert({ by }), becomes: done, told: 0 },
  {
    event: 'deleted',
    happens: (issue) => issue.delete({ by }),
    becomes: cancelled('issue_deleted', 'github'),
    told: 0,
  },
  {
    event: 'transferred',
    happens: (issue) => issue.transfer(THERE, { by }),
    becomes: cancelled('issue_transferred', 'github'),
    told: 0,
  },
];

/** What runs there goes on. */
const HARMLESS: Row[] = [
  { event: 'locked', happens: (issue) => issue.lock({ by }), becomes: runs, told: 0 },
  {
    event: 'unlocked',
    before: (issue) => issue.lock({ by }),
    happens: (issue) => issue.unlock({ by }),
    becomes: runs,
    told: 0,
  },
  { event: 'edited to depend on another', happens: depend, becomes: runs, told: 0 },
  { event: 'blocked by another', happens: block, becomes: runs, told: 0 },
  { event: 'unblocked', before: block, happens: unblock, becomes: runs, told: 0 },
];

const REOPENED: Row = {
  event: 'reopened',
  before: close('completed'),
  happens: (issue) => issue.reopen({ by }),
  becomes: { ...runs, requeueReason: 'issue_reopened' },
  told: 2,
};

const blocked = { state: 'blocked', cause: 'blocker' } as const;
const unblocked = { state: 'waiting', requeueReason: 'blocker_resolved' } as const;

/** What has not started there is kept from it, or let go. */
const HOLDING: Row[] = [
  { event: 'edited to depend on another', happens: depend, becomes: blocked, told: 0 },
  {
    event: 'edited to depend on none',
    before: depend,
    happens: (issue) => issue.edit({ by, body: '' }),
    becomes: unblocked,
    told: 0,
  },
  { event: 'blocked by another', happens: block, becomes: blocked, told: 0 },
  { event: 'unblocked', before: block, happens: unblock, becomes: unblocked, told: 0 },
];

const RUNNING = [...ENDING, ...HARMLESS, REOPENED];

interface Case {
  row: Row;
  key: string;
  issue: Hands;
  program: Program;
}

let batch: RestBatch;
let cases: Case[];
/** What the events of the rows were told by. */
let deliveries: readonly Readonly<Delivery>[];

function caseOf(row: Row): Case {
  const found = cases.find((one) => one.row === row);
  if (found === undefined) throw new Error(`no case of ${row.event}`);
  return found;
}

/** All at once: each has an issue of its own. */
async function startAll(): Promise<void> {
  const gate = sleeper();
  cases = [...RUNNING, ...HOLDING].map((row, index) => ({
    row,
    key: `task-${index}`,
    issue: newIssue(world),
    program: sleeper(),
  }));
  const tasks = cases.map(({ row, key, issue, program: { run } }) => {
    const needs = HOLDING.includes(row) ? ['gate'] : [];
    return [key, { issue: issue.number, run, needs }] as const;
  });
  const named = { gate: { run: gate.run }, ...Object.fromEntries(tasks) };
  batch = await submit(world, named, { ...batchName(), max_parallel: RUNNING.length + 1 });
  for (const row of RUNNING) {
    const { key, program } = caseOf(row);
    await untilRunning(world, batch, key);
    await untilAlive(program.word);
  }
}

async function letAllHappen(isHeard: boolean): Promise<void> {
  world.clock.forward();
  for (const { row, issue } of cases) row.before?.(issue);
  await untilSettled(world);
  world.clock.forward();
  if (!isHeard) world.github.webhooks.lose(() => true);
  const earlier = world.github.deliveries().length;
  for (const { row, issue } of cases) row.happens(issue);
  deliveries = world.github.deliveries().slice(earlier);
  await untilSettled(world);
}

/** What is left running takes the places of what later ones wait for. */
async function endAll(): Promise<void> {
  await rest(world, 'POST', `/batches/${batch.id}/cancel`, { now: true });
}

/** What may not change by being told once more. */
async function whatIsThere() {
  const tasks = await Promise.all(cases.map(({ key }) => taskOf(world, batch, key)));
  const told = cases.map(({ issue }) => outcomesOf(world, issue.number));
  const events = (await eventsOf(world, {})).filter(({ taskId }) => taskId !== null);
  return { tasks, told, events };
}

beforeAll(async () => {
  world = await makeClockedWorld();
  world.github.addRepository(THERE);
  await world.start();
  other = newIssue(world);
});

afterAll(() => closeWorld(world));

describe.each(['webhook', 'sweep'] as const)('an issue that, by the %s alone, is', (channel) => {
  // First, and for all that follow: so many processes are not started for each of them anew.
  it(`any of these is told by the ${channel}`, async () => {
    const isHeard = channel === 'webhook';
    await startAll();
    await letAllHappen(isHeard);
    expect(new Set(deliveries.map(({ state }) => state))).toEqual(new Set([isHeard ? 'delivered' : 'failed']));
    if (isHeard) return;
    world.github.webhooks.loseNone();
    await sweepNow(world);
    await untilSettled(world);
  });

  afterAll(endAll);

  it.each(ENDING)('$event has its run stopped and its task ended, once', async (row) => {
    const { key, issue, program } = caseOf(row);
    const { id } = await untilTask(world, batch, key, row.becomes);
    expect(pidsOf(program.word)).toEqual([]);
    expect(await numberOfRuns(world, id)).toBe(1);
    expect(await eventsOf(world, { type: 'RUN_ENDED', taskId: id })).toHaveLength(1);
    expect(outcomesOf(world, issue.number)).toHaveLength(row.told);
  });

  it.each(HARMLESS)('$event has its run left alone', async (row) => {
    const { key, issue, program } = caseOf(row);
    const { id } = await taskOf(world, batch, key);
    expect(await taskOf(world, batch, key)).toMatchObject(row.becomes);
    await untilAlive(program.word);
    expect(await numberOfRuns(world, id)).toBe(1);
    expect(outcomesOf(world, issue.number)).toHaveLength(row.told);
  });

  it('reopened has what its close ended run again, once', async () => {
    const { key, issue, program } = caseOf(REOPENED);
    await untilRunning(world, batch, key, 2);
    await untilAlive(program.word);
    expect(await numberOfRuns(world, (await untilTask(world, batch, key, REOPENED.becomes)).id)).toBe(2);
    expect(outcomesOf(world, issue.number)).toHaveLength(REOPENED.told);
  });

  it.each(HOLDING)('$event has its task wait for the right things', async (row) => {
    const { key, program } = caseOf(row);
    expect(await untilTask(world, batch, key, row.becomes)).toMatchObject({ runNumber: 0 });
    expect(pidsOf(program.word)).toEqual([]);
  });

  it('any of these is no other for being told again, in whichever way', async () => {
    const before = await whatIsThere();
    for (const { guid } of deliveries) await world.github.webhooks.redeliver(guid);
    await untilSettled(world);
    await sweepNow(world);
    await untilSettled(world);
    expect(await whatIsThere()).toEqual(before);
  });
});

it.each(['blocked_by', 'blocking'] as const)(
  'a dependency of which only the %s side is heard blocks and unblocks all the same',
  async (side) => {
    const [issue, gate] = [newIssue(world), sleeper()];
    const tasks = { gate: { run: gate.run }, train: { issue: issue.number, needs: ['gate'], run: ['true'] } };
    batch = await submit(world, tasks, batchName());
    world.github.webhooks.lose(({ action }) => !action?.startsWith(`${side}_`));
    block(issue);
    await untilTask(world, batch, 'train', blocked);
    unblock(issue);
    await untilTask(world, batch, 'train', unblocked);
    world.github.webhooks.loseNone();
    await endAll();
  },
);
