/** Tasks on another machine, by its agent: closes reach them, and an agent that was killed in between loses nothing. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NO_RECORD_GRACE_MS, NO_RECORD_REASON } from '../../src/core/plan/limits.ts';
import type { Run } from '../../src/core/run.ts';
import { ORPHANS_KEY } from '../../src/engine/keys.ts';
import { AGENT_TOKEN } from '../support/agent.ts';
import { type AgentProcess, addressOf, bundleAgent, startAgentProcess } from '../support/agent-process.ts';
import { endAtOnce, removeDirectory, waitUntilGone } from '../support/processes.ts';
import { rest, runOf, submit, taskOf, untilRunning, untilTask, WAIT } from '../support/world.ts';
import { finisher, nasty, pidsOf, sleeper, untilAlive } from './programs.ts';
import { outcomesOf } from './rules.ts';
import {
  batchName,
  type ClockedWorld,
  closeWorld,
  makeClockedWorld,
  newIssue,
  numberOfRuns,
  startTask,
  untilSettled,
} from './support.ts';

let built: { dir: string; bundle: string };
let world: ClockedWorld;
let agent: AgentProcess;

/** `data`: another directory makes it one that knows nothing of the runs of before. */
async function startAgent(listen: string, data = 'data'): Promise<void> {
  agent = await startAgentProcess({ ...built, flags: { dataDir: join(built.dir, data), listen } });
}

/** It is older than the time in which it may be found again. */
async function age({ id }: Pick<Run, 'id'>): Promise<void> {
  const set = { startedAt: new Date(Date.now() - NO_RECORD_GRACE_MS) };
  await world.app().deps.store.commit([{ write: 'run.update', id, from: ['running', 'stopping'], set }]);
}

const LOST = { state: 'lost', exitCode: null, goneAt: null, reason: NO_RECORD_REASON };

const onLab = <T extends object>(program: T) => ({ ...program, runs_on: 'lab' });

async function labIs(): Promise<Record<string, unknown>> {
  const ready = (await (await fetch(`${world.app().url}/readyz`)).json()) as {
    runners: { lab: Record<string, unknown> };
  };
  return ready.runners.lab;
}

beforeAll(async () => {
  built = await bundleAgent();
  for (const dir of ['data', 'other']) await mkdir(join(built.dir, dir));
  await startAgent('127.0.0.1:0');
  const lab = `{ kind: agent, url: "${agent.url}", token_env: LAB_TOKEN, repositories: ["acme/*"], grace_seconds: 1 }`;
  world = await makeClockedWorld({ operator: `runners:\n  lab: ${lab}\n`, env: { LAB_TOKEN: AGENT_TOKEN } });
  await world.start();
});

afterAll(async () => {
  try {
    await closeWorld(world);
  } finally {
    await agent.kill();
    removeDirectory(built.dir);
  }
});

it('a close stops the whole tree there and is told once, after the agent was killed and came back', async () => {
  const issue = newIssue(world);
  const { word, run } = nasty('tree');
  const batch = await submit(world, { train: onLab({ issue: issue.number, run }) }, batchName());
  const { id } = await untilRunning(world, batch, 'train');
  await expect.poll(() => pidsOf(word).length, WAIT).toBeGreaterThanOrEqual(7);
  await expect.poll(labIs, WAIT).toMatchObject({ state: 'ok', kind: 'agent', containment: expect.any(String) });

  await agent.kill();
  await expect
    .poll(labIs, WAIT)
    .toMatchObject({ state: 'degraded', silent_since: expect.any(String), silent_because: expect.any(String) });
  expect(await runOf(world, batch, 'train')).toMatchObject({ id, state: 'running' });
  expect(pidsOf(word).length).toBeGreaterThan(0);
  await startAgent(addressOf(agent));
  await expect.poll(labIs, WAIT).toMatchObject({ state: 'ok' });

  world.clock.forward();
  issue.close({ by: 'ann' });
  await untilTask(world, batch, 'train', { state: 'done', cause: 'issue_completed', actor: 'ann' });
  expect(await runOf(world, batch, 'train')).toMatchObject({ id, number: 1, state: 'cancelled', survivors: [] });
  await waitUntilGone(word);
  await untilSettled(world);
  expect(outcomesOf(world, issue.number)).toHaveLength(1);
  expect(outcomesOf(world, issue.number)[0]).toMatch(
    /`train`: run 1 was stopped \(TERM, then KILL, gone after [\d.]+ m?s, /,
  );
});

it('a close while the agent is away ends the run once it is back', async () => {
  const issue = newIssue(world);
  const { batch, word, first } = await startTask(world, issue, onLab(sleeper()));
  await agent.kill();
  issue.close({ by: 'ann' });
  await expect.poll(() => runOf(world, batch, 'train'), WAIT).toMatchObject({ state: 'stopping' });
  expect(pidsOf(word)).toHaveLength(1);
  await startAgent(addressOf(agent));
  await untilTask(world, batch, 'train', { state: 'done', cause: 'issue_completed' });
  expect(await runOf(world, batch, 'train')).toMatchObject({ id: first.id, state: 'cancelled', survivors: [] });
  await waitUntilGone(word);
  await untilSettled(world);
  expect(outcomesOf(world, issue.number)).toHaveLength(1);
});

it('a run that died while its agent was away is lost for that reason, and costs the work no attempt', async () => {
  const program = { ...onLab(finisher(0)), retry: { attempts: 1, backoff_seconds: 0 } };
  const { batch, word, first } = await startTask(world, newIssue(world), program);
  await agent.kill();
  await endAtOnce(word);
  await startAgent(addressOf(agent));
  await untilRunning(world, batch, 'train', 2);
  expect(await world.app().deps.store.run(first.id)).toMatchObject({
    ...{ state: 'lost', exitCode: null, reason: 'agent restarted; process lost', failureClass: 'environment' },
  });
  await untilAlive(word);
});

it('a run that its agent knows nothing of is lost, and what it left is ended when it is found again', async () => {
  const issue = newIssue(world);
  const { batch, word, first } = await startTask(world, issue, onLab(sleeper()));
  await agent.kill();
  await startAgent(addressOf(agent), 'other');
  await expect.poll(labIs, WAIT).toMatchObject({ state: 'ok' });
  expect(await runOf(world, batch, 'train')).toMatchObject({ state: 'running' });
  await age(first);
  const { id } = await untilTask(world, batch, 'train', { state: 'failed', cause: 'runner_lost' });
  expect(await world.app().deps.store.run(first.id)).toMatchObject(LOST);
  expect(pidsOf(word)).toHaveLength(1);
  await untilSettled(world);
  expect(outcomesOf(world, issue.number)).toEqual([expect.stringContaining(NO_RECORD_REASON)]);

  await agent.kill();
  await startAgent(addressOf(agent));
  await world.app().deps.store.queue.enqueue([{ key: ORPHANS_KEY, dueAt: new Date() }]);
  await waitUntilGone(word);
  expect(await world.app().deps.store.task(id)).toMatchObject({ state: 'failed', cause: 'runner_lost' });
  expect(await numberOfRuns(world, id)).toBe(1);
});

it('a stop of a run that its agent knows nothing of ends no run, and a reopen starts none beside it', async () => {
  const issue = newIssue(world);
  const { batch, word, first } = await startTask(world, issue, onLab(sleeper()));
  await agent.kill();
  issue.close({ by: 'ann' });
  await expect.poll(() => runOf(world, batch, 'train'), WAIT).toMatchObject({ state: 'stopping' });
  await startAgent(addressOf(agent), 'other');
  world.clock.forward();
  issue.reopen({ by: 'ann' });
  await expect.poll(() => taskOf(world, batch, 'train'), WAIT).toMatchObject({ target: { becomes: 'requeued' } });
  await age(first);
  const { id } = await untilTask(world, batch, 'train', { state: 'failed', cause: 'runner_lost' });
  expect(await world.app().deps.store.run(first.id)).toMatchObject(LOST);
  expect(pidsOf(word)).toHaveLength(1);
  await untilSettled(world);
  expect(await numberOfRuns(world, id)).toBe(1);
  const told = outcomesOf(world, issue.number).join('\n');
  expect(told).toContain(`run 1 was lost — \`${NO_RECORD_REASON}\``);
  expect(told).not.toMatch(/was stopped|queued again/);

  await agent.kill();
  await startAgent(addressOf(agent));
  await world.app().deps.store.queue.enqueue([{ key: ORPHANS_KEY, dueAt: new Date() }]);
  await expect.poll(() => world.app().deps.store.run(first.id), WAIT).toMatchObject({ goneAt: expect.any(Date) });
  await waitUntilGone(word);
  expect((await rest(world, 'POST', `/tasks/${id}/retry`, {})).status).toBe(202);
  await untilRunning(world, batch, 'train', 2);
});
