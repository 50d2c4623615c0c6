/** Void, TERM and KILL. Between the call and the first signal stand a few short file reads, no `await` and no new process. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClaimedRun, Level } from './containment/level.ts';
import { claimedRun, claimIn, type Here, inspectRuns, isSupervised, LEVELS } from './inspect.ts';
import { isAlive, signalExactly, takeSnapshot } from './proc.ts';
import { type Claim, isFileName, readClaim, readWork, UnreadableRecord, voidRecord } from './records.ts';
import { endRemnants, findRemnants } from './remnants.ts';

const KILL_MS = 2000;
const EMPTY_PASSES = 3;

export type CancelResult = 'accepted' | 'already_ended' | 'no_record';

export async function cancelRun(here: Here, runId: string, mode: 'void' | 'term' | 'kill'): Promise<CancelResult> {
  if (!isFileName(runId)) return 'no_record';
  const dir = join(here.runs, runId);
  if (mode === 'void') return voidStart(dir);
  const claim = claimIn(dir);
  if (!isSupervised(claim)) return cancelUnclaimed(here, runId, claim, mode);
  // Claimed, and no process yet: the one that is about to begin finds its place taken. Unless it had only lost its record.
  if (readWork(dir) === null && voidRecord(dir, 'work')) {
    await reachRemnants(here, runId, mode, isAlive(claim.supervisor, here.boot));
    return 'accepted';
  }
  const run = claimedRun(here, runId, dir, claim);
  const level = LEVELS[claim.level];
  const reached = mode === 'term' ? level.term(run) : await killClaimed(run, level);
  if (reached || (await reachRemnants(here, runId, mode))) return 'accepted';
  const state = inspectRuns(here, [runId]).get(runId)?.state;
  return state === 'exited' || state === 'vanished' ? 'already_ended' : 'accepted';
}

function voidStart(dir: string): CancelResult {
  if (voidRecord(dir, 'claim')) return 'accepted';
  return readClaim(dir)?.by === 'nobody' ? 'accepted' : 'already_ended';
}

async function cancelUnclaimed(
  here: Here,
  runId: string,
  claim: Claim | UnreadableRecord | null,
  mode: 'term' | 'kill',
): Promise<CancelResult> {
  if (await reachRemnants(here, runId, mode)) return 'accepted';
  if (claim instanceof UnreadableRecord) throw claim;
  return claim === null ? 'no_record' : 'already_ended';
}

/** Says whether there was anything to reach. A supervisor on record is spared: it has yet to record the end. */
async function reachRemnants(here: Here, runId: string, mode: 'term' | 'kill', supervised = false): Promise<boolean> {
  if (mode === 'kill') {
    return killAll(() => {
      const found = findRemnants(here, runId, takeSnapshot());
      const pids = supervised ? new Set([...found.pids].filter((pid) => !found.helpers.has(pid))) : found.pids;
      endRemnants({ ...found, pids }, 'kill');
      return pids.size > 0;
    });
  }
  const remnants = findRemnants(here, runId, takeSnapshot());
  endRemnants(remnants, 'term');
  return remnants.pids.size > 0;
}

function killClaimed(run: ClaimedRun, level: Level): Promise<boolean> {
  // A supervisor that somebody has stopped could not record the end.
  signalExactly(run.supervisor, run.boot, 'SIGCONT');
  return killAll(() => {
    const alive = level.members(run, takeSnapshot).length > 0;
    if (alive) level.kill(run);
    return alive;
  });
}

/** Says whether there was anything to kill. Once is not enough where processes are looked for: they may fork meanwhile. */
async function killAll(killOnce: () => boolean): Promise<boolean> {
  const until = performance.now() + KILL_MS;
  let reached = false;
  for (let empty = 0; empty < EMPTY_PASSES && performance.now() < until; ) {
    const alive = killOnce();
    reached ||= alive;
    empty = alive ? 0 : empty + 1;
    if (!reached && empty > 0) break;
    if (alive) await delay(2);
  }
  return reached;
}
