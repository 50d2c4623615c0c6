/** The command line in front of the real app: a batch is followed, each event once across a restart, and moved. Ctrl-C stops nothing. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../src/cli/index.ts';
import { bundleInto } from '../support/bundle.ts';
import { API_TOKEN, REPOSITORY, rest, submit, taskOf, untilRunning, untilTask, WAIT } from '../support/world.ts';
import { finish, finisher, type Program, pidOf, sleeper, untilAlive } from './programs.ts';
import { batchName, type ClockedWorld, closeWorld, eventsOf, makeClockedWorld, newIssue } from './support.ts';

let world: ClockedWorld;
let url: string;

beforeEach(async () => {
  // Where it is found again after its restart.
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  world = await makeClockedWorld({ env: { PORT: String(port) } });
  await world.start();
});

afterEach(() => closeWorld(world));

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

interface Following {
  out(): string[];
  err(): string;
  exitCode: Promise<number>;
}

function cli(args: readonly string[], document: object = {}): Following {
  let out = '';
  let err = '';
  const exitCode = runCli(args, {
    version: '0.0.0',
    env: { STANDDOWN_URL: url, STANDDOWN_API_TOKEN: API_TOKEN },
    stdout: {
      write: (text) => {
        out += text;
      },
    },
    stderr: {
      write: (text) => {
        err += text;
      },
    },
    onInterrupt: () => () => {},
    readInput: async () => JSON.stringify(document),
    serve: async () => 0,
    demo: async () => 0,
    agent: async () => 0,
    attend: async () => 0,
    migrate: async () => [],
    pollMs: 50,
  });
  return { out: () => out.split('\n').slice(0, -1), err: () => err, exitCode };
}

async function endProgram({ word }: Program): Promise<void> {
  await finish(await pidOf(word));
  await untilAlive(word, 0);
}

async function restart(following: Following, meanwhile: () => Promise<void>): Promise<void> {
  await world.stop();
  await expect.poll(following.err, WAIT).toContain('trying again');
  await meanwhile();
  await world.start();
}

describe('following a batch', () => {
  it('tells each change in one line, also what happened around a restart of the app', async () => {
    const [good, bad] = [finisher(0), finisher(3)];
    const tasks = {
      train: { runs_on: 'local', run: good.run, issue: newIssue(world).number },
      check: { runs_on: 'local', run: bad.run, needs: ['train'] },
    };
    const { name } = batchName();
    const following = cli(['batch', 'run', '-', '--follow'], { repository: REPOSITORY, name, tasks });
    await untilAlive(good.word);
    await expect.poll(following.out, WAIT).toHaveLength(1);
    await restart(following, () => endProgram(good));
    await endProgram(bad);
    await expect.poll(() => following.out().at(-1), WAIT).toContain('running → partial');
    expect(await following.exitCode).toBe(1);
    // A run that ends at once may never be seen to run.
    const lines = following.out().map((line) => line.replace(/^\d\d:\d\d:\d\d /, '').replace(/, after [\d.]+ m?s/, ''));
    expect(lines.filter((line) => !line.startsWith('batch '))).toEqual([
      'train: ready → running (run 1)',
      'train: running → done (run 1, run_succeeded by runner)',
      'check: waiting → ready',
      'check: ready → running (run 1)',
      'check: running → failed (run 1, exit code 3, run_failed by runner)',
    ]);
    expect(lines.at(-1)).toBe(`batch ${name}: running → partial`);
  });

  it('gives every event from then on once with --json, and the batch at the end', async () => {
    const program = finisher(0);
    const batch = await submit(world, { train: { run: program.run }, eval: { run: sleeper().run } }, batchName());
    await untilRunning(world, batch, 'train');
    await untilRunning(world, batch, 'eval');
    const train = await taskOf(world, batch, 'train');
    const following = cli(['batch', 'follow', batch.id, '--json']);
    // Something to be told of, until it is.
    const told = async () => {
      await rest(world, 'POST', `/tasks/${train.id}/hold`);
      return following.out().length;
    };
    await expect.poll(told, WAIT).toBeGreaterThan(0);
    await world.stop();
    await endProgram(program);
    await world.start();
    await untilTask(world, batch, 'train', { state: 'done' });
    await rest(world, 'POST', `/batches/${batch.id}/cancel`, { now: true });
    expect(await following.exitCode).toBe(1);
    const [last, ...events] = following
      .out()
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .toReversed();
    expect(last).toMatchObject({ id: batch.id, state: 'partial' });
    const journal = (await eventsOf(world, { batchId: batch.id })) as { id?: string; type: string }[];
    const ids = journal.map(({ id }) => id);
    const followed = events.toReversed().map(({ id }) => id);
    expect(followed).toEqual(ids.slice(-followed.length));
    expect(followed.length).toBeLessThan(ids.length);
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['TASK_HELD', 'TASK_DONE', 'TASK_CANCELLED']),
    );
  });
});

describe('moving a batch', () => {
  const say = async (...args: string[]) => {
    const { out, err, exitCode } = cli(args);
    return { exitCode: await exitCode, out: `${out().join('\n')}\n`, err: err() };
  };

  it('starts nothing on a paused runner, says so, and waits for a resumed batch until it ends again', async () => {
    expect(await say('pause', '--runner', 'local', '--reason', 'new disks')).toMatchObject({ exitCode: 0, err: '' });
    const program = finisher(3);
    const issue = newIssue(world);
    const batch = await submit(world, { train: { issue: issue.number, run: program.run } }, batchName());
    await expect
      .poll(async () => (await say('batch', 'status', batch.id)).out, WAIT)
      .toMatch(/ready +runner local is on hold by api for \d+ s: new disks\n/);
    expect((await say('pause', '--list')).out).toMatch(/\nrunner local +\d+ s +api +new disks\n$/);
    const unknown = await say('pause', '--runner', 'moon');
    expect(unknown).toMatchObject({ exitCode: 2, err: expect.stringContaining('local') });
    expect(await taskOf(world, batch, 'train')).toMatchObject({ runNumber: 0 });

    expect(await say('unpause', '--runner', 'local')).toMatchObject({ exitCode: 0, err: '' });
    expect(await say('unpause', '--runner', 'local')).toMatchObject({ exitCode: 5 });
    await untilRunning(world, batch, 'train');
    const explained = await say('explain', `${REPOSITORY}#${issue.number}`);
    expect(explained).toMatchObject({ exitCode: 0, err: '' });
    expect(explained.out).toContain('\n  closed as completed: ');
    await endProgram(program);
    await expect.poll(async () => (await say('batch', 'status', batch.id)).out, WAIT).toContain('): failed, 1 failed');

    const resumed = say('batch', 'resume', batch.id, '--wait');
    await endProgram(program);
    expect(await resumed).toMatchObject({ exitCode: 1, out: expect.stringContaining('): failed, 1 failed') });
    expect(await taskOf(world, batch, 'train')).toMatchObject({ state: 'failed', runNumber: 2 });
  });
});

describe('the command as a process', () => {
  let dir: string;
  let bundle: string;
  let child: ChildProcess | null = null;

  beforeAll(async () => {
    // Node reads no TypeScript. Below the project, so that the bundle finds its dependencies.
    dir = await mkdtemp(join(fileURLToPath(new URL('../..', import.meta.url)), 'node_modules/.follow-'));
    await writeFile(join(dir, 'package.json'), '{"version":"0.0.0","type":"module"}');
    bundle = await bundleInto(join(dir, 'dist'), fileURLToPath(new URL('../../src/cli.ts', import.meta.url)));
  }, 120_000);

  afterEach(() => void child?.kill('SIGKILL'));
  afterAll(() => rm(dir, { recursive: true, force: true }));

  it('ends following at Ctrl-C with 130, and what runs goes on', async () => {
    const program = sleeper();
    const named = batchName();
    const batch = await submit(world, { train: { run: program.run } }, named);
    await untilRunning(world, batch, 'train');
    await untilAlive(program.word);
    const train = await taskOf(world, batch, 'train');
    const env = { PATH: process.env.PATH ?? '', STANDDOWN_URL: url, STANDDOWN_API_TOKEN: API_TOKEN };
    child = spawn(process.execPath, [bundle, 'batch', 'follow', batch.id], { cwd: dir, env, stdio: 'pipe' });
    const text = { out: '', err: '' };
    child.stdout?.on('data', (chunk) => {
      text.out += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      text.err += chunk;
    });
    const exited = once(child, 'close');
    const told = async () => {
      await rest(world, 'POST', `/tasks/${train.id}/hold`);
      return text.out;
    };
    await expect.poll(told, WAIT).toContain('train: on hold by api');
    child.kill('SIGINT');
    expect(await exited).toEqual([130, null]);
    expect(text.err).toBe(
      `acme/widgets ${named.name} (${batch.id}): running, 1 running\n` +
        `standdown: no longer following the batch ${batch.id}; it goes on\n`,
    );
    await untilAlive(program.word);
    expect(await taskOf(world, batch, 'train')).toMatchObject({ state: 'running' });
  });
});
