/** Starts one run: everything that can be refused is refused here, then a supervisor is started and heard to have claimed it. */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Duplex, Readable } from 'node:stream';
import { RunnerUnreachable, type StartOrder, type StartResult } from '../../engine/ports/runner.ts';
import { limitProcesses } from './containment/probe.ts';
import { environmentOf, environmentText, problemOfEnvironment, supervisorEnvironment } from './environment.ts';
import type { Machine } from './machine.ts';
import { findProgram } from './program.ts';
import { isFileName, readClaim } from './records.ts';
import { makeResultFile } from './result-file.ts';
import { HANDED_ON, SUPERVISOR } from './supervisor-script.ts';
import { resolveDirectory } from './working-directory.ts';

/** How long a supervisor may take to say that it has claimed its run. */
const CLAIM_MS = 15_000;
/** A bound on what one run can take of the machine's process numbers, where a cgroup can hold it to that. */
const PROCESSES_PER_RUN = 8192;

interface Prepared {
  program: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
}

export async function startRun(machine: Machine, order: StartOrder, onEnd: () => void): Promise<StartResult> {
  if (!isFileName(order.runId)) return refused(`${JSON.stringify(order.runId)} can't be the id of a run`);
  const dir = join(machine.places.runs, order.runId);
  const earlier = claimed(dir);
  if (earlier !== null) return earlier;
  const prepared = prepare(machine, order, dir);
  if ('problem' in prepared) return refused(prepared.problem);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  makeResultFile(machine.places, order.runId);
  const group = makeGroup(machine, order.runId);
  const problem = await supervise(machine, { order, dir, group, prepared, onEnd });
  // It was heard to have claimed the run, whatever that has made of its records since.
  if (problem === null) return { result: 'started' };
  const result = claimed(dir);
  if (result !== null) return result;
  if (problem === 'E2BIG') return refused('the command and its arguments are too long for this machine');
  throw new RunnerUnreachable(`the supervisor of ${order.runId} did not claim it: ${problem}`);
}

function claimed(dir: string): StartResult | null {
  const claim = readClaim(dir);
  if (claim === null) return null;
  return { result: claim.by === 'nobody' ? 'voided' : 'started' };
}

function prepare(machine: Machine, order: StartOrder, dir: string): Prepared | { problem: string } {
  const [name, ...args] = order.argv;
  if (name === undefined) return { problem: 'the command is empty' };
  if (order.argv.some((word) => word.includes('\0'))) return { problem: 'the command holds a NUL character' };
  const own = { records: dir, result: join(machine.places.results, order.runId) };
  const env = environmentOf(order, own, machine.environment);
  const wrong = problemOfEnvironment(env);
  if (wrong !== null) return { problem: wrong };
  const directory = resolveDirectory(machine.places, order.taskId, order.workingDirectory);
  if ('problem' in directory) return directory;
  const program = findProgram(name, env.PATH ?? '', directory.path);
  if ('problem' in program) return program;
  return { program: [program.path, ...args], cwd: directory.path, env };
}

function refused(reason: string): StartResult {
  return { result: 'refused', reason };
}

/** The run's own group, empty if it has none. */
function makeGroup({ level, groups }: Machine, runId: string): string {
  if (level !== 'cgroup' || groups === null) return '';
  const group = join(groups, runId);
  mkdirSync(group, { recursive: true });
  limitProcesses(group, PROCESSES_PER_RUN);
  return group;
}

interface Supervision {
  order: StartOrder;
  dir: string;
  group: string;
  prepared: Prepared;
  onEnd: () => void;
}

/** Resolves when the supervisor has claimed the run (null), or says why it can't be told. */
function supervise(machine: Machine, supervision: Supervision): Promise<string | null> {
  const { order, dir, prepared, onEnd } = supervision;
  const stderr = openSync(join(dir, 'supervisor.log'), 'a', 0o600);
  return new Promise((resolve) => {
    try {
      const child = spawn('sh', supervisorWords(machine, supervision), {
        cwd: '/',
        detached: true,
        env: supervisorEnvironment(machine.environment.processEnv),
        stdio: ['ignore', 'pipe', stderr, 'pipe'],
      });
      const answer = child.stdout as Readable;
      const environment = child.stdio[3] as Duplex;
      const timer = setTimeout(() => settle('it gave no answer in time'), CLAIM_MS);
      const settle = (problem: string | null): void => {
        clearTimeout(timer);
        answer.destroy();
        environment.destroy();
        resolve(problem);
      };
      child.once('error', (error: NodeJS.ErrnoException) => settle(error.code ?? error.message));
      child.once('exit', onEnd);
      child.unref();
      answer.once('data', () => settle(null));
      answer.once('close', () => settle('it ended'));
      // A supervisor that has lost, or is gone, reads no more.
      environment.on('error', () => {});
      environment.end(environmentText(prepared.env, order.runId));
    } catch (error) {
      resolve((error as NodeJS.ErrnoException).code ?? String(error));
    } finally {
      closeSync(stderr);
    }
  });
}

/** In the order that the script takes them. */
function supervisorWords(machine: Machine, { order, dir, group, prepared }: Supervision): string[] {
  const { account } = machine.places;
  const owner = account === null ? '' : `${account.uid}:${account.gid}`;
  const { segment, block, reads } = machine.log;
  return [
    ...['-c', SUPERVISOR, 'standdown-supervisor'],
    ...[dir, order.runId, machine.level, group, prepared.cwd, machine.become.join(' '), owner],
    ...[machine.shellTellsSignals ? '1' : '', machine.namespace ?? ''],
    ...[segment, block, reads].map(String),
    ...HANDED_ON,
    ...prepared.program,
  ];
}
