/** An agent that was away, and what is known of that: since when, across restarts of the app, and of runs that were given up meanwhile. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Adapters } from '../../src/app/adapters.ts';
import type { JobControl } from '../../src/engine/ports.ts';
import { AGENT_TOKEN } from '../support/agent.ts';
import { type AgentProcess, addressOf, bundleAgent, startAgentProcess } from '../support/agent-process.ts';
import { expectNoViolations } from '../support/openapi/index.ts';
import { removeDirectory } from '../support/processes.ts';
import { rest, runOf, taskOf, untilRunning, untilTask, WAIT } from '../support/world.ts';
import { pidsOf, sleeper } from './programs.ts';
import { brokenRules } from './rules.ts';
import { type ClockedWorld, eventsOf, makeClockedWorld, newIssue, startTask } from './support.ts';

let built: { dir: string; bundle: string };
let world: ClockedWorld;
let agent: AgentProcess;
/** Ids of runs of which the app is told that the agent knows nothing. */
const unknown = new Set<string>();

async function startAgent(listen: string): Promise<void> {
  agent = await startAgentProcess({ ...built, flags: { dataDir: join(built.dir, 'data'), listen } });
}

function wrap(adapters: Adapters): Adapters {
  const { runners } = adapters;
  const forgetful = (control: JobControl): JobControl => ({
    ...control,
    get profile() {
      return control.profile;
    },
    async inspect(ids) {
      const found = await control.inspect(ids);
      for (const id of ids) if (unknown.has(id)) found.set(id, { state: 'no_record' });
      return found;
    },
  });
  const wrapped = new Map(runners.names().map((name) => [name, forgetful(runners.get(name) as JobControl)]));
  return { ...adapters, runners: { ...runners, get: (name) => wrapped.get(name) ?? null } };
}

async function labIs(): Promise<Record<string, unknown>> {
  const ready = (await (await fetch(`${world.app().url}/readyz`)).json()) as {
    runners: { lab: Record<string, unknown> };
  };
  return ready.runners.lab;
}

beforeAll(async () => {
  built = await bundleAgent();
  await mkdir(join(built.dir, 'data'));
  await startAgent('127.0.0.1:0');
  const lab = `{ kind: agent, url: "${agent.url}", token_env: LAB_TOKEN, repositories: ["acme/*"], grace_seconds: 1 }`;
  const operator = `runners:\n  lab: ${lab}\n`;
  world = await makeClockedWorld({ operator, env: { LAB_TOKEN: AGENT_TOKEN }, app: { wrap } });
  await world.start();
});

afterAll(async () => {
  try {
    // Who has a run retried that was given up takes that upon himself.
    const problems = await brokenRules(world);
    await world.close();
    expectNoViolations(world.github);
    expect(problems).toEqual(['run 2 began before run 1 was seen gone']);
  } finally {
    await agent.kill();
    removeDirectory(built.dir);
  }
});

const onLab = <T extends object>(program: T) => ({ ...program, runs_on: 'lab' });

it('since when it is silent outlives the app, and ends with its first answer', async () => {
  const { batch, first } = await startTask(world, newIssue(world), onLab(sleeper()));
  await expect.poll(labIs, WAIT).toMatchObject({ state: 'ok' });
  await agent.kill();
  await expect.poll(labIs, WAIT).toMatchObject({ state: 'degraded', silent_since: expect.any(String) });
  const { silent_since: since } = await labIs();
  const kept = async () => world.app().deps.store.cursor('silent_since:lab');
  await expect.poll(kept, WAIT).toBe(since);

  for (let restart = 0; restart < 2; restart += 1) {
    await world.stop();
    await world.start();
    expect(await labIs()).toMatchObject({ state: 'degraded', silent_since: since, runs_left_alone: 1 });
    await expect
      .poll(labIs, WAIT)
      .toMatchObject({ silent_since: since, silent_because: expect.stringContaining('ECONNREFUSED') });
  }
  expect(await runOf(world, batch, 'train')).toMatchObject({ id: first.id, state: 'running' });

  await startAgent(addressOf(agent));
  await expect.poll(labIs, WAIT).toMatchObject({ state: 'ok' });
  await expect.poll(kept, WAIT).toBe('');
  await world.stop();
  await world.start();
  expect(await labIs()).not.toHaveProperty('silent_since');
  await expect.poll(labIs, WAIT).toMatchObject({ state: 'ok' });
  await agent.kill();
  await expect.poll(labIs, WAIT).toMatchObject({ state: 'degraded' });
  expect(Date.parse(String((await labIs()).silent_since))).toBeGreaterThan(Date.parse(String(since)));
  await startAgent(addressOf(agent));
});

it('a run that was given up meanwhile is ended on its return, and its newer run on the same agent goes on', async () => {
  const { batch, word, first } = await startTask(world, newIssue(world), onLab(sleeper()));
  const { store } = world.app().deps;
  const old = pidsOf(word);
  const longAgo = new Date(Date.now() - 130_000);
  await store.commit([{ write: 'run.update', id: first.id, from: ['running'], set: { startedAt: longAgo } }]);
  unknown.add(first.id);
  await untilTask(world, batch, 'train', { state: 'failed', cause: 'runner_lost' });
  expect(pidsOf(word)).toEqual(old);

  const { id } = await taskOf(world, batch, 'train');
  expect((await rest(world, 'POST', `/tasks/${id}/retry`, {})).status).toBe(202);
  const second = await untilRunning(world, batch, 'train', 2);
  await expect.poll(() => pidsOf(word).length, WAIT).toBe(2);

  unknown.clear();
  // Each start looks for what nobody wants alive.
  await world.stop();
  await world.start();
  await expect.poll(() => pidsOf(word).filter((pid) => old.includes(pid)), WAIT).toEqual([]);
  await expect.poll(() => eventsOf(world, { runId: first.id, type: 'RUN_ORPHAN_ENDED' }), WAIT).toHaveLength(1);
  expect(await eventsOf(world, { runId: second.id, type: 'RUN_ORPHAN_FOUND' })).toEqual([]);
  expect(pidsOf(word)).toHaveLength(1);
  expect(await runOf(world, batch, 'train')).toMatchObject({ id: second.id, state: 'running', termAt: null });
  expect(await world.app().deps.store.run(first.id)).toMatchObject({ state: 'lost', exitCode: null });
});
