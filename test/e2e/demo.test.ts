/** The demo as a process of its own: what it tells, how it ends, and that it leaves nothing behind, however it ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'vite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MARK_VARIABLE } from '../../src/demo/batch.ts';
import { judge, nothingSeen } from '../../src/demo/expectations.ts';
import { endAll, findMarked, type Trace } from '../../src/demo/processes.ts';
import { findByWord } from '../support/processes.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const WAIT = { timeout: 40_000, interval: 20 };

let outDir: string;
let bundle: string;
let demo: Demo;

beforeAll(async () => {
  // Node reads no TypeScript. Below the project, so that the bundle finds its dependencies.
  outDir = await mkdtemp(join(ROOT, 'node_modules/.demo-'));
  bundle = join(outDir, 'bundle', 'demo.mjs');
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: join(ROOT, 'src/demo/index.ts'),
      outDir: join(outDir, 'bundle'),
      target: 'node20',
      rollupOptions: { output: { entryFileNames: 'demo.mjs' } },
    },
  });
}, 60_000);

afterAll(async () => {
  await rm(outDir, { recursive: true, force: true });
});

interface Demo {
  child: ChildProcess;
  /** Its own temporary directory: what is left in it was left behind. */
  temporary: string;
  /** Itself and its runs by their HOME, the runs' supervisors by their directory. */
  trace: Trace;
  text(): string;
  exit: Promise<[code: number | null, signal: string | null]>;
}

async function startDemo(stay = false): Promise<Demo> {
  const temporary = await mkdtemp(join(tmpdir(), 'demo-test-'));
  const script = `const { runDemo } = await import(${JSON.stringify(pathToFileURL(bundle).href)});
    process.exitCode = await runDemo({ stay: ${stay}, out: (line) => void process.stdout.write(line + '\\n') });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: { PATH: process.env.PATH ?? '', TMPDIR: temporary, HOME: temporary },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  const exit = once(child, 'close') as Demo['exit'];
  const trace = { mark: `HOME=${temporary}`, dir: temporary };
  return { child, temporary, trace, text: () => text, exit };
}

afterEach(async () => {
  if (demo.child.exitCode === null) demo.child.kill('SIGKILL');
  await demo.exit;
  await endAll(demo.trace, 10_000);
  await rm(demo.temporary, { recursive: true, force: true });
});

async function expectNothingLeft(): Promise<void> {
  expect([...findMarked(demo.trace.mark), ...findByWord(demo.temporary)]).toEqual([]);
  expect(await readdir(demo.temporary)).toEqual([]);
}

/** Pids of the processes of that task, or of all tasks. */
function runningOf(key: string): number[] {
  const ours = new Set(findMarked(demo.trace.mark));
  return findMarked(`${MARK_VARIABLE}=`).filter((pid) => ours.has(pid) && isOf(pid, key));
}

function isOf(pid: number, key: string): boolean {
  const words = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  return words.some((word) => word.startsWith(`${MARK_VARIABLE}=`) && word.endsWith(`:${key}`));
}

async function untilUnderWay(): Promise<void> {
  await expect.poll(() => demo.text(), WAIT).toContain('Real processes run');
}

// It ends within a minute by itself.
describe('the demo', { timeout: 90_000 }, () => {
  beforeEach(async () => {
    demo = await startDemo();
  });

  it('tells what happens, finds everything as expected, and leaves nothing behind', async () => {
    expect(await demo.exit).toEqual([0, null]);
    const text = demo.text();
    const expected = judge(nothingSeen()).map((expectation) => `✓ ${expectation.text}`);
    for (const line of expected) expect(text).toContain(line);
    expect(text).toContain(`All ${expected.length + 1} expectations held.`);
    expect(text).not.toContain('✗');
    expect(text).toMatch(/closed on GitHub → TERM sent +[\d.]+ m?s/);
    expect(text).toMatch(/│ • train: run 1 was stopped \(TERM, then KILL, gone after [\d.]+ m?s/);
    expect(text).not.toContain('<!--');
    await expectNothingLeft();
  });

  it('cleans up after Ctrl-C', async () => {
    await untilUnderWay();
    expect(runningOf('train').length).toBeGreaterThan(0);
    demo.child.kill('SIGINT');
    expect(await demo.exit).toEqual([130, null]);
    expect(demo.text()).toContain('Interrupted. Every process and file of the demo is gone.');
    await expectNothingLeft();
  });

  it('cleans up in a hurry after Ctrl-C again and again', async () => {
    await untilUnderWay();
    await expect
      .poll(() => {
        demo.child.kill('SIGINT');
        return demo.child.exitCode;
      }, WAIT)
      .toBe(130);
    await expectNothingLeft();
  });

  it('cleans up when nobody reads its output any more', async () => {
    await untilUnderWay();
    demo.child.stdout?.destroy();
    expect(await demo.exit).toEqual([1, null]);
    await expectNothingLeft();
  });

  it('says what was not as expected, with exit code 1', async () => {
    await untilUnderWay();
    for (const pid of runningOf('index')) process.kill(pid, 'SIGKILL');
    expect(await demo.exit).toEqual([1, null]);
    const text = demo.text();
    expect(text).toContain('✗ index was stopped by TERM alone when #3 was closed as not planned');
    expect(text).toContain('✓ train is done, because ann closed #2 as completed');
    expect(text).toContain('The demo did not come to its end: index has failed (run_failed), and was to be cancelled');
    await expectNothingLeft();
  });
});

describe('the demo that stays', { timeout: 90_000 }, () => {
  beforeEach(async () => {
    demo = await startDemo(true);
  });

  it('prints commands that work on it, and leaves nothing behind after Ctrl-C', async () => {
    await expect.poll(() => demo.text(), WAIT).toContain('--data-dir');
    const [, url = '', token = ''] = /export STANDDOWN_URL=(\S+) STANDDOWN_API_TOKEN=(\S+)/.exec(demo.text()) ?? [];
    const [, ann = '', change = '', issue = ''] =
      /"Authorization: (.+?)" -X PATCH -d '(.+?)' (\S+)/.exec(demo.text()) ?? [];
    const [, id = ''] = /batch status (\S+)/.exec(demo.text()) ?? [];
    const ask = async (at: string, authorization: string, more: RequestInit = {}) =>
      (await fetch(at, { ...more, headers: { authorization, connection: 'close' } })).json();
    const stateOf = async (key: string) => {
      const { tasks } = (await ask(`${url}/api/v1/batches/${id}`, `Bearer ${token}`)) as { tasks: Task[] };
      return tasks.find((task) => task.key === key);
    };
    await expect.poll(async () => (await stateOf('train'))?.state, WAIT).toBe('running');
    const [, attended] = /standdown attend --task (\S+) --/.exec(demo.text()) ?? [];
    expect(await stateOf('label')).toMatchObject({ id: attended, state: 'ready' });
    await ask(issue, ann, { method: 'PATCH', body: change });
    await expect.poll(async () => (await stateOf('train'))?.state, WAIT).toBe('cancelled');
    await expect.poll(async () => JSON.stringify(await ask(`${issue}/comments`, ann)), WAIT).toContain('was stopped');
    demo.child.kill('SIGINT');
    expect(await demo.exit).toEqual([130, null]);
    expect(demo.text()).toContain('Interrupted. Every process and file of the demo is gone.');
    await expectNothingLeft();
  });
});

interface Task {
  id: string;
  key: string;
  state: string;
}
