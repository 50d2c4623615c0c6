// What every measurement stands on: a stand-in GitHub in this process, a directory, and the app in a process of its own.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startStandInGitHub } from '../../dist/demo/github/index.js';
import { startChild } from './child.mjs';
import { endAllRuns } from './end-all-runs.mjs';
import { unlessInterrupted } from './interruption.mjs';

export const REPOSITORY = 'acme/widgets';
export const WEBHOOK_PATH = '/api/github/webhooks';
const API_TOKEN = 'a-token-for-the-benchmark';
const MAX_LIVE = 2_000;
const TRIES = 5;

/** Ends every process that `measure` started, also where it fails. */
export async function withWorld(measure) {
  const world = await makeWorld();
  try {
    return await unlessInterrupted(measure(world));
  } finally {
    await world.close();
  }
}

async function makeWorld() {
  const dir = await mkdtemp(join(tmpdir(), 'standdown-bench-'));
  const data = join(dir, 'data');
  await mkdir(data);
  await writeFile(join(dir, 'standdown.yml'), operatorFile());
  const github = await startStandInGitHub();
  github.rateLimit.setLimit(1_000_000);
  github.addRepository(REPOSITORY);
  github.addUser('ann');
  github.setPermission(REPOSITORY, 'ann', 'write');
  const env = environment(github, dir, data);
  const children = new Set();

  async function start(name) {
    const child = await startChild(name, env, dir);
    children.add(child);
    const close = () => child.close().finally(() => children.delete(child));
    return { ...child, close };
  }

  return {
    dir,
    github,
    startApp: () => start('app'),
    startBareProbot: () => start('bare-probot'),
    async close() {
      await Promise.all([...children].map((child) => child.close()));
      await endAllRuns(data);
      await github.close();
      await rm(dir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function operatorFile() {
  return [
    `runners: { local: { kind: process, repositories: ["acme/*"], grace_seconds: 5 } }`,
    `limits: { max_running: ${MAX_LIVE}, max_running_per_repository: ${MAX_LIVE} }`,
  ].join('\n');
}

/** No periodic sweep: every stop that is measured comes from a webhook. */
function environment(github, dir, data) {
  return {
    APP_ID: String(github.appId),
    PRIVATE_KEY: github.privateKey,
    WEBHOOK_SECRET: github.webhookSecret,
    WEBHOOK_PATH,
    GHE_HOST: github.host,
    GHE_PROTOCOL: 'http',
    HOST: '127.0.0.1',
    PORT: '0',
    DATABASE_URL: `file:${join(data, 'standdown.db')}`,
    STANDDOWN_DATA_DIR: data,
    STANDDOWN_CONFIG: join(dir, 'standdown.yml'),
    STANDDOWN_API_TOKEN: API_TOKEN,
    RECONCILIATION_INTERVAL_SECONDS: '0',
  };
}

/** Issues `from` … `to`, old enough that a close is newer in GitHub's whole seconds. */
export async function addIssues({ github }, from, to) {
  for (let number = from; number <= to; number++) {
    github.addIssue(REPOSITORY, {
      number,
      title: `Issue ${number}`,
      body: 'What is to be done. '.repeat(40),
      by: 'ann',
    });
  }
  await delay(1_100);
}

/** One task for each issue, over REST as a person would. Returns the batch. */
export async function submitBatch(app, name, { from, to, maxParallel, run }) {
  const tasks = {};
  for (let issue = from; issue <= to; issue++) tasks[`task-${issue}`] = { issue, runs_on: 'local', run: run(issue) };
  const document = { repository: REPOSITORY, name, max_parallel: maxParallel, tasks };
  return withTries(() => rest(app, 'POST', '/batches', document));
}

/** Where GitHub gave no answer in time, the app says so and has written nothing: a person would try again. */
async function withTries(work) {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (error.status !== 503 || tries === TRIES) throw error;
      await delay(1_000);
    }
  }
}

export async function rest(app, method, path, body) {
  const response = await fetch(`${app.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${API_TOKEN}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) {
    const error = new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    throw Object.assign(error, { status: response.status });
  }
  return JSON.parse(text);
}

/** Throws after `seconds`: a benchmark must not hang. */
export async function until(what, check, { seconds = 60, everyMs = 50 } = {}) {
  const deadline = performance.now() + seconds * 1_000;
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error(`not within ${seconds} s: ${what}`);
    await delay(everyMs);
  }
}
