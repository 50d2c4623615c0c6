/** The real app in a process of its own, so that it can be killed and started again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { bundleInto } from './bundle.ts';

const ENTRY = fileURLToPath(new URL('../fixtures/crash/app.ts', import.meta.url));

export function bundleApp(outDir: string): Promise<string> {
  return bundleInto(outDir, ENTRY);
}

export interface AppProcess {
  url: string;
  pid: number;
  /** Resolves once the process counts its steps from 1 again. */
  dieAt(step: number): Promise<void>;
  /** It will not die by itself any more; false if it has already. */
  disarm(): Promise<boolean>;
  /** The step that it died at; null while it lives. */
  diedAt(): string | null;
  alive(): boolean;
  /** As `kill -9` would. */
  kill(): Promise<void>;
}

/** It lives for a second or two: a third of its work would be to compile Prisma's WebAssembly a second time, as faster code. */
const FLAGS = ['--liftoff-only'];

export async function startAppProcess(bundle: string, env: Record<string, string>): Promise<AppProcess> {
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
  const options = { env: { PATH: process.env.PATH ?? '', ...env }, stdio: [...stdio] };
  const child = spawn(process.execPath, [...FLAGS, bundle], options);
  const exited = once(child, 'exit');
  let died: string | null = null;
  child.on('message', (message: { died?: string }) => {
    if (message.died !== undefined) died = message.died;
  });
  const url = await Promise.race([messageOf(child, 'url'), exited.then(() => null)]);
  if (typeof url !== 'string') throw new Error('the app did not start');
  // Whoever dies between two lines of ours answers no message, and takes none.
  const arm = (dieAt: number): Promise<boolean> => {
    const armed = messageOf(child, 'armed').then(() => true);
    child.send({ dieAt }, () => {});
    return Promise.race([armed, exited.then(() => false)]);
  };
  return {
    url,
    pid: child.pid ?? 0,
    async dieAt(step) {
      if (!(await arm(step))) throw new Error('the app is dead');
    },
    disarm: () => arm(Number.MAX_SAFE_INTEGER),
    diedAt: () => died,
    alive: () => child.exitCode === null && child.signalCode === null,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function messageOf(child: ChildProcess, key: string): Promise<unknown> {
  return new Promise((resolve) => {
    child.on('message', function look(message: Record<string, unknown>) {
      if (!(key in message)) return;
      child.off('message', look);
      resolve(message[key]);
    });
  });
}
