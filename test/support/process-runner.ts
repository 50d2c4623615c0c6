/** Directories and options of a process runner under test, and what the contract wants to know of them. */
import { chmodSync, chownSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { JobControl, StartOrder } from '../../src/engine/ports/runner.ts';
import { openProcessRunner, type ProcessRunnerOptions } from '../../src/runners/process/index.ts';
import type { OpenedJobControl } from '../contract/job-control.ts';
import { makeTemporaryDirectory, removeDirectory } from './processes.ts';

export type Level = NonNullable<ProcessRunnerOptions['level']>;
export type RunnerOptions = Omit<ProcessRunnerOptions, 'log' | 'now'> & { root: string };

export const isRoot = process.getuid?.() === 0;
/** Those that a Linux machine for tests must give: `cgroup` needs a group of one's own, which root always has. */
export const LEVELS: readonly Level[] = isRoot ? ['cgroup', 'pidns', 'scan'] : ['pidns', 'scan'];
/** The account `nobody`, by number. */
export const NOBODY = 65_534;
export const BECOME_NOBODY = ['setpriv', '--reuid', String(NOBODY), '--regid', String(NOBODY), '--clear-groups'];
export const SECRET = 'hush-hush-hush';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

export function makeOptions(level: Level, owner: number | null = null): RunnerOptions {
  const base = makeTemporaryDirectory('runner');
  const root = join(base, 'root');
  const dataDir = join(base, 'data');
  for (const dir of [root, join(root, 'below'), dataDir]) mkdirSync(dir);
  symlinkSync('/', join(root, 'leads-out'));
  symlinkSync('../data', join(root, 'leads-beside'));
  writeFileSync(join(root, 'file'), '');
  if (owner !== null) for (const dir of [base, root, join(root, 'below'), dataDir]) chownSync(dir, owner, owner);
  chmodSync(base, 0o755);
  return {
    name: 'local',
    dataDir,
    root,
    passEnv: ['PASSED_ON'],
    maxRunning: 4,
    graceSeconds: 1,
    level,
    processEnv: { PATH: process.env.PATH, HOME: '/tmp', LANG: 'C.UTF-8', PASSED_ON: "it's passed", APP_SECRET: SECRET },
  };
}

export function open(options: RunnerOptions): Promise<JobControl> {
  return openProcessRunner({ ...options, log: silent, now: () => new Date() });
}

export function removeRunner(options: RunnerOptions): void {
  removeDirectory(dirname(options.dataDir));
}

type OfDirectories = Omit<OpenedJobControl, 'close' | 'restart' | 'cutOff'>;

export function underContract(control: JobControl, { root }: RunnerOptions): OfDirectories {
  return {
    control,
    directory: 'below',
    escapes: ['leads-out', 'leads-out/tmp', 'leads-beside', 'below/..', '../data', 'file', root],
    secret: 'APP_SECRET',
    passed: { name: 'PASSED_ON', value: "it's passed" },
  };
}

/** As a disk that is not mounted. */
export async function takeRecordsAway({ dataDir }: RunnerOptions): Promise<() => Promise<void>> {
  const runs = join(dataDir, 'runs');
  renameSync(runs, `${runs}-away`);
  return async () => renameSync(`${runs}-away`, runs);
}

export function orderOf(runId: string, argv: readonly string[], more: Partial<StartOrder> = {}): StartOrder {
  return { runId, taskId: 'task_1', argv, env: {}, envFrom: [], workingDirectory: null, ...more };
}
