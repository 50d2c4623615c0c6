/** `standdown attend` as people start it: the real command line in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StandInGitHub } from '../../src/demo/github/index.ts';
import { bundleInto } from './bundle.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The directory is the caller's to remove. */
export async function bundleCli(): Promise<{ dir: string; cli: string }> {
  const dir = await mkdtemp(join(root, 'node_modules/.attend-'));
  // Where the command looks for its own version.
  await writeFile(join(dir, 'package.json'), '{"version":"0.0.0","type":"module"}');
  return { dir, cli: await bundleInto(join(dir, 'dist'), join(root, 'src/cli.ts')) };
}

export interface Attending {
  pid: number;
  child: ChildProcess;
  out(): string;
  err(): string;
  /** The exit code, or the signal. Resolves where nobody holds its output any more. */
  done: Promise<number | string>;
}

export interface AttendPlace {
  cli: string;
  dir: string;
  github: StandInGitHub;
  token: string;
}

export function attend({ cli, dir, github, token }: AttendPlace, args: readonly string[]): Attending {
  const child = spawn(process.execPath, [cli, 'attend', ...args], {
    cwd: dir,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH ?? '',
      GITHUB_TOKEN: token,
      GHE_HOST: github.host,
      GHE_PROTOCOL: 'http',
      OWN: 'kept',
    },
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  const done = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  return { pid: child.pid ?? 0, child, out: () => out, err: () => err, done };
}
