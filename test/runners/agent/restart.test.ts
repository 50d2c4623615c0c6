/** An agent is killed and started again: what runs goes on, what is lost is told, and nothing that was promised is forgotten. */
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AGENT_RESTARTED } from '../../../src/core/agent.ts';
import type { Probe } from '../../../src/core/run.ts';
import { type JobControl, RunnerUnreachable } from '../../../src/engine/ports/runner.ts';
import { AGENT_TOKEN, openByAgent } from '../../support/agent.ts';
import { useAgentBundle, useAgentPlace } from '../../support/agent-place.ts';
import { type AgentProcess, addressOf } from '../../support/agent-process.ts';
import { BECOME_NOBODY, isRoot, NOBODY, orderOf } from '../../support/process-runner.ts';
import { deadline, endAtOnce, eventually, findByWord, NASTY, waitUntilGone } from '../../support/processes.ts';

// An ordinary account, to whom a directory can be closed.
const place = useAgentPlace(useAgentBundle(), {
  owner: isRoot ? NOBODY : null,
  prefix: () => (isRoot ? BECOME_NOBODY : []),
});
let agent: AgentProcess;
let control: JobControl;

async function start(listen?: string): Promise<void> {
  agent = await place.start(listen);
}

beforeEach(async () => {
  await start();
  control = openByAgent(agent.url);
});
afterEach(() => control.close());

async function probe(runId: string): Promise<Probe | undefined> {
  return (await control.inspect([runId])).get(runId);
}

async function startRun(runId: string, mode = 'plain'): Promise<void> {
  expect(await control.start(orderOf(runId, [NASTY, mode, `${place.marker}-${runId}`, deadline()]))).toEqual({
    result: 'started',
  });
  await eventually(async () => expect(await control.log(runId, 1000)).toContain('ready'));
}

const pidsOf = (runId: string) => findByWord(`${place.marker}-${runId}`);
const stateFile = () => join(place.options.dataDir, 'agent.json');

it('a killed agent takes up its living runs, and tells of one that died meanwhile in its first answer', async () => {
  await startRun('run_lives');
  await startRun('run_dies');
  await control.start(orderOf('run_ends', ['sh', '-c', 'exit 5']));
  await eventually(async () => expect((await probe('run_ends'))?.state).toBe('exited'));
  const [alive] = pidsOf('run_lives');
  await agent.kill();
  await endAtOnce(`${place.marker}-run_dies`);

  await start(addressOf(agent));
  const first = await fetch(`${agent.url}/status`, { headers: { authorization: `Bearer ${AGENT_TOKEN}` } });
  expect(await first.json()).toMatchObject({
    active: [{ run_id: 'run_lives', state: 'running' }],
    completed: [
      { run_id: 'run_ends', state: 'exited', exit_code: 5 },
      { run_id: 'run_dies', state: 'vanished', survivors: [], reason: AGENT_RESTARTED },
    ],
  });
  expect(await probe('run_dies')).toMatchObject({ state: 'vanished', reason: 'agent restarted; process lost' });
  expect(pidsOf('run_lives')).toContain(alive);
  expect(await control.cancel('run_lives', 'kill')).toBe('accepted');
  await eventually(async () => expect(await probe('run_lives')).toMatchObject({ state: 'exited', signal: 'KILL' }));
  await waitUntilGone(place.marker);
});

it('an order that comes after its cancel starts nothing, also by the next agent', async () => {
  expect(await control.cancel('run_late', 'term')).toBe('no_record');
  await agent.kill();
  await start(addressOf(agent));
  expect(await probe('run_late')).toEqual({ state: 'no_record' });
  expect(await control.start(orderOf('run_late', [NASTY, 'plain', place.marker, deadline()]))).toEqual({
    result: 'voided',
  });
  expect(findByWord(place.marker)).toEqual([]);
});

it('state that is cut in half is moved aside, loudly, and runs are none the worse for it', async () => {
  await startRun('run_lives');
  await control.cancel('run_late', 'term');
  await agent.kill();
  const text = readFileSync(stateFile(), 'utf8');
  writeFileSync(stateFile(), text.slice(0, text.length / 2));

  await start(addressOf(agent));
  expect(await probe('run_lives')).toMatchObject({ state: 'running' });
  const aside = readdirSync(place.options.dataDir).filter((name) => name.startsWith('agent.json.corrupt-'));
  expect(aside.map((name) => readFileSync(join(place.options.dataDir, name), 'utf8'))).toEqual([
    text.slice(0, text.length / 2),
  ]);
  expect(control.profile.notes).toContainEqual(
    expect.stringContaining(`moved to ${join(place.options.dataDir, aside[0] ?? '')}`),
  );
  expect(agent.log).toContainEqual(
    expect.objectContaining({ level: 'error', msg: expect.stringContaining('moved aside') }),
  );
  expect(existsSync(stateFile())).toBe(false);
});

it('a directory that can not be written takes no new run and no early cancel, and stops what runs', async () => {
  await startRun('run_lives');
  const dirs = [place.options.dataDir, join(place.options.dataDir, 'runs')];
  for (const dir of dirs) chmodSync(dir, 0o555);
  try {
    const order = orderOf('run_new', [NASTY, 'plain', `${place.marker}-run_new`, deadline()]);
    await expect(control.start(order)).rejects.toThrow(RunnerUnreachable);
    await expect(control.cancel('run_late', 'term')).rejects.toThrow(/state can't be written/);
    expect(await probe('run_new')).toEqual({ state: 'no_record' });
    expect(pidsOf('run_new')).toEqual([]);
    expect(await control.cancel('run_lives', 'kill')).toBe('accepted');
    await eventually(async () => expect(await probe('run_lives')).toMatchObject({ state: 'exited', signal: 'KILL' }));
  } finally {
    for (const dir of dirs) chmodSync(dir, 0o755);
  }
  await startRun('run_new');
});

it('kill -9 while runs are let go of leaves each whole or gone, and whatever was said to be gone is', async () => {
  const ids = Array.from({ length: 40 }, (_, index) => `run_${index}`);
  for (const id of ids) await control.start(orderOf(id, ['sh', '-c', 'exit 3']));
  await eventually(async () => {
    const states = [...(await control.inspect(ids)).values()].map(({ state }) => state);
    expect(new Set(states)).toEqual(new Set(['exited']));
  });
  const gone = new Set<string>();
  for (let left = ids; left.length > 0; left = await control.list().then((all) => [...all])) {
    const before = gone.size;
    const asked = left.map(async (id) => {
      if (await control.forget?.(id)) gone.add(id);
    });
    // At another moment each time.
    await eventually(() => expect(gone.size).toBeGreaterThan(before));
    const killed = agent.kill();
    await Promise.allSettled([...asked, killed]);
    await start(addressOf(agent));
    const found = await control.inspect(ids);
    for (const id of ids) {
      const probe = found.get(id);
      if (probe?.state !== 'no_record') expect(probe).toMatchObject({ state: 'exited', exitCode: 3 });
      if (gone.has(id)) expect(probe?.state).toBe('no_record');
    }
  }
  for (const dir of ['runs', 'results']) expect(readdirSync(join(place.options.dataDir, dir))).toEqual([]);
});
