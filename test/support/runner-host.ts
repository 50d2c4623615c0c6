/** Process runners that live in a process of their own: under another account, or to be killed and started again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type JobControl, type RunnerProfile, RunnerUnreachable } from '../../src/engine/ports/runner.ts';
import type { ProcessRunnerOptions } from '../../src/runners/process/index.ts';
import { bundleInto } from './bundle.ts';
import { makeTemporaryDirectory } from './processes.ts';

const ENTRY = fileURLToPath(new URL('../fixtures/processes/runner-host.ts', import.meta.url));

/** Node reads no TypeScript: the host is bundled once per test file. The directory is the caller's to remove. */
export async function bundleHost(): Promise<string> {
  const outDir = makeTemporaryDirectory('host');
  chmodSync(outDir, 0o755);
  await bundleInto(outDir, ENTRY);
  return outDir;
}

export interface Host {
  control: JobControl;
  pid: number;
  /** As a crash would. */
  kill(): Promise<void>;
}

export interface HostOptions {
  dir: string;
  /** Words before `node`, e.g. to become somebody else. */
  prefix?: readonly string[];
  env?: NodeJS.ProcessEnv;
  runner: Omit<ProcessRunnerOptions, 'log' | 'now'>;
}

export async function openHost({ dir, prefix = [], env, runner }: HostOptions): Promise<Host> {
  const [command = '', ...args] = [...prefix, process.execPath, join(dir, 'runner-host.mjs')];
  const child = spawn(command, args, {
    cwd: '/',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
    env: env ?? process.env,
  });
  const call = makeCaller(child);
  const end = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  try {
    const profile = (await call('open', [runner])) as RunnerProfile;
    return { control: remoteControl(child, call, profile, end), pid: child.pid ?? 0, kill: end };
  } catch (error) {
    await end();
    throw error;
  }
}

type Call = (method: string, args: readonly unknown[]) => Promise<unknown>;
type Answer = { id?: number; value?: unknown; error?: { name: string; message: string } };

function makeCaller(child: ChildProcess): Call {
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let last = 0;
  child.on('message', ({ id, value, error }: Answer) => {
    const call = id === undefined ? undefined : waiting.get(id);
    if (error?.name === 'RunnerUnreachable') call?.reject(new RunnerUnreachable(error.message));
    else if (error !== undefined) call?.reject(new Error(error.message));
    else call?.resolve(value);
  });
  child.on('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('the host is gone'));
  });
  return (method, args) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      child.send({ id: last, method, args });
    });
}

function remoteControl(child: ChildProcess, call: Call, profile: RunnerProfile, end: () => Promise<void>): JobControl {
  return {
    profile,
    start: (order) => call('start', [order]) as ReturnType<JobControl['start']>,
    inspect: (runIds) => call('inspect', [runIds]) as ReturnType<JobControl['inspect']>,
    cancel: (runId, mode) => call('cancel', [runId, mode]) as ReturnType<JobControl['cancel']>,
    list: () => call('list', []) as ReturnType<JobControl['list']>,
    log: (runId, bytes) => call('log', [runId, bytes]) as ReturnType<JobControl['log']>,
    onHint(listener) {
      const hear = ({ hint }: { hint?: string }): void => {
        if (hint !== undefined) listener(hint);
      };
      child.on('message', hear);
      return () => child.off('message', hear);
    },
    async close() {
      await call('close', []);
      await end();
    },
  };
}
