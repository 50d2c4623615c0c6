#!/usr/bin/env node
/** The `standdown` command: reads the world, runs one command, exits with its code. What only one command needs is loaded by it. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { runCli } from './cli/index.ts';

// What a person's own command gets: the file is not for it.
const inherited = { ...process.env };
// Values of the environment win over those of the file.
if (existsSync('.env')) process.loadEnvFile('.env');
const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const out = (line: string) => void process.stdout.write(`${line}\n`);

process.exitCode = await runCli(process.argv.slice(2), {
  version,
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  onInterrupt: (stop) => {
    process.once('SIGINT', stop);
    return () => void process.off('SIGINT', stop);
  },
  readInput: (path) => (path === '-' ? text(process.stdin) : readFile(path, 'utf8')),
  serve: async () => (await import('./main.ts')).serve(process.env),
  demo: async (options) => (await import('./demo/index.ts')).runDemo({ out, ...options }),
  agent: async (flags) => (await import('./app/agent/run.ts')).runAgent(flags, process.env, version),
  attend: async (order, tell) => {
    // A terminal that is gone must not end the one that watches.
    process.stderr.on('error', () => {});
    return (await import('./app/attend/index.ts')).runAttend(order, { env: process.env, inherited, tell });
  },
  migrate: async () => (await import('./main.ts')).runMigrate(process.env),
});
