/** What lies between two machines: silence, orders that come late, and much that happens between two looks. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RunningAgent } from '../../../src/app/agent/index.ts';
import type { Probe } from '../../../src/core/run.ts';
import { type JobControl, RunnerUnreachable } from '../../../src/engine/ports/runner.ts';
import { openByAgent, startTestAgent } from '../../support/agent.ts';
import {
  makeOptions,
  orderOf,
  type RunnerOptions,
  removeRunner,
  takeRecordsAway,
} from '../../support/process-runner.ts';
import { deadline, endByWord, eventually, expectGone, findByWord, makeMarker, NASTY } from '../../support/processes.ts';
import { startWire, type Wire } from '../../support/wire.ts';

let options: RunnerOptions;
let agent: RunningAgent;
let wire: Wire;
let control: JobControl;
/** The same, with no patience. */
let hasty: JobControl;
let marker: string;

beforeEach(async () => {
  options = makeOptions('scan');
  marker = makeMarker();
  agent = await startTestAgent(options);
  wire = await startWire(agent.url);
  control = openByAgent(wire.url);
  hasty = openByAgent(wire.url, { answerMs: 200 });
});

afterEach(async () => {
  await Promise.all([control.close(), hasty.close()]);
  await wire.close();
  await agent.close(0);
  endByWord(marker);
  removeRunner(options);
});

async function probe(runId: string): Promise<Probe | undefined> {
  return (await control.inspect([runId])).get(runId);
}

it('a run goes on while its agent can not be reached, and its end is delivered on return', async () => {
  await control.start(
    orderOf('run_a', ['perl', '-e', '$SIG{USR1} = sub { exit 3 }; $| = 1; print "ready"; sleep 1 while 1', marker]),
  );
  await eventually(async () => expect(await control.log('run_a', 100)).toBe('ready'));
  wire.silence();
  const before = Date.now();
  await expect(hasty.inspect(['run_a'])).rejects.toThrow(RunnerUnreachable);
  expect(hasty.profile.silent?.since.getTime()).toBeGreaterThanOrEqual(before);
  expect(hasty.profile.silent?.reason).toBe('no answer in time');
  for (const pid of findByWord(marker, (line) => !line.includes('standdown-'))) process.kill(pid, 'SIGUSR1');
  await eventually(() => expect(findByWord(marker)).toEqual([]));
  await expect(hasty.inspect(['run_a'])).rejects.toThrow(RunnerUnreachable);

  wire.open();
  await eventually(async () =>
    expect(await probe('run_a')).toMatchObject({ state: 'exited', exitCode: 3, signal: null }),
  );
  await hasty.inspect(['run_a']);
  expect(hasty.profile.silent).toBeNull();
});

it('an agent whose records are away is silent until they are back', async () => {
  await control.start(orderOf('run_a', [NASTY, 'plain', marker, deadline()]));
  // Until it has begun, its supervisor needs them.
  await eventually(async () => expect(await control.log('run_a', 100)).toBe('ready plain\n'));
  const bringBack = await takeRecordsAway(options);
  await expect(control.inspect(['run_a'])).rejects.toThrow(RunnerUnreachable);
  const silent = control.profile.silent;
  expect(silent?.reason).toMatch(/^it answered 503: /);
  await expect(control.cancel('run_a', 'term')).rejects.toThrow(RunnerUnreachable);
  expect(control.profile.silent).toEqual(silent);
  await bringBack();
  expect(await probe('run_a')).toMatchObject({ state: 'running' });
  expect(control.profile.silent).toBeNull();
  await control.cancel('run_a', 'kill');
});

it('a start that nobody can tell of is not begun twice, and not after it was given up', async () => {
  const order = orderOf('run_b', [NASTY, 'plain', marker, deadline()]);
  const kept = orderOf('run_c', [NASTY, 'plain', marker, deadline()]);
  wire.silence();
  await expect(hasty.start(order)).rejects.toThrow(RunnerUnreachable);
  await expect(hasty.start(kept)).rejects.toThrow(RunnerUnreachable);
  await expect(hasty.cancel('run_b', 'term')).rejects.toThrow(RunnerUnreachable);
  wire.open();
  // The app gives one of them up, and asks for the other again, before what it had said arrives.
  expect(await control.cancel('run_b', 'term')).toBe('no_record');
  expect(await control.start(kept)).toEqual({ result: 'started' });
  await wire.deliverHeld();
  expect(await probe('run_b')).toEqual({ state: 'no_record' });
  expect(await control.start(order)).toEqual({ result: 'voided' });
  await eventually(async () => expect(await control.log('run_c', 100)).toBe('ready plain\n'));
  expect(await control.list()).toEqual(['run_c']);
  await control.cancel('run_c', 'kill');
});

it('a cancel and the start of the same run, at the same time, never leave it running', async () => {
  for (let round = 0; round < 12; round += 1) {
    const order = orderOf(`run_${round}`, [NASTY, 'plain', marker, deadline()]);
    const start = () => control.start(order);
    const cancel = () => control.cancel(order.runId, 'kill');
    const [first, second] = await Promise.all(round % 2 === 0 ? [start(), cancel()] : [cancel(), start()]);
    const outcome = [first, second].map((answer) => (typeof answer === 'string' ? answer : answer.result)).toSorted();
    expect([
      ['accepted', 'started'],
      ['no_record', 'voided'],
    ]).toContainEqual(outcome);
    await eventually(async () => expect((await probe(order.runId))?.state).not.toBe('running'));
  }
  expectGone(marker, 5);
});

it('forty runs that end between two looks are all told of, each with its own end', async () => {
  const heard = new Set<string>();
  control.onHint((runId) => heard.add(runId));
  const ids = Array.from({ length: 40 }, (_, index) => `run_${index}`);
  for (const [index, id] of ids.entries()) await control.start(orderOf(id, ['sh', '-c', `exit ${index}`]));
  await eventually(() => expect(heard.size).toBe(ids.length));
  const found = await control.inspect(ids);
  expect(ids.map((id) => found.get(id))).toEqual(
    ids.map((_, index) => expect.objectContaining({ state: 'exited', exitCode: index, survivors: [] })),
  );
  expect(await control.forget?.('run_3')).toBe(true);
  expect(await control.list()).toHaveLength(39);
});
