/**
 * Job control of this machine. Every run has a supervisor that outlives the app, and a directory that says everything about
 * it; what is kept in memory here are hints. So an app that was killed and started again goes on where it was.
 */
import { existsSync, readdirSync, rmdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock, Logger } from '../../engine/ports/environment.ts';
import { type JobControl, RunnerUnreachable } from '../../engine/ports/runner.ts';
import { cancelRun } from './cancel.ts';
import { PROBE_PREFIX } from './containment/probe.ts';
import { supervisorEnvironment } from './environment.ts';
import { forgetRun, removeForgotten } from './forget.ts';
import { makeHints } from './hints.ts';
import { type Here, inspectRuns } from './inspect.ts';
import { readLogTail } from './log.ts';
import { exploreMachine, type MachineOptions } from './machine.ts';
import { isFileName } from './records.ts';
import { secretsOf } from './redact.ts';
import { removeStrayResults } from './result-file.ts';
import { watchSleep } from './sleep.ts';
import { startRun } from './start.ts';
import { makeWorkspaces } from './workspaces.ts';

export { lockDataDirectory } from './data-lock.ts';

export interface ProcessRunnerOptions extends MachineOptions {
  /** null: no limit of its own. */
  maxRunning: number | null;
  graceSeconds: number;
  log: Logger;
  now: Clock;
}

/**
 * Several may be opened on one data directory, by whoever has its lock (`lockDataDirectory`). `root` defaults to the data directory, `logLimitBytes` to 10 MiB, `level` to the best that this machine really gives.
 * Throws one error that names the runner and what is missing.
 */
export async function openProcessRunner(options: ProcessRunnerOptions): Promise<JobControl> {
  const machine = await exploreMachine(options);
  const { runs, results } = machine.places;
  const awakeSince = watchSleep(options.now);
  const here: Here = { runs, results, groups: machine.groups, boot: machine.boot, now: options.now, awakeSince };
  const workspaces = makeWorkspaces(machine.places, {
    env: supervisorEnvironment(options.processEnv),
    log: options.log,
  });
  const hints = makeHints(runs);
  const secrets = secretsOf(machine.environment);
  await removeForgotten(runs);
  await removeStrayResults(machine.places);
  workspaces.goOn();
  for (const runId of unfinished(runs)) hints.watchRun(runId);
  removeEmptyGroups(machine.groups, here);
  const profile = {
    kind: 'process',
    containment: machine.level,
    graceSeconds: options.graceSeconds,
    maxRunning: options.maxRunning,
    passEnv: options.passEnv,
    notes: machine.notes,
  };
  options.log.info({ runner: options.name, containment: machine.level, notes: machine.notes }, 'process runner opened');
  return {
    profile,
    start: (order) =>
      answering(here, async () => {
        const result = await startRun(machine, order, () => hints.ended(order.runId));
        if (result.result === 'started') hints.watchRun(order.runId);
        return result;
      }),
    inspect: (runIds) => answering(here, async () => inspectRuns(here, runIds)),
    cancel: (runId, mode) => answering(here, () => cancelRun(here, runId, mode)),
    list: () => answering(here, async () => readdirSync(runs).filter(isFileName)),
    log: (runId, bytes) =>
      answering(here, async () => (isFileName(runId) ? readLogTail(join(runs, runId), bytes, secrets) : '')),
    forget: (runId) =>
      answering(here, async () => {
        if (!(await forgetRun(here, runId))) return false;
        hints.forget(runId);
        if (machine.groups !== null) removeGroup(join(machine.groups, runId));
        return true;
      }),
    workspaces: () => answering(here, async () => workspaces.list()),
    removeWorkspace: (taskId) => answering(here, async () => workspaces.remove(taskId)),
    onHint: hints.subscribe,
    close: async () => {
      hints.close();
      removeEmptyGroups(machine.groups, here);
      // It stays while a run is in it.
      if (machine.groups !== null) removeGroup(machine.groups);
    },
  };
}

/**
 * Whatever goes wrong here is no answer, never "no such run": above all a data directory that is away, such as a disk that is
 * not mounted. Runs the call at once, so that a cancel's first signal waits for nothing.
 */
async function answering<T>({ runs }: Here, call: () => Promise<T>): Promise<T> {
  try {
    statSync(runs);
    return await call();
  } catch (error) {
    if (error instanceof RunnerUnreachable) throw error;
    throw new RunnerUnreachable((error as Error).message, { cause: error });
  }
}

function unfinished(runs: string): string[] {
  return readdirSync(runs).filter((id) => existsSync(join(runs, id, 'claim')) && !existsSync(join(runs, id, 'exit')));
}

/** Left behind where a supervisor was killed. A run that may still begin needs its own. */
function removeEmptyGroups(groups: string | null, here: Here): void {
  if (groups === null) return;
  const ids = directoriesIn(groups).filter((name) => !name.startsWith(PROBE_PREFIX));
  for (const [runId, { state }] of inspectRuns(here, ids)) {
    if (state === 'exited' || state === 'vanished' || state === 'voided') removeGroup(join(groups, runId));
  }
}

function directoriesIn(dir: string): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
}

function removeGroup(group: string): void {
  try {
    rmdirSync(group);
  } catch {
    // Not empty, or gone.
  }
}
