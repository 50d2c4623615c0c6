/** What the records and the living processes tell of a run. Nothing is remembered between two calls, so adopting is nothing. */
import { join } from 'node:path';
import type { Probe } from '../../core/run.ts';
import { cgroup } from './containment/cgroup.ts';
import type { ClaimedRun, Containment, Level } from './containment/level.ts';
import { pidns } from './containment/pidns.ts';
import { scan } from './containment/scan.ts';
import { lastOutputAt } from './log.ts';
import { signalName } from './machine.ts';
import { isAlive, type Snapshot, takeSnapshot } from './proc.ts';
import {
  type Claim,
  type Exit,
  hasBegun,
  isFileName,
  isThere,
  readClaim,
  readExit,
  readWork,
  UnreadableRecord,
  voidRecord,
} from './records.ts';
import { findRemnants } from './remnants.ts';
import { readResultFile } from './result-file.ts';

export const LEVELS: Readonly<Record<Containment, Level>> = { cgroup, pidns, scan };

/** How long a supervisor may tidy up before an exit that it has noted counts without it. */
const TIDY_MS = 3000;

export interface Here {
  runs: string;
  results: string;
  /** Where runs get their control groups; null: they have none. */
  groups: string | null;
  boot: string;
  now: () => Date;
  /** Before then nothing here could be heard of; null: it always could. */
  awakeSince: () => Date | null;
}

export function inspectRuns(here: Here, runIds: readonly string[]): Map<string, Probe> {
  const snapshot = lazily(takeSnapshot);
  return new Map(runIds.map((runId) => [runId, inspectSafely(here, runId, snapshot)]));
}

/** A record that can't be read must not hide the other runs. */
function inspectSafely(here: Here, runId: string, snapshot: () => Snapshot): Probe {
  try {
    return withOwnWord(here, runId, inspectRun(here, runId, snapshot));
  } catch (error) {
    return { state: 'unreadable', problem: (error as Error).message };
  }
}

/** Before it has ended, its program may still be writing. */
function withOwnWord({ results }: Here, runId: string, probe: Probe): Probe {
  if (probe.state !== 'exited' && probe.state !== 'vanished') return probe;
  const said = readResultFile(results, runId);
  return said === null ? probe : { ...probe, said };
}

function inspectRun(here: Here, runId: string, snapshot: () => Snapshot): Probe {
  if (!isFileName(runId)) return { state: 'no_record' };
  const dir = join(here.runs, runId);
  const claim = claimIn(dir);
  if (!isSupervised(claim)) return inspectUnclaimed(here, runId, claim, snapshot);
  const exit = readExit(dir, 'exit', signalName);
  if (exit !== null) return exited(here, runId, { dir, claim, exit }, snapshot);
  return inspectUnfinished(here, runId, dir, claim, snapshot);
}

/** null: none. */
export function claimIn(dir: string): Claim | UnreadableRecord | null {
  try {
    return isThere(dir) ? readClaim(dir) : null;
  } catch (error) {
    if (error instanceof UnreadableRecord) return error;
    throw error;
  }
}

export function isSupervised(claim: ReturnType<typeof claimIn>): claim is Supervised {
  return claim !== null && 'by' in claim && claim.by === 'supervisor';
}

/** Records can be lost or garbled while their run lives, by its own doing too: before it counts as gone it is looked for. */
function inspectUnclaimed(
  here: Here,
  runId: string,
  claim: { by: 'nobody' } | UnreadableRecord | null,
  snapshot: () => Snapshot,
): Probe {
  const dir = join(here.runs, runId);
  const lost = hasBegun(dir);
  const { pids, supervised } = findRemnants(here, runId, snapshot());
  const exit = lost ? readExit(dir, 'exit', signalName) : null;
  if (exit !== null) {
    return { ...endOf(exit), state: 'exited', startedAt: null, survivors: [...pids], containment: 'scan' };
  }
  if (pids.size > 0 || (lost && supervised)) {
    return { state: 'running', startedAt: here.now(), lastOutputAt: silentFrom(here, dir), containment: 'scan' };
  }
  if (lost) return { state: 'vanished', startedAt: null, survivors: [] };
  if (claim instanceof UnreadableRecord) throw claim;
  if (claim !== null) return { state: 'voided' };
  return { state: isThere(dir) ? 'unclaimed' : 'no_record' };
}

type Supervised = Extract<Claim, { by: 'supervisor' }>;

function inspectUnfinished(here: Here, runId: string, dir: string, claim: Supervised, snapshot: () => Snapshot): Probe {
  const noted = readExit(dir, 'ended', signalName);
  const supervised = isAlive(claim.supervisor, here.boot);
  const overdue = noted !== null && here.now().getTime() - noted.at.getTime() > TIDY_MS;
  if (noted !== null && (overdue || !supervised)) return exited(here, runId, { dir, claim, exit: noted }, snapshot);
  if (supervised || isWorkAlive(here, runId, dir, claim, snapshot)) return running(here, dir, claim);
  // The supervisor may have recorded the exit, and ended, between the two looks.
  const exit = readExit(dir, 'exit', signalName) ?? readExit(dir, 'ended', signalName);
  if (exit !== null) return exited(here, runId, { dir, claim, exit }, snapshot);
  // A record may name another process than the one that lives.
  const survivors = [...findRemnants(here, runId, snapshot()).pids];
  return { state: 'vanished', startedAt: claim.at, survivors };
}

/**
 * Without a supervisor. A first process that has not recorded itself could still begin: the record is taken from it, so that
 * "vanished" stays true.
 */
function isWorkAlive(here: Here, runId: string, dir: string, claim: Supervised, snapshot: () => Snapshot): boolean {
  if (readWork(dir) === null) voidRecord(dir, 'work');
  return membersOf(here, claimedRun(here, runId, dir, claim), LEVELS[claim.level], snapshot).length > 0;
}

/** Without a record of its first process, which it may have removed, a run has only what its processes carry. */
export function membersOf(here: Here, run: ClaimedRun, level: Level, snapshot: () => Snapshot): readonly number[] {
  const members = level.members(run, snapshot);
  return run.work !== null || members.length > 0 ? members : [...findRemnants(here, run.runId, snapshot()).pids];
}

function running(here: Here, dir: string, claim: Supervised): Probe {
  return { state: 'running', startedAt: claim.at, lastOutputAt: silentFrom(here, dir), containment: claim.level };
}

/** As if it had said something when its machine woke: what it did not say while that stood still is no silence. */
function silentFrom({ awakeSince }: Here, dir: string): Date | null {
  const [since, said] = [awakeSince(), lastOutputAt(dir)];
  return since !== null && (said === null || said < since) ? since : said;
}

function exited(
  here: Here,
  runId: string,
  { dir, claim, exit }: { dir: string; claim: Supervised; exit: Exit },
  snapshot: () => Snapshot,
): Probe {
  const survivors = membersOf(here, claimedRun(here, runId, dir, claim), LEVELS[claim.level], snapshot);
  return { ...endOf(exit), state: 'exited', startedAt: claim.at, survivors, containment: claim.level };
}

function endOf({ at, ...end }: Exit): Omit<Exit, 'at'> & { endedAt: Date } {
  return { ...end, endedAt: at };
}

export function claimedRun(here: Here, runId: string, dir: string, claim: Supervised): ClaimedRun {
  const work = readWork(dir);
  const { supervisor, cgroup: group } = claim;
  return { runId, dir, boot: here.boot, supervisor, work: work === 'nobody' ? null : work, cgroup: group };
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
