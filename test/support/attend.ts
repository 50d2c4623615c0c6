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
  type(text: string): void;
  out(): string;
  err(): string;
  /** The exit code, or the signal. Resolves where nobody holds its output any more. */
  done: Promise<number | string>;
}

interface CliPlace {
  cli: string;
  dir: string;
}

export interface AttendPlace extends CliPlace {
  github: StandInGitHub;
  token: string;
}

/** Of an app. */
export interface TaskPlace extends CliPlace {
  url: string;
  token: string;
}

export function attend(place: AttendPlace, args: readonly string[]): Attending {
  return run(place, envOf(place), [process.execPath, place.cli, 'attend', ...args]);
}

/** As the work of a task. */
export function attendTask(place: TaskPlace, args: readonly string[]): Attending {
  const env = { STANDDOWN_URL: place.url, STANDDOWN_API_TOKEN: place.token };
  return run(place, env, [process.execPath, place.cli, 'attend', ...args]);
}

/** What else of the environment is Standdown's own alone, beside the token. */
const ATTEND_SECRETS = [
  ...['PRIVATE_KEY', 'WEBHOOK_SECRET', 'WEBHOOK_PROXY_URL', 'DATABASE_URL'],
  ...['STANDDOWN_API_TOKEN', 'STANDDOWN_AGENT_TOKEN'],
];

/** The same at a terminal of its own, which takes what is written to the child's standard input as typed. */
export function attendAtTerminal(place: AttendPlace, args: readonly string[]): Attending {
  const line = [process.execPath, place.cli, 'attend', ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  return run(place, envOf(place), ['script', '-qefc', `exec ${line.join(' ')}`, '/dev/null']);
}

function envOf({ github, token }: AttendPlace): Record<string, string> {
  return { GITHUB_TOKEN: token, GHE_HOST: github.host, GHE_PROTOCOL: 'http' };
}

function run({ dir }: CliPlace, env: Record<string, string>, [program = '', ...args]: readonly string[]): Attending {
  const { PATH = '' } = process.env;
  const secrets = Object.fromEntries(ATTEND_SECRETS.map((name) => [name, 'a-secret-of-the-app']));
  const child = spawn(program, args, {
    cwd: dir,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH, ...secrets, ...env, OWN: 'kept' },
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
  return {
    pid: child.pid ?? 0,
    child,
    type: (text) => void child.stdin.write(text),
    out: () => out,
    err: () => err,
    done,
  };
}
