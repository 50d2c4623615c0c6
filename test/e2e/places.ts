/** Repositories of accounts of their own: what happens to one installation is none of the others' concern. */
import { expect } from 'vitest';
import type { RepositoryState } from '../../src/engine/ports.ts';
import { rest, runOf, submit, taskOf, untilRunning, untilTask, WAIT, type World } from '../support/world.ts';
import { type Program, pidsOf, sleeper } from './programs.ts';
import { batchName, type ClockedWorld, eventsOf, type Hands, numberOfRuns, type RunningTask } from './support.ts';

export interface Place {
  account: string;
  fullName: string;
  /** As the app keeps it. */
  id: string;
}

export const BY = { by: 'ann' };

/** A login that nobody has, and that the operator's file knows. */
export const SPARE = 'org-spare';

const MOST_ACCOUNTS = 12;
const logins = ['acme', SPARE, ...Array.from({ length: MOST_ACCOUNTS }, (_, index) => `org-${index + 1}`)];
const patterns = logins.map((login) => `"${login}/*"`).join(', ');

/** The operator's file for them. */
export const PLACES = `runners:\n  local: { kind: process, repositories: [${patterns}], grace_seconds: 0.5 }\n`;

let accounts = 0;

/** An account with one repository, which Ann writes to. */
export function newPlace(world: World, how: { private?: boolean; installed?: boolean } = {}): Place {
  accounts += 1;
  return placeIn(world, `org-${accounts}`, 'widgets', how);
}

export function placeIn(world: World, account: string, name: string, how = {}): Place {
  const fullName = `${account}/${name}`;
  const { id } = world.github.addRepository(fullName, how);
  world.github.setPermission(fullName, 'ann', 'write');
  return { account, fullName, id: String(id) };
}

export interface PlacedTask extends RunningTask {
  place: Place;
  issue: Hands;
}

/** One task, `train`, on an issue of its own there, whose program is alive. */
export async function startAt(world: ClockedWorld, place: Place, program: Program = sleeper()): Promise<PlacedTask> {
  const issue = world.github.addIssue(place.fullName, BY);
  const { word, run, ...more } = program;
  const entry = { issue: issue.number, run, ...more };
  const batch = await submit(world, { train: entry }, { ...batchName(), repository: place.fullName });
  const first = await untilRunning(world, batch, 'train');
  await expect.poll(() => pidsOf(word).length, WAIT).toBeGreaterThan(0);
  world.clock.forward();
  return { place, issue, batch, word, first };
}

export async function stateOf(world: World, { id }: Place): Promise<RepositoryState> {
  const state = await world.app().deps.store.repositoryState(id);
  if (state === null) throw new Error(`nothing is known of repository ${id}`);
  return state;
}

/** Until the app has seen it so. Gives since when, in ms; 0 for `ok`. */
export async function untilAccess(world: World, place: Place, access: RepositoryState['access']): Promise<number> {
  await expect.poll(async () => (await stateOf(world, place)).access, WAIT).toBe(access);
  return (await stateOf(world, place)).accessSince?.getTime() ?? 0;
}

/** Why it is not running, as anybody is told. */
export async function waitingOn(world: World, task: { id: string }): Promise<string | null> {
  const { body } = await rest(world, 'GET', `/tasks/${task.id}`);
  return (body as { waiting_on: string | null }).waiting_on;
}

export function outcomesAt(world: World, fullName: string, number: number): string[] {
  const bodies = world.github.comments(fullName, number).map(({ body }) => body);
  return bodies.filter((body) => body.startsWith('<!-- standdown:outcome '));
}

/** What the journal tells of the repository and its tasks by these words, oldest first. */
export async function told(world: World, { id }: Place, ...types: string[]): Promise<string[]> {
  const events = await eventsOf(world, { repositoryId: id });
  return events.map(({ type }) => type).filter((type) => types.includes(type));
}

const GIVING_UP = ['REPOSITORY_GIVEN_UP', 'RUN_STOPPING', 'TASK_CANCELLED'];

/** It was stopped because its repository was given up: first that, then its run, and each once. */
export async function untilGivenUp(world: World, { batch, word, place }: PlacedTask): Promise<void> {
  const wanted = { state: 'cancelled', cause: 'app_uninstalled', actor: 'github' } as const;
  const task = await untilTask(world, batch, 'train', wanted);
  expect(pidsOf(word)).toEqual([]);
  expect(await numberOfRuns(world, task.id)).toBe(1);
  expect(await told(world, place, ...GIVING_UP)).toEqual(GIVING_UP);
}

/** The very same processes, of the same run. */
export async function expectRunning(world: World, { batch, first, word }: PlacedTask, pids: readonly number[]) {
  expect(await taskOf(world, batch, 'train')).toMatchObject({ state: 'running', runNumber: 1 });
  expect(await runOf(world, batch, 'train')).toMatchObject({ id: first.id, state: 'running' });
  await expect.poll(() => pidsOf(word), WAIT).toEqual(pids);
}

/** Says it all the way: a close there stops its run, and is answered where people see it. */
export async function expectCloseWorks(
  world: ClockedWorld,
  task: PlacedTask,
  fullName = task.place.fullName,
): Promise<void> {
  const { number } = task.issue;
  world.clock.forward();
  world.github.issue(fullName, number).close(BY);
  await untilTask(world, task.batch, 'train', { state: 'done', cause: 'issue_completed', actor: 'ann' });
  expect(pidsOf(task.word)).toEqual([]);
  await expect.poll(() => outcomesAt(world, fullName, number).length, WAIT).toBe(1);
}
