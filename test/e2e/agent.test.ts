/** Tasks on another machine, by its agent: closes reach them, and an agent that was killed in between loses nothing. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AGENT_TOKEN } from '../support/agent.ts';
import { type AgentProcess, addressOf, bundleAgent, startAgentProcess } from '../support/agent-process.ts';
import { endAtOnce, removeDirectory, waitUntilGone } from '../support/processes.ts';
import { runOf, submit, untilRunning, untilTask, WAIT } from '../support/world.ts';
import { finisher, nasty, pidsOf, sleeper, untilAlive } from './programs.ts';
import { outcomesOf } from './rules.ts';
import {
  batchName,
  type ClockedWorld,
  closeWorld,
  makeClockedWorld,
  newIssue,
  startTask,
  untilSettled,
} from './support.ts';

let built: { dir: string; bundle: string };
let world: ClockedWorld;
let agent: AgentProcess;

async function startAgent(listen: string): Promise<void> {
  agent = await startAgentProcess({ ...built, flags: { dataDir: join(built.dir, 'data'), listen } });
}

const onLab = <T extends object>(program: T) => ({ ...program, runs_on: 'lab' });

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
