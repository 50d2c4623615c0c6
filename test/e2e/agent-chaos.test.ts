/**
 * `kill -9` of the app and of its agent, at any moment of starts, cancels, ends and their own restarts, with real processes: nothing is
 * begun twice, nothing that was asked to stop is left, and every end is told as it was. Each seed is one story.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type StandInGitHub, startStandInGitHub } from '../../src/demo/github/index.ts';
import { AGENT_TOKEN } from '../support/agent.ts';
import { type AgentProcess, addressOf, bundleAgent, startAgentProcess } from '../support/agent-process.ts';
import { type AppProcess, bundleApp, startAppProcess } from '../support/app-process.ts';
import type { BatchView } from '../support/crash-case.ts';
import { makeMigratedDatabase, type TestDatabase } from '../support/databases.ts';
import { expectNoViolations, makeOpenApiCheck } from '../support/openapi/index.ts';
import { endByWord, makeMarker, waitUntilGone } from '../support/processes.ts';
import { makeRandom, type Random } from '../support/random.ts';
import { API_TOKEN, outcomesOf, REPOSITORY } from '../support/world.ts';
import { pidsOf } from './programs.ts';

const WAIT = { timeout: 60_000, interval: 50 };
const STEPS = 14;
/** From one step to the next, in ms. */
const LONGEST_MS = 250;

let dir: string;
let database: TestDatabase;
let built: { dir: string; bundle: string };
let bundle: string;
let github: StandInGitHub;
let env: Record<string, string>;
let agent: AgentProcess;
let address: string;
let app: AppProcess | null = null;
let isAgentUp = false;
let marker = '';
let nextIssue = 1;

async function startAgent(listen: string): Promise<void> {
  agent = await startAgentProcess({ ...built, flags: { dataDir: join(dir, 'agent'), listen } });
  isAgentUp = true;
}

async function killAgent(): Promise<void> {
  await agent.kill();
  isAgentUp = false;
}

async function startApp(): Promise<void> {
  app = await startAppProcess(bundle, env);
  github.webhooks.to(`${app.url}/api/github/webhooks`);
}

async function killApp(): Promise<void> {
  await app?.kill();
  app = null;
}

beforeAll(async () => {
  dir = await mkdtemp(join(fileURLToPath(new URL('../..', import.meta.url)), 'node_modules/.chaos-'));
  built = await bundleAgent();
  bundle = await bundleApp(join(dir, 'bundle'));
  database = await makeMigratedDatabase();
  await mkdir(join(dir, 'agent'));
  await startAgent('127.0.0.1:0');
  address = addressOf(agent);
  github = await startStandInGitHub({ check: makeOpenApiCheck() });
  github.rateLimit.setLimit(1_000_000);
  github.addRepository(REPOSITORY);
  github.addUser('ann');
  github.setPermission(REPOSITORY, 'ann', 'write');
  const lab = `{ kind: agent, url: "http://${address}", token_env: LAB_TOKEN, repositories: ["acme/*"], grace_seconds: 1 }`;
  await writeFile(join(dir, 'standdown.yml'), `runners:\n  lab: ${lab}\n`);
  env = {
    ...{ APP_ID: String(github.appId), PRIVATE_KEY: github.privateKey, WEBHOOK_SECRET: github.webhookSecret },
    ...{ GHE_HOST: github.host, GHE_PROTOCOL: 'http', HOST: '127.0.0.1', PORT: '0' },
    ...{ DATABASE_URL: database.databaseUrl, STANDDOWN_DATA_DIR: join(dir, 'data') },
    ...{ STANDDOWN_CONFIG: join(dir, 'standdown.yml'), STANDDOWN_API_TOKEN: API_TOKEN, LAB_TOKEN: AGENT_TOKEN },
    RECONCILIATION_INTERVAL_SECONDS: '1',
  };
}, 120_000);

afterEach(() => endByWord(marker));

afterAll(async () => {
  await killApp();
  await agent?.kill();
  await github?.close();
  expectNoViolations(github);
  for (const made of [dir, built.dir]) await rm(made, { recursive: true, force: true });
  await database.remove();
});

async function call(method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${API_TOKEN}`, 'content-type': 'application/json' };
  const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  return (await fetch(`${app?.url}/api/v1${path}`, sent)).json();
}

/** One or the other is killed, or is there again; once, the issue is closed. */
async function live(random: Random, close: () => void): Promise<string[]> {
  const told: string[] = [];
  const closesAt = random(STEPS);
  for (let step = 0; step < STEPS; step += 1) {
    const what = random(2) === 0 ? 'agent' : 'app';
    if (step === closesAt) close();
    told.push(`${step === closesAt ? 'close, ' : ''}${what}`);
    if (what === 'agent') await (isAgentUp ? killAgent() : startAgent(address));
    else await (app === null ? startApp() : killApp());
    await delay(random(LONGEST_MS));
  }
  if (!isAgentUp) await startAgent(address);
  if (app === null) await startApp();
  return told;
}

/** Notes in a file that it began, then is what the rest says. */
const noting = (file: string, rest: string) => ['sh', '-c', `echo began >> ${file}; ${rest}; : ${marker}`];

it.each([1, 2, 3])(
  'nothing begins twice, nothing is left, every end is told as it was (seed %i)',
  async (seed) => {
    marker = makeMarker();
    const issue = nextIssue++;
    github.addIssue(REPOSITORY, { number: issue, title: `Case ${issue}`, by: 'ann' });
    const file = (key: string) => join(dir, `began-${issue}-${key}`);
    if (app === null) await startApp();
    const programs: Record<string, object> = {
      long: { issue, run: noting(file('long'), 'sleep 300') },
      stubborn: { issue, run: noting(file('stubborn'), 'trap "" TERM; while :; do sleep 1; done') },
      done: { run: noting(file('done'), 'sleep 1; exit 0') },
      failed: { run: noting(file('failed'), 'sleep 2; exit 3') },
    };
    const tasks = Object.fromEntries(Object.entries(programs).map(([key, task]) => [key, { runs_on: 'lab', ...task }]));
    const document = { repository: REPOSITORY, name: `case-${issue}`, max_parallel: 4, tasks };
    const { id } = (await call('POST', '/batches', document)) as BatchView;
    expect(id).toBeDefined();

    const hands = github.issue(REPOSITORY, issue);
    const told = await live(makeRandom(seed), () => hands.close({ by: 'ann', reason: 'completed' }));

    const tasksNow = async () => {
      const batch = (await call('GET', `/batches/${id}`).catch(() => null)) as BatchView | null;
      return Object.fromEntries(
        (batch?.tasks ?? []).map((task) => [task.key, { state: task.state, cause: task.cause }]),
      );
    };
    await expect.poll(tasksNow, { ...WAIT, message: told.join('; ') }).toEqual({
      long: { state: 'done', cause: 'issue_completed' },
      stubborn: { state: 'done', cause: 'issue_completed' },
      done: { state: 'done', cause: 'run_succeeded' },
      failed: { state: 'failed', cause: 'run_failed' },
    });
    await waitUntilGone(marker);
    expect(pidsOf(marker)).toEqual([]);
    await expect.poll(() => outcomesOf({ github }, issue).length, WAIT).toBe(1);
    for (const key of ['done', 'failed']) expect(await readFile(file(key), 'utf8')).toBe('began\n');
    for (const key of ['long', 'stubborn'])
      expect(['', 'began\n']).toContain(await readFile(file(key), 'utf8').catch(() => ''));
    const { tasks: ended } = (await call('GET', `/batches/${id}`)) as BatchView;
    for (const { id: taskId, key } of ended) {
      const { runs } = (await call('GET', `/tasks/${taskId}`)) as { runs: { exit_code: number | null }[] };
      expect(runs.length).toBeLessThanOrEqual(1);
      if (key === 'done' || key === 'failed') expect(runs[0]?.exit_code).toBe(key === 'done' ? 0 : 3);
    }
  },
  120_000,
);
