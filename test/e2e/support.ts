/** What the end-to-end tests share: a clock for GitHub, positive signs that a trigger was worked off, looks at processes. */
import Database from 'better-sqlite3';
import { expect, vi } from 'vitest';
import type { Run } from '../../src/core/run.ts';
import type { StandInGitHub } from '../../src/demo/github/index.ts';
import type { JournalEvent } from '../../src/engine/ports.ts';
import { expectNoViolations } from '../support/openapi/index.ts';
import {
  makeWorld,
  REPOSITORY,
  type RestBatch,
  rest,
  submit,
  untilRunning,
  WAIT,
  type World,
  type WorldOptions,
} from '../support/world.ts';
import { type GitHubClock, makeGitHubClock } from './github-clock.ts';
import { type Program, sleeper, untilAlive } from './programs.ts';
import { brokenRules } from './rules.ts';

export interface ClockedWorld extends World {
  clock: GitHubClock;
}

/** A world whose GitHub has its own clock. */
export async function makeClockedWorld(options: WorldOptions = {}): Promise<ClockedWorld> {
  const clock = makeGitHubClock();
  return Object.assign(await makeWorld({ ...options, github: { now: clock.now } }), { clock });
}

/** Ends a world. Whatever its tests were about, this holds of all that happened in it. */
export async function closeWorld(world: World): Promise<void> {
  const problems = await brokenRules(world).catch((error: unknown) => [String(error)]);
  await world.close();
  expectNoViolations(world.github);
  expect(problems).toEqual([]);
}

export type Hands = ReturnType<StandInGitHub['issue']>;

/** Tests here wait for many things in turn. */
vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 });

let nextIssue = 100;

/** An issue of its own for each test of a file. */
export function newIssue(world: World, by = 'ann', more: { isPullRequest?: boolean } = {}): Hands {
  nextIssue += 1;
  return world.github.addIssue(REPOSITORY, { number: nextIssue, title: `Issue ${nextIssue}`, by, ...more });
}

let nextBatch = 0;

export function batchName(): { name: string } {
  nextBatch += 1;
  return { name: `batch-${nextBatch}` };
}

export interface RunningTask {
  batch: RestBatch;
  /** Finds its processes. */
  word: string;
  first: Run;
}

/** One task, `train`, whose program is alive; what happens to the issue from now on is later than it for GitHub, too. */
export async function startTask(
  world: ClockedWorld,
  issue: { number: number },
  program: Program = sleeper(),
): Promise<RunningTask> {
  const { word, run, ...more } = program;
  const batch = await submit(world, { train: { issue: issue.number, run, ...more } }, batchName());
  const first = await untilRunning(world, batch, 'train');
  await untilAlive(word);
  world.clock.forward();
  return { batch, word, first };
}

/** Until the program has said so, nothing of what it sets up may be there. */
export async function untilSays(world: World, { batch }: Pick<RunningTask, 'batch'>, word: string): Promise<void> {
  const id = batch.tasks.find(({ key }) => key === 'train')?.id;
  await expect.poll(async () => (await rest(world, 'GET', `/tasks/${id}/log`)).body, WAIT).toContain(word);
}

/** Nothing is on its way, stored, due or stopping any more: whatever was triggered has been worked off. */
export async function untilSettled(world: World): Promise<void> {
  await world.github.webhooks.settled();
  await expect.poll(async () => unsettled(world), WAIT).toEqual([]);
}

async function unsettled(world: World): Promise<string[]> {
  const { store } = world.app().deps;
  // In the direction in which work flows, so that none slips through between two looks.
  const { deliveries } = await store.queries.backlog();
  if (deliveries > 0) return [`${deliveries} deliveries`];
  const keys = pendingKeys(world);
  if (keys.length > 0) return keys;
  const passing = (await store.liveRuns()).filter(({ state }) => state !== 'running');
  if (passing.length > 0) return passing.map(({ id, state }) => `${id} is ${state}`);
  const { messages } = await store.queries.backlog();
  return messages > 0 ? [`${messages} messages`] : [];
}

/** Keys that are due, in hand, or to be tried again after a failure. */
function pendingKeys({ env }: World): string[] {
  const db = new Database((env.DATABASE_URL ?? '').replace('file:', ''), { readonly: true });
  try {
    const rows = db.prepare('SELECT key, due_at, owner, failures FROM work_keys').all() as KeyRow[];
    return rows
      .filter(({ key }) => !PERIODIC.test(key))
      .filter((row) => row.owner !== null || row.failures > 0 || new Date(row.due_at).getTime() <= Date.now())
      .map(({ key }) => key);
  } finally {
    db.close();
  }
}

/** They come again by themselves. */
const PERIODIC = /^(runners|sweep|watch|discover|missed|retention|orphans|repository:.*|verify:.*)$/;

interface KeyRow {
  key: string;
  due_at: string;
  owner: string | null;
  failures: number;
}

/** A whole sweep, from its request to its end. */
export async function sweepNow(world: World): Promise<void> {
  const before = world.app().engine.status().lastSweepAt?.getTime() ?? 0;
  expect((await rest(world, 'POST', '/sweep')).status).toBe(202);
  await expect.poll(() => world.app().engine.status().lastSweepAt?.getTime() ?? 0, WAIT).toBeGreaterThan(before);
}

export async function eventsOf(world: World, filter: Partial<JournalEvent>): Promise<JournalEvent[]> {
  const events = await world.app().deps.store.queries.events(null, 100_000);
  const wanted = Object.entries(filter);
  return events.filter((event) => wanted.every(([name, value]) => event[name as keyof JournalEvent] === value));
}

export async function batchState(world: World, id: string): Promise<string | undefined> {
  return (await world.app().deps.store.batch(id))?.state;
}

export async function numberOfRuns(world: World, taskId: string): Promise<number> {
  return (await world.app().deps.store.queries.runsOfTasks([taskId])).get(taskId)?.length ?? 0;
}

/** Keys of tasks in the order in which their runs were started, of what the journal says from that event on. */
export async function startedKeys(world: World, from = 0): Promise<string[]> {
  const starts = (await eventsOf(world, {})).slice(from).filter(({ type }) => type === 'RUN_STARTING');
  const tasks = await Promise.all(starts.map(({ taskId }) => world.app().deps.store.task(taskId ?? '')));
  return tasks.map((task) => task?.key ?? '');
}

/** The most runs that held a slot at once, by what they are counted by, as the journal tells it. */
export async function mostAtOnce(
  world: World,
  countedBy: (start: JournalEvent) => readonly string[],
): Promise<Record<string, number>> {
  const alive = new Map<string, readonly string[]>();
  const most: Record<string, number> = {};
  for (const event of await eventsOf(world, {})) {
    if (event.type === 'RUN_ENDED') alive.delete(event.runId ?? '');
    if (event.type !== 'RUN_STARTING') continue;
    alive.set(event.runId ?? '', countedBy(event));
    const all = [...alive.values()].flat();
    for (const name of countedBy(event)) {
      most[name] = Math.max(most[name] ?? 0, all.filter((other) => other === name).length);
    }
  }
  return most;
}
