// `standdown agent` as a process of its own, on a machine that gives no better containment than the one that is measured.
import { spawn } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openAgentRunner } from '../../dist/runners/agent/index.js';
import { endOf, talkTo } from './child.mjs';
import { SILENT } from './silent.mjs';

/** More than the app's 10 s: what takes longer shall be told, not fail. */
const ANSWER_MS = 120_000;
const TOKEN = 'a-token-for-the-benchmark';
const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const WITNESS = new URL('../processes/agent-witness.mjs', import.meta.url).href;

/** The option that says which level an agent takes does not exist: it takes the best. So the others are taken from its sight. */
const WITHOUT_CGROUPS = `while read -r _ _ _ _ place rest; do
  case $rest in *' - cgroup2 '*) umount -l "$place" ;; esac
done </proc/self/mountinfo
exec "$@"`;
const NO_UNSHARE = '#!/bin/sh\necho "taken away for a measurement" >&2\nexit 1\n';

/**
 * @param {{ dir: string, dataDir: string, level?: string, best?: string }} options `dir` is for what this needs itself; `best` is the
 *   best level of this machine, and default of `level`
 */
export async function startAgent({ dir, dataDir, level, best }) {
  const hides = level !== undefined && level !== best;
  const path = level === 'scan' ? `${await hideUnshare(dir)}:${process.env.PATH}` : process.env.PATH;
  const words = [process.execPath, '--import', WITNESS, CLI, 'agent', '--listen', '127.0.0.1:0', '--data-dir', dataDir];
  const prefix = hides && best === 'cgroup' ? ['unshare', '--mount', 'sh', '-c', WITHOUT_CGROUPS, 'sh'] : [];
  const [program, ...args] = [...prefix, 'env', `PATH=${path}`, ...words];
  const child = spawn(program, args, {
    cwd: dir,
    env: { PATH: process.env.PATH, HOME: dir, STANDDOWN_AGENT_TOKEN: TOKEN },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const { ask, exited } = talkTo(child, 'the agent');
  const url = await Promise.race([listening(child), exited.then(() => null)]);
  if (url === null) throw new Error('the agent ended instead of starting');
  return {
    url,
    pid: child.pid,
    ask,
    async close() {
      child.kill('SIGTERM');
      await endOf(child, exited);
    },
  };
}

async function hideUnshare(dir) {
  const hiding = join(dir, 'hiding');
  await mkdir(hiding, { recursive: true });
  await writeFile(join(hiding, 'unshare'), NO_UNSHARE);
  await chmod(join(hiding, 'unshare'), 0o755);
  return hiding;
}

/** Reads on afterwards: a log that nobody reads would hold the agent up. */
function listening(child) {
  return new Promise((resolve) => {
    createInterface({ input: child.stdout }).on('line', (text) => {
      const { msg, url } = JSON.parse(text);
      if (msg === 'listening') resolve(url);
    });
  });
}

/** Job control by that agent, as the app has it. */
export function openByAgent({ url }) {
  return openAgentRunner({
    ...{ name: 'lab', url, token: TOKEN, passEnv: [], maxRunning: null, graceSeconds: 0 },
    ...{ log: SILENT, now: () => new Date(), answerMs: ANSWER_MS },
  });
}
