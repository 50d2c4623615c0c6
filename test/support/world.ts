/** A whole world for end-to-end tests: the stand-in GitHub, the real app on a real database, real processes. */

import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { type App, type AppOptions, startApp } from '../../src/app/compose.ts';
import { readConfig } from '../../src/app/config/index.ts';
import type { Run } from '../../src/core/run.ts';
import type { Task } from '../../src/core/task.ts';
import { type StandInGitHub, type StandInOptions, startStandInGitHub } from '../../src/demo/github/index.ts';
import { makeMigratedDatabase, silentLog } from './databases.ts';
import { makeOpenApiCheck } from './openapi/index.ts';
import { checkAnswer } from './rest-check.ts';

export const REPOSITORY = 'acme/widgets';
export const API_TOKEN = 'a-token-for-tests-only';

/** How long conditions are waited for: long, since a busy machine is no failure. */
export const WAIT = { timeout: 40_000, interval: 20 };

export interface WorldOptions {
  /** 0, the default: no periodic sweep; tests ask for one. */
  sweepSeconds?: number;
  /** App with webhooks (default), or a token and the sweep alone. */
  mode?: 'app' | 'token';
  graceSeconds?: number;
  /** Default: a SQLite file of the world's own. */
  databaseUrl?: string;
  env?: Record<string, string>;
  app?: Partial<AppOptions>;
  github?: StandInOptions;
  /** The operator's file; default: `local`, for all repositories of acme. */
  operator?: string;
}

export interface World {
  github: StandInGitHub;
  dir: string;
  /** The environment that an app process of this world needs. */
  env: Record<string, string>;
  /** The operator's file, as the next start reads it. */
  operator: string;
  app(): App;
  start(options?: Partial<AppOptions>): Promise<App>;
  stop(): Promise<void>;
  close(): Promise<void>;
}

export async function makeWorld(options: WorldOptions = {}): Promise<World> {
  const dir = await mkdtemp(join(tmpdir(), 'standdown-world-'));
  await mkdir(join(dir, 'data'));
  const github = await startStandInGitHub({ check: makeOpenApiCheck(), ...options.github });
  github.addRepository(REPOSITORY);
  for (const [login, role] of [
    ['ann', 'write'],
    ['tom', 'triage'],
  ] as const) {
    github.addUser(login);
    github.setPermission(REPOSITORY, login, role);
  }
  github.addUser('stranger');
  const database = options.databaseUrl === undefined ? await makeMigratedDatabase() : null;
  const env = environment(github, dir, { databaseUrl: database?.databaseUrl ?? '', ...options });
  let app: App | null = null;

  const world: World = {
    github,
    dir,
    env,
    operator: operatorFile(options),
    app: () => {
      if (app === null) throw new Error('the app is not running');
      return app;
    },
    async start(more = {}) {
      const config = readConfig(env, (path) => readWorldFile(path, world.operator));
      app = await startApp(config, {
        log: silentLog,
        env: process.env,
        writePace: { gapMs: 0 },
        runnerCheckSeconds: 0.2,
        ...options.app,
        ...more,
      });
      github.webhooks.to(`${app.url}/api/github/webhooks`);
      return app;
    },
    async stop() {
      await app?.close(5_000);
      app = null;
    },
    async close() {
      try {
        if (app === null) await world.start();
        await endAllRuns(world);
        await world.stop();
      } finally {
        await github.close();
        await rm(dir, { recursive: true, force: true, maxRetries: 5 });
        await database?.remove();
      }
    },
  };
  return world;
}

function environment(
  github: StandInGitHub,
  dir: string,
  options: WorldOptions & { databaseUrl: string },
): Record<string, string> {
  const credentials: Record<string, string> =
    options.mode === 'token'
      ? { GITHUB_TOKEN: github.addToken('ann'), GITHUB_REPO: REPOSITORY }
      : { APP_ID: String(github.appId), PRIVATE_KEY: github.privateKey, WEBHOOK_SECRET: github.webhookSecret };
  return {
    ...credentials,
    GHE_HOST: github.host,
    GHE_PROTOCOL: 'http',
    HOST: '127.0.0.1',
    PORT: '0',
    DATABASE_URL: options.databaseUrl,
    STANDDOWN_DATA_DIR: join(dir, 'data'),
    STANDDOWN_API_TOKEN: API_TOKEN,
    STANDDOWN_CONFIG: 'standdown.yml',
    RECONCILIATION_INTERVAL_SECONDS: String(options.sweepSeconds ?? (options.mode === 'token' ? 1 : 0)),
    ...options.env,
  };
}

/** The operator's file of this world. */
export function operatorFile({ graceSeconds = 2, operator }: WorldOptions = {}): string {
  if (operator !== undefined) return operator;
  return `runners:\n  local: { kind: process, repositories: ["acme/*"], grace_seconds: ${graceSeconds} }\n`;
}

function readWorldFile(path: string, operator: string): string {
  if (path.endsWith('standdown.yml')) return operator;
  throw Object.assign(new Error(`no such file: ${path}`), { code: 'ENOENT' });
}

/** Whatever a test left running is ended through the app, and was seen gone. */
async function endAllRuns(world: World): Promise<void> {
  const { store } = world.app().deps;
  const runners = world.app().deps.runners;
  const kill = async () => {
    const live = await store.liveRuns();
    for (const { id, runner } of live) await runners.get(runner)?.cancel(id, 'kill');
    return live.length;
  };
  // Not `expect.poll`: that is for inside a test.
  await vi.waitFor(async () => expect(await kill()).toBe(0), { timeout: 20_000, interval: 100 });
}

export interface SubmittedTask {
  issue?: number;
  run: readonly string[];
  [field: string]: unknown;
}

/** Submits over REST, as a person would. Returns the batch as REST shows it. */
export async function submit(
  world: World,
  tasks: Record<string, SubmittedTask>,
  more: object = {},
): Promise<RestBatch> {
  const entries = Object.entries(tasks).map(([key, task]) => [key, { runs_on: 'local', ...task }]);
  const document = {
    repository: REPOSITORY,
    name: 'nightly',
    max_parallel: 8,
    tasks: Object.fromEntries(entries),
    ...more,
  };
  const { status, body } = await rest(world, 'POST', '/batches', document);
  expect(body).toMatchObject({ name: document.name });
  expect(status).toBe(201);
  return body as RestBatch;
}

export interface RestBatch {
  id: string;
  state: string;
  tasks: { id: string; key: string; state: string }[];
}

/** Every answer is held against the app's own description. */
export async function rest(
  world: World,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: unknown }> {
  const text = body === undefined ? '' : JSON.stringify(body);
  const headers = { authorization: `Bearer ${API_TOKEN}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    // A connection of its own: one that is kept may be closed by the app just when it is used again.
    const sent = request(`${world.app().url}/api/v1${path}`, { method, headers, agent: false }, (response) => {
      readAnswer(response, { method, path: `/api/v1${path}` }).then(resolve, reject);
    });
    sent.on('error', reject);
    sent.end(text);
  });
}

async function readAnswer(
  response: IncomingMessage,
  asked: { method: string; path: string },
): Promise<{ status: number; body: unknown }> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const isJson = response.headers['content-type']?.includes('json') ?? false;
  const answer = { status: response.statusCode ?? 0, body: isJson ? JSON.parse(text) : text };
  checkAnswer({ ...asked, ...answer, contentType: response.headers['content-type'] ?? null });
  return answer;
}

export async function taskOf(world: World, batch: RestBatch, key: string): Promise<Task> {
  const id = batch.tasks.find((task) => task.key === key)?.id ?? '';
  const task = await world.app().deps.store.task(id);
  if (task === null) throw new Error(`no task ${key}`);
  return task;
}

export async function runOf(world: World, batch: RestBatch, key: string): Promise<Run | null> {
  return world.app().deps.store.newestRun((await taskOf(world, batch, key)).id);
}

/** Waits until the task's newest run is running, and returns it. */
export async function untilRunning(world: World, batch: RestBatch, key: string, number = 1): Promise<Run> {
  await expect.poll(async () => runOf(world, batch, key), WAIT).toMatchObject({ state: 'running', number });
  return (await runOf(world, batch, key)) as Run;
}

export async function untilTask(world: World, batch: RestBatch, key: string, wanted: Partial<Task>): Promise<Task> {
  await expect.poll(async () => taskOf(world, batch, key), WAIT).toMatchObject(wanted);
  return taskOf(world, batch, key);
}

/** Waits until nothing is owed, pending or due but the periodic keys. */
export async function untilQuiet(world: World): Promise<void> {
  const { store } = world.app().deps;
  const backlog = async () => {
    const { deliveries, messages } = await store.queries.backlog();
    return deliveries + messages;
  };
  await expect.poll(backlog, WAIT).toBe(0);
}

/** Comments that tell what was done; the status is told beside them. */
export function outcomesOf({ github }: Pick<World, 'github'>, issue: number): string[] {
  const bodies = github.comments(REPOSITORY, issue).map((comment) => comment.body);
  return bodies.filter((body) => body.startsWith('<!-- standdown:outcome '));
}

export function addIssues(world: World, ...numbers: number[]): void {
  for (const number of numbers) world.github.addIssue(REPOSITORY, { number, title: `Issue ${number}`, by: 'ann' });
}
