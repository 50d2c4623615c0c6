/**
 * A control group (version 2) of the run's own, and the groups that the run made in it. A process is in it from before its
 * program begins, and so is all that it starts; `cgroup.kill` reaches every member at once, also while they fork.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { signalPid, throwIfShort } from '../proc.ts';
import type { ClaimedRun, Level } from './level.ts';

export const cgroup: Level = {
  members(run) {
    const dir = groupOf(run);
    return dir === null ? [] : processesIn(dir);
  },
  term(run) {
    const pids = cgroup.members(run, () => new Map());
    for (const pid of pids) signalPid(pid, 'SIGTERM');
    // A stopped process would keep its TERM until somebody lets it go on.
    for (const pid of pids) signalPid(pid, 'SIGCONT');
    return pids.length > 0;
  },
  kill(run) {
    const dir = groupOf(run);
    if (dir !== null) killGroup(dir);
  },
};

/** The group's name holds the run's id, so no other run's group is ever taken for it; a reboot empties all groups. */
function groupOf(run: ClaimedRun): string | null {
  const ours = run.cgroup !== null && basename(run.cgroup) === run.runId && run.supervisor.boot === run.boot;
  return ours ? run.cgroup : null;
}

export function killGroup(dir: string): void {
  try {
    writeFileSync(join(dir, 'cgroup.kill'), '1');
  } catch (error) {
    throwIfShort(error);
    // It was removed since: it was empty.
  }
}

export function processesIn(dir: string): number[] {
  try {
    const own = readFileSync(join(dir, 'cgroup.procs'), 'latin1').split('\n').map(Number);
    const below = readdirSync(dir, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    // A member of another pid namespace is listed as 0.
    return [...own.filter((pid) => pid > 0), ...below.flatMap((entry) => processesIn(join(dir, entry.name)))];
  } catch (error) {
    throwIfShort(error);
    return [];
  }
}
