/**
 * What the demo plays on: a temporary directory, the stand-in GitHub, and the app as `serve` makes it, in this process, so that
 * nothing of it outlives the demo. `close` takes it all away, whatever is left of it.
 */
import { randomBytes } from 'node:crypto';
import { createWriteStream, readFileSync, rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type App, startApp } from '../app/compose.ts';
import { readConfig, secretsOf } from '../app/config/index.ts';
import { makeLogger } from '../app/log.ts';
import { type Api, makeApi } from './api.ts';
import { MARK_VARIABLE, REPOSITORY, TASKS } from './batch.ts';
import { type StandInGitHub, startStandInGitHub } from './github/index.ts';
import { endAll, endAllBlocking, type Trace } from './processes.ts';

export const SWEEP_SECONDS = 2;
/** Where an agent is looked for, should somebody start one. */
export const AGENT_ADDRESS = '127.0.0.1:7433';
const GRACE_SECONDS = 5;
const CLOSE_MS = 5_000;
const END_MS = 5_000;
const HURRY_MS = 1_000;

export interface Stage {
  github: StandInGitHub;
  app: App;
  api: Api;
  /** Of REST, and of the agent. */
  token: string;
  /** Marks the programs of this demo and of no other. */
  marker: string;
}

export interface Place {
  dir: string;
  trace: Trace;
  logFile: string;
  /** Opens the stage; what is open when it fails is closed by `close` all the same. */
  open(): Promise<Stage>;
  /** Returns the pids that are alive after everything was tried. */
  close(): Promise<number[]>;
  /** For somebody who doesn't wait for that: what can be done in a second. */
  abandon(): void;
}

/** `withAgent`: the app has a runner that is an agent, too. */
export async function makePlace(withAgent: boolean): Promise<Place> {
  const dir = await mkdtemp(join(tmpdir(), 'standdown-demo-'));
  const marker = `${basename(dir)}-${randomBytes(6).toString('hex')}`;
  const trace: Trace = { mark: `${MARK_VARIABLE}=${marker}`, dir };
  const logFile = join(dir, 'app.log');
  const closers: (() => Promise<unknown>)[] = [];
  return {
    dir,
    trace,
    logFile,
    async open() {
      const github = await startStandInGitHub();
      closers.push(() => github.close());
      furnish(github);
      const token = randomBytes(24).toString('hex');
      const app = await openApp(await writeEnvironment(dir, github, { token, withAgent }), logFile);
      closers.push(() => app.close(CLOSE_MS));
      github.webhooks.to(`${app.url}/api/github/webhooks`);
      // As GitHub does for every new webhook.
      github.webhooks.ping();
      return { github, app, api: makeApi(app.url, token), token, marker };
    },
    async close() {
      // First, so that supervisors tidy up while the app is there; again, since it may have started something meanwhile.
      await endAll(trace, END_MS);
      // What one of them leaves behind must not keep the others from closing; it is looked for below.
      for (const close of closers.reverse()) await close().catch(() => {});
      const alive = await endAll(trace, END_MS);
      await rm(dir, { recursive: true, force: true, maxRetries: 5 });
      return alive;
    },
    abandon() {
      endAllBlocking(trace, HURRY_MS);
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function furnish(github: StandInGitHub): void {
  github.addRepository(REPOSITORY);
  github.addUser('ann');
  github.setPermission(REPOSITORY, 'ann', 'write');
  for (const { issue, title } of TASKS) github.addIssue(REPOSITORY, { number: issue, title, by: 'ann' });
}

/** Everything that the app is told; nothing of this process's own settings reaches it. */
async function writeEnvironment(
  dir: string,
  github: StandInGitHub,
  { token, withAgent }: { token: string; withAgent: boolean },
): Promise<Record<string, string>> {
  const operator = join(dir, 'standdown.yml');
  const runner = `{ kind: process, repositories: ["acme/*"], grace_seconds: ${GRACE_SECONDS} }`;
  const agent = `{ kind: agent, url: "http://${AGENT_ADDRESS}", token_env: DEMO_AGENT_TOKEN, repositories: ["acme/*"] }`;
  await writeFile(operator, `runners:\n  local: ${runner}\n${withAgent ? `  lab: ${agent}\n` : ''}`);
  return {
    APP_ID: String(github.appId),
    PRIVATE_KEY: github.privateKey,
    WEBHOOK_SECRET: github.webhookSecret,
    GHE_HOST: github.host,
    GHE_PROTOCOL: 'http',
    HOST: '127.0.0.1',
    PORT: '0',
    DATABASE_URL: `file:${join(dir, 'standdown.db')}`,
    STANDDOWN_DATA_DIR: join(dir, 'data'),
    STANDDOWN_CONFIG: operator,
    STANDDOWN_API_TOKEN: token,
    DEMO_AGENT_TOKEN: token,
    RECONCILIATION_INTERVAL_SECONDS: String(SWEEP_SECONDS),
  };
}

function openApp(env: Record<string, string>, logFile: string): Promise<App> {
  const config = readConfig(env, (path) => readFileSync(path, 'utf8'));
  const log = makeLogger(config.log, secretsOf(config), createWriteStream(logFile));
  // Runs find their programs as this process does.
  return startApp(config, { log, env: process.env });
}
