// Makes the two Prisma clients, offline. Skipped while they are newer than what they are made from.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { PROVIDERS, twinPath } from './schema-twins.mjs';

const require = createRequire(import.meta.url);

export async function generateClients() {
  for (const provider of PROVIDERS) {
    const output = new URL(`../src/store/generated/${provider}/`, import.meta.url);
    const stamp = new URL('.stamp', output);
    const wanted = await fingerprint(provider);
    if ((await readFile(stamp, 'utf8').catch(() => null)) === wanted) continue;
    await rm(output, { recursive: true, force: true });
    await generate(provider);
    await mkdir(output, { recursive: true });
    await writeFile(stamp, wanted);
  }
}

async function fingerprint(provider) {
  const { version } = require('prisma/package.json');
  return createHash('sha256')
    .update(version)
    .update(await readFile(twinPath(provider)))
    .digest('hex');
}

function generate(provider) {
  const cli = require.resolve('prisma/build/index.js');
  const args = [cli, 'generate', '--schema', fileURLToPath(twinPath(provider))];
  // The command looks for its schema engine, which it never runs here: without a path it would try to download one.
  const env = {
    ...process.env,
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    CHECKPOINT_DISABLE: '1',
  };
  return run(process.execPath, args, env);
}

/** Quiet while it works; shows everything when it fails. */
export function run(command, args, env = process.env) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) return resolve();
      console.error(output);
      reject(new Error(`${args.join(' ')} ended with ${code}`));
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await generateClients();
