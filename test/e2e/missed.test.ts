/** Deliveries that GitHub could not make: they are asked for again, and what comes late does no harm. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../src/cli/index.ts';
import { findMissed, missedState } from '../../src/engine/missed/index.ts';
import { API_TOKEN, makeWorld, REPOSITORY, taskOf, untilTask, WAIT } from '../support/world.ts';
import { pidsOf, untilAlive } from './programs.ts';
import {
  type ClockedWorld,
  closeWorld,
  eventsOf,
  makeClockedWorld,
  newIssue,
  numberOfRuns,
  startTask,
  sweepNow,
  untilSettled,
} from './support.ts';

let world: ClockedWorld;

beforeEach(async () => {
  world = await makeClockedWorld();
  await world.start();
});
afterEach(() => closeWorld(world));

const look = () => findMissed(world.app().deps, { gapMs: 0 });
const counts = async () => (await missedState(world.app().deps)).counts;
const askedFor = () =>
  world.github.requests().filter(({ method, path }) => method === 'POST' && path.includes('/app/hook/deliveries/'));

async function sayAs(login: string, number: number, body: string): Promise<void> {
  world.github.issue(REPOSITORY, number).comment({ by: login, body });
  await world.github.webhooks.settled();
}

describe('a delivery that failed', () => {
  it('of a close is asked for once, stops the run, and is recovered', async () => {
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    world.github.webhooks.lose();
    issue.close({ by: 'ann', reason: 'completed' });
    await world.github.webhooks.settled();
    await look();
    await untilTask(world, batch, 'train', { state: 'done', cause: 'issue_completed', actor: 'ann' });
    await untilSettled(world);
    expect(pidsOf(word)).toEqual([]);
    await look();
    expect(await counts()).toEqual({ missed: 0, recovered: 1, given_up: 0 });
    expect(askedFor()).toHaveLength(1);
  });

  it('of a command acts once, though the sweep finds its comment too', async () => {
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    world.github.webhooks.lose();
    await sayAs('ann', issue.number, '/task cancel');
    await look();
    await untilTask(world, batch, 'train', { state: 'cancelled', cause: 'command', actor: 'ann' });
    await sweepNow(world);
    await look();
    await untilSettled(world);
    expect(pidsOf(word)).toEqual([]);
    const task = await taskOf(world, batch, 'train');
    expect(await eventsOf(world, { type: 'RUN_STOPPING', taskId: task.id })).toHaveLength(1);
    expect(await counts()).toMatchObject({ recovered: 1 });
  });

  it('and whose sweep came first changes nothing when it comes', async () => {
    const issue = newIssue(world);
    const { batch } = await startTask(world, issue);
    world.github.webhooks.lose();
    await sayAs('ann', issue.number, '/task cancel');
    await sweepNow(world);
    await untilTask(world, batch, 'train', { state: 'cancelled', cause: 'command' });
    await untilSettled(world);
    const before = await eventsOf(world, {});
    await look();
    await untilSettled(world);
    expect(await eventsOf(world, {})).toEqual(before);
    expect(askedFor()).toHaveLength(1);
  });

  it('of a close, that comes after the reopen, stops nothing', async () => {
    const issue = newIssue(world);
    const { batch } = await startTask(world, issue);
    world.github.webhooks.lose();
    issue.close({ by: 'ann', reason: 'completed' });
    await world.github.webhooks.settled();
    world.clock.forward();
    issue.reopen({ by: 'ann' });
    await untilSettled(world);
    const task = await taskOf(world, batch, 'train');
    const runs = await numberOfRuns(world, task.id);
    await look();
    await expect.poll(() => askedFor().length, WAIT).toBe(1);
    await world.github.webhooks.settled();
    await untilSettled(world);
    expect(await taskOf(world, batch, 'train')).toMatchObject({ state: 'running' });
    expect(await numberOfRuns(world, task.id)).toBe(runs);
    expect(await eventsOf(world, { type: 'TASK_DONE', taskId: task.id })).toEqual([]);
  });

  it('because nobody could keep it is asked for by the next app, and not by one that is told twice', async () => {
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    await untilSettled(world);
    await world.stop();
    issue.close({ by: 'ann', reason: 'not_planned' });
    await world.github.webhooks.settled();
    await world.start();
    await Promise.all([look(), look()]);
    expect(askedFor().length).toBeGreaterThan(0);
    await untilTask(world, batch, 'train', { state: 'cancelled', cause: 'issue_not_planned' });
    await untilSettled(world);
    expect(pidsOf(word)).toEqual([]);
    const task = await taskOf(world, batch, 'train');
    expect(await eventsOf(world, { type: 'RUN_STOPPING', taskId: task.id })).toHaveLength(1);
  });
});

it('what did not arrive is in the metrics, in /readyz and with the doctor', async () => {
  const issue = newIssue(world);
  const { word } = await startTask(world, issue);
  world.github.webhooks.lose(() => true);
  issue.close({ by: 'ann', reason: 'completed' });
  await world.github.webhooks.settled();
  await look();
  const { url } = world.app();
  const ready = (await (await fetch(`${url}/readyz`)).json()) as { webhooks: object };
  expect(ready.webhooks).toMatchObject({ missed: 1, recovered: 0, given_up: 0, problem: null });
  const headers = { authorization: `Bearer ${API_TOKEN}` };
  const metrics = await (await fetch(`${url}/metrics`, { headers })).text();
  expect(metrics).toContain('standdown_missed_deliveries{state="missed"} 1\n');
  const said = await doctor(url);
  expect(said).toMatch(/^note\s+webhooks\s+1 missed, 0 recovered, 0 given up; looked for \d+ s ago; the oldest/m);
  expect(said).toMatch(/^note\s+runner local\s+runs belong to the account of the app/m);
  await untilAlive(word);
  world.github.webhooks.loseNone();
});

it('with a token there is nothing that could be missed', async () => {
  const other = await makeWorld({ mode: 'token', sweepSeconds: 60 });
  try {
    const { deps, url } = await other.start();
    await findMissed(deps);
    expect(other.github.requests().filter(({ path }) => path.includes('/hook/'))).toEqual([]);
    expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({ webhooks: null });
  } finally {
    await other.close();
  }
});

async function doctor(url: string): Promise<string> {
  const out: string[] = [];
  const none = async () => 0;
  await runCli(['doctor'], {
    version: '1.2.3',
    env: { STANDDOWN_URL: url, STANDDOWN_API_TOKEN: API_TOKEN },
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => out.push(text) },
    readInput: async () => '',
    onInterrupt: () => () => {},
    serve: none,
    demo: none,
    agent: none,
    attend: none,
    migrate: async () => [],
  });
  return out.join('');
}
