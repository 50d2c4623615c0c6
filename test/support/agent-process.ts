/** Agents in processes of their own, to be killed and started again. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { AgentFlags } from '../../src/app/agent/config.ts';
import { AGENT_TOKEN } from './agent.ts';
import { bundleInto } from './bundle.ts';
import { makeTemporaryDirectory } from './processes.ts';

const ENTRY = fileURLToPath(new URL('../fixtures/agent/agent.ts', import.meta.url));

/** Bundled once per test file. The directory is the caller's to remove. */
export async function bundleAgent(): Promise<{ dir: string; bundle: string }> {
  const dir = makeTemporaryDirectory('agent');
  chmodSync(dir, 0o755);
  return { dir, bundle: await bundleInto(dir, ENTRY) };
}

export interface AgentProcess {
  url: string;
  pid: number;
  /** Lines of its log. */
  log: readonly Readonly<Record<string, unknown>>[];
  /** As `kill -9` would. */
  kill(): Promise<void>;
}

export interface AgentProcessOptions {
  bundle: string;
  flags: Partial<AgentFlags> & { dataDir: string };
  /** Words before `node`, e.g. to become somebody else. */
  prefix?: readonly string[];
  env?: Readonly<Record<string, string>>;
}

/** Resolves once it listens. The same address again where `flags.listen` says so. */
export async function startAgentProcess({
  bundle,
  flags,
  prefix = [],
  env = {},
}: AgentProcessOptions): Promise<AgentProcess> {
  const options = JSON.stringify({ listen: '127.0.0.1:0', ...flags });
  const [command = '', ...args] = [...prefix, process.execPath, bundle, options];
  const child = spawn(command, args, {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { PATH: process.env.PATH ?? '', HOME: '/tmp', STANDDOWN_AGENT_TOKEN: AGENT_TOKEN, ...env },
  });
  const exited = once(child, 'exit');
  const log: Record<string, unknown>[] = [];
  const listening = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout as Readable }).on('line', (text) => {
      const line = JSON.parse(text) as Record<string, unknown>;
      log.push(line);
      if (line.msg === 'listening') resolve(String(line.url));
    });
  });
  const url = await Promise.race([listening, exited.then(() => null)]);
  if (url === null) throw new Error(`the agent did not start: ${JSON.stringify(log)}`);
  return {
    url,
    pid: child.pid ?? 0,
    log,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** For `listen`: where it was. */
export function addressOf({ url }: Pick<AgentProcess, 'url'>): string {
  return new URL(url).host;
}
