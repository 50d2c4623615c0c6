/** The app as a process: what it refuses to start with, and how it ends. Runs outlive it, and the next start adopts them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type StandInGitHub, startStandInGitHub } from '../../src/demo/github/index.ts';
import { bundleInto } from '../support/bundle.ts';
import { pidsOf, untilAlive } from '../support/marked.ts';
import { API_TOKEN, operatorFile, REPOSITORY } from '../support/world.ts';

const WAIT = { timeout: 30_000, interval: 50 };
const root = fileURLToPath(new URL('../..', import.meta.url));

let dir: string;
let cli: string;
let place: string;
let github: StandInGitHub;
let running: Serving[];

interface Serving {
  child: ChildProcess;
  url: string;
  lines: string[];
  /** Those on standard error. */
  told: string[];
  exited: Promise<number | null>;
}

beforeAll(async () => {
  dir = await mkdtemp(join(root, 'node_modules/.lifecycle-'));
  // Where the command looks for its own version.
  await writeFile(join(dir, 'package.json'), '{"version":"0.0.0","type":"module"}');
  cli = await bundleInto(join(dir, 'dist'), join(root, 'src/cli.ts'));
}, 120_000);

beforeEach(async () => {
  running = [];
  place = await mkdtemp(join(dir, 'place-'));
  await writeFile(join(place, 'standdown.yml'), operatorFile());
  github = await startStandInGitHub();
  github.addRepository(REPOSITORY);
  github.addUser('ann');
  github.setPermission(REPOSITORY, 'ann', 'write');
});

afterEach(async () => {
  for (const { child, exited } of running) {
    child.kill('SIGKILL');
    await exited;
  }
  await github.close();
});

afterAll(() => rm(dir, { recursive: true, force: true }));

function environment(more: Record<string, string> = {}): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    APP_ID: String(github.appId),
    PRIVATE_KEY: github.privateKey,
    WEBHOOK_SECRET: github.webhookSecret,
    GHE_HOST: github.host,
    GHE_PROTOCOL: 'http',
    HOST: '127.0.0.1',
    PORT: '0',
    STANDDOWN_API_TOKEN: API_TOKEN,
    RECONCILIATION_INTERVAL_SECONDS: '0',
    ...more,
  };
}

async function serve(more: Record<string, string> = {}): Promise<Serving> {
  const child = spawn(process.execPath, [cli, 'serve'], { cwd: place, env: environment(more), stdio: 'pipe' });
  const lines: string[] = [];
  const told: string[] = [];
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const url = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream as NodeJS.ReadableStream }).on('line', (line) => {
        lines.push(line);
        if (stream === child.stderr) told.push(line);
        const found = /"url":"(http:[^"]+)".*"listening"/.exec(line)?.[1];
        if (found) resolve(found);
      });
    }
  });
  const serving = { child, lines, told, exited, url: '' };
  running.push(serving);
  const started = await Promise.race([url, exited.then(() => null)]);
  return Object.assign(serving, { url: started ?? '' });
}

async function api(serving: Serving, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${serving.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${API_TOKEN}`, 'content-type': 'application/json', connection: 'close' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return response.json();
}

async function startRun(serving: Serving, marker: string): Promise<string> {
  const run = ['sh', '-c', 'sleep 300; true', marker];
  const document = { repository: REPOSITORY, name: marker, tasks: { work: { runs_on: 'local', run } } };
  const batch = (await api(serving, 'POST', '/batches', document)) as { tasks: { id: string }[] };
  const id = batch.tasks[0]?.id ?? '';
  await expect.poll(async () => newestRun(serving, id), WAIT).toMatchObject({ state: 'running' });
  await untilAlive(marker);
  return id;
}

async function newestRun(serving: Serving, taskId: string): Promise<unknown> {
  return ((await api(serving, 'GET', `/tasks/${taskId}`)) as { runs: unknown[] }).runs.at(-1);
}

describe('an app that is told to end', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'by %s ends in order, leaves runs alive, and adopts them again',
    async (signal) => {
      const marker = `lifecycle-${process.pid}-${signal}`;
      const first = await serve();
      const id = await startRun(first, marker);
      const [pid] = pidsOf(marker);
      first.child.kill(signal);
      expect(await first.exited).toBe(0);
      await expect.poll(() => pidsOf(marker), WAIT).toEqual([pid]);

      const second = await serve();
      expect(await newestRun(second, id)).toMatchObject({ number: 1, state: 'running' });
      await api(second, 'POST', `/tasks/${id}/cancel`);
      await expect.poll(() => newestRun(second, id), WAIT).toMatchObject({ state: 'cancelled' });
      expect(pidsOf(marker)).toEqual([]);
    },
  );

  it('a second time ends at once, though GitHub keeps what is in hand waiting', async () => {
    const app = await serve();
    github.faults.add({ kind: 'hang', path: /issues/ });
    github.addIssue(REPOSITORY, { number: 1, title: 'One', by: 'ann' });
    const submitted = api(app, 'POST', '/batches', {
      repository: REPOSITORY,
      name: 'hangs',
      tasks: { work: { issue: 1, runs_on: 'local', run: ['true'] } },
    }).catch(() => null);
    await expect.poll(() => github.requests().some(({ path }) => path.endsWith('/issues/1')), WAIT).toBe(true);
    app.child.kill('SIGTERM');
    await expect.poll(() => app.lines.some((line) => line.includes('living runs go on')), WAIT).toBe(true);
    app.child.kill('SIGTERM');
    expect(await app.exited).toBe(143);
    await submitted;
  });

  it('says before that it is alive, and that it can keep deliveries', async () => {
    const app = await serve();
    expect((await fetch(`${app.url}/readyz`)).status).toBe(200);
    expect((await fetch(`${app.url}/healthz`)).status).toBe(200);
  });
});

describe("an app whose operator's file changes", () => {
  const withSlots = (max: number) =>
    `runners:\n  local: { kind: process, repositories: ["acme/*"], max_running: ${max}, grace_seconds: 2 }\n`;

  it('goes by the new one for what it starts from then on, and stops nothing', async () => {
    await writeFile(join(place, 'standdown.yml'), withSlots(1));
    const app = await serve();
    const marker = `reload-${process.pid}`;
    const run = ['sh', '-c', 'sleep 300; true', marker];
    const tasks = { a: { runs_on: 'local', run }, b: { runs_on: 'local', run }, c: { runs_on: 'local', run } };
    const batch = (await api(app, 'POST', '/batches', { repository: REPOSITORY, name: marker, tasks })) as {
      id: string;
    };
    await untilAlive(marker);

    await writeFile(join(place, 'standdown.yml'), withSlots(2));
    app.child.kill('SIGHUP');
    await untilAlive(marker, 2);
    await writeFile(join(place, 'standdown.yml'), withSlots(1));
    app.child.kill('SIGHUP');
    await expect.poll(() => countOf(app, 'read again'), WAIT).toBe(2);
    await untilAlive(marker, 2);
    await api(app, 'POST', `/batches/${batch.id}/cancel`, { now: true });
    await expect.poll(() => pidsOf(marker).length, WAIT).toBe(0);
  });

  it('says what of it takes a restart', async () => {
    const app = await serve();
    const gpu = '  gpu: { kind: process, repositories: ["acme/*"] }\n';
    await writeFile(join(place, 'standdown.yml'), `${operatorFile()}${gpu}\n`);
    app.child.kill('SIGHUP');
    await expect.poll(() => countOf(app, '"need_restart":["runners.gpu"]'), WAIT).toBe(1);
  });

  it('keeps the last good one where the new one is wrong, and says what is wrong', async () => {
    const app = await serve();
    await writeFile(join(place, 'standdown.yml'), 'limits: { max_running: none }\n');
    app.child.kill('SIGHUP');
    await expect.poll(() => countOf(app, 'the last good one stays in force'), WAIT).toBe(1);
    expect(app.lines.join('\n')).toContain('limits.max_running');
    const marker = `kept-${process.pid}`;
    const id = await startRun(app, marker);
    await api(app, 'POST', `/tasks/${id}/cancel`);
    await expect.poll(() => pidsOf(marker).length, WAIT).toBe(0);
  });
});

function countOf({ lines }: Serving, text: string): number {
  return lines.filter((line) => line.includes(text)).length;
}

function expectOneSentence({ lines, told }: Serving, words: string): void {
  expect(told).toEqual([`standdown: ${words}`]);
  expect(lines.join('\n')).not.toContain('"stack"');
}

describe('an app that can not start', () => {
  it('names every wrong setting at once and exits with 2', async () => {
    const app = await serve({ PORT: 'ninety', RECONCILIATION_INTERVAL_SECONDS: '-1', WEBHOOK_SECRET: 'development' });
    expect(await app.exited).toBe(2);
    const text = app.lines.join('\n');
    for (const key of ['PORT', 'RECONCILIATION_INTERVAL_SECONDS', 'WEBHOOK_SECRET']) expect(text).toContain(key);
    expect(text).not.toContain('PRIVATE KEY');
  });

  it('says which app has its database, and leaves that one alone', async () => {
    const first = await serve();
    const second = await serve();
    expect(await second.exited).toBe(1);
    const file = join(place, 'data', 'standdown.db');
    expectOneSentence(
      second,
      `another Standdown uses the database ${file}: one SQLite file serves one app (PostgreSQL many)`,
    );
    expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
  });

  it('says in one sentence what was foreseen, without a stack, and exits with 1', async () => {
    const first = await serve();
    const { port, host } = new URL(first.url);
    const other = { DATABASE_URL: `file:${join(place, 'other.db')}` };
    const locked = await serve(other);
    expect(await locked.exited).toBe(1);
    const has = `another Standdown, process ${first.child.pid} on ${hostname()}, uses the data directory`;
    expectOneSentence(locked, `${has} ${join(place, 'data')}: each needs its own`);
    const taken = await serve({ ...other, STANDDOWN_DATA_DIR: join(place, 'others'), PORT: port });
    expect(await taken.exited).toBe(1);
    expectOneSentence(taken, `PORT: another program listens on ${host} already: end it, or set another PORT`);
    const nowhere = await serve({ DATABASE_URL: 'file::memory:' });
    expect(await nowhere.exited).toBe(1);
    expect(nowhere.told).toEqual([expect.stringMatching(/^standdown: DATABASE_URL must name a file/)]);
  });
});
