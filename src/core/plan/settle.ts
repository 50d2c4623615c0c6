/** From a run's end to the task's next state, where nobody asked for the stop. */
import {
  allowsOverlap,
  ENVIRONMENT_REASONS,
  environmentAttemptsOf,
  hasEnvironmentBudget,
  hasWorkBudget,
} from '../failure.ts';
import { fractionOf } from '../fraction.ts';
import type { Probe, Run } from '../run.ts';
import type { Cause, Task } from '../task.ts';
import { isVerdict, leavesOpen, MAX_VERIFIES } from '../verify.ts';
import { closeForbidsWork } from './close.ts';
import { evidenceIn } from './evidence.ts';
import { EVIDENCE_AGAIN_MS, LONGEST_LIMIT_MS, MAX_BACKOFF_MS, UNTOLD_LIMIT_MS } from './limits.ts';
import type { TaskObservation } from './observation.ts';
import { failureEffect, type RunResult, reviewEffect, type Settlement, type Step, unverifiedEffect } from './steps.ts';

export type ExitProbe = Extract<Probe, { state: 'exited' }>;
type VanishedProbe = Extract<Probe, { state: 'vanished' }>;

/** What says success and in the same breath that it was killed, or stopped short, is no success. */
export function naturalResult(probe: ExitProbe, purpose: Run['purpose']): RunResult {
  const { exitCode, signal, startedAt, endedAt } = probe;
  const base = { exitCode, signal, startedAt, endedAt };
  const fault = environmentFault(probe);
  if (fault !== null)
    return { ...base, state: 'failed', cause: 'run_failed', reason: fault, failureClass: 'environment' };
  const isVerdict = exitCode !== null && signal === null && probe.said?.reason !== 'killed';
  const contradiction = contradictionIn(probe);
  if (isVerdict && exitCode === 0 && contradiction === null) {
    return { ...base, state: 'succeeded', cause: 'run_succeeded', reason: problemIn(probe), failureClass: null };
  }
  const cause = isVerdict && purpose === 'verify' ? 'verify_failed' : 'run_failed';
  return { ...base, state: 'failed', cause, reason: contradiction ?? problemIn(probe), failureClass: 'work' };
}

/** In words; null: nothing speaks for it. What its runner says counts before what it said itself. */
function environmentFault(probe: ExitProbe): string | null {
  const { reason, said } = probe;
  if (reason !== undefined) return ENVIRONMENT_REASONS[reason];
  const own = said?.reason ?? null;
  if (own === null || own === 'killed') return null;
  const problem = problemIn(probe);
  return `${ENVIRONMENT_REASONS[own]}, as it says itself${problem === null ? '' : `; ${problem}`}`;
}

/** Of an exit code that speaks of success. */
function contradictionIn({ exitCode, said }: ExitProbe): string | null {
  if (exitCode !== 0 || said === undefined) return null;
  if (said.reason === 'killed') return 'its result file says that it was killed';
  return said.result === 'failed' ? 'it ended with 0, and its result file says failed' : null;
}

/** Of what it says: all of it, or the time until which it was cut short. */
function problemIn({ said }: ExitProbe): string | null {
  const problem = said?.problem ?? null;
  return problem === null ? null : `its result file can't be understood: ${problem}`;
}

/** Never an invented exit code. */
export function lostResult(reason: string, startedAt: Date | null): RunResult {
  return {
    state: 'lost',
    cause: 'runner_lost',
    reason,
    failureClass: 'environment',
    exitCode: null,
    signal: null,
    startedAt,
    endedAt: null,
  };
}

/** The run's own words are kept as information, whatever it ended with. */
export function cancelledResult(probe: ExitProbe | VanishedProbe | null): RunResult {
  const exit = probe?.state === 'exited' ? probe : null;
  return {
    state: 'cancelled',
    cause: 'command',
    reason: null,
    failureClass: null,
    exitCode: exit?.exitCode ?? null,
    signal: exit?.signal ?? null,
    startedAt: exit?.startedAt ?? null,
    endedAt: exit?.endedAt ?? null,
    ...(probe?.killed === undefined ? {} : { killed: probe.killed }),
  };
}

export function settleNaturally(o: TaskObservation, run: Run, result: RunResult, now: Date): Step {
  const isUnseen = result.state === 'lost' && !isSeenGone(o);
  return { step: 'settle', result, settlement: settlementOf(o, run, result, now), goneAt: isUnseen ? null : now };
}

/** Before it counts as failed, what it may have left is looked for. As long as GitHub gives no answer, nobody knows. */
export function settleLost(o: TaskObservation, run: Run, lost: RunResult, now: Date): Step {
  const { evidence, task } = o;
  const isSought =
    task.spec.evidence && run.purpose === 'work' && evidenceIn(o, run, lost) === null && !mayRetry(o, lost);
  if (!isSought) return settleNaturally(o, run, lost, now);
  if (evidence === null) {
    const { notBefore } = task;
    // One that lies further ahead was noted before the clock was set back.
    const waits = notBefore !== null && now < notBefore && notBefore.getTime() <= now.getTime() + EVIDENCE_AGAIN_MS;
    return waits ? { step: 'recheck', at: notBefore } : { step: 'seek_evidence' };
  }
  if (evidence.found === 'unreadable' && evidence.retryable) {
    const reason = `whether its branch holds the work of its lost run can't be read: ${evidence.why}`;
    return { step: 'await_evidence', wait: { until: new Date(now.getTime() + EVIDENCE_AGAIN_MS), reason } };
  }
  const told = evidence.found === 'unreadable' ? { ...lost, reason: `${lost.reason}; ${evidence.why}` } : lost;
  return settleNaturally(o, run, told, now);
}

function settlementOf(o: TaskObservation, run: Run, result: RunResult, now: Date): Settlement {
  const { task } = o;
  if (leavesOpen(task, run.purpose, result)) {
    return run.purpose === 'work' ? verify(o, run) : verifyAgain(o, run, result, now);
  }
  if (result.state === 'succeeded') return ended('done', result.cause, null);
  const evidence = evidenceIn(o, run, result);
  if (evidence !== null) {
    return { becomes: 'undecided', cause: 'review', why: evidence, effect: reviewEffect(task.id, run.generation) };
  }
  if (mayRetry(o, result)) {
    const next = nextTry(o, backOff(now, task, run.id), now);
    return { becomes: 'retried', ...next, reason: retryWords(o, run, result) };
  }
  return ended('failed', result.cause, failureEffect(task.id, run.generation));
}

function ended(state: 'done' | 'failed', cause: Cause, effect: string | null): Settlement {
  return { becomes: 'ended', ending: { state, cause, actor: 'runner', episodeId: null }, effect, hadFinished: false };
}

/** Where nothing may start now it waits for its turn like any start, and so where the work had no place of its runner: who attended it. */
function verify({ task, isHeldBack }: TaskObservation, { runner }: Run): Settlement {
  const hasNoPlace = runner !== task.spec.runsOn;
  const waits = hasNoPlace || isHeldBack || task.hold !== null || task.blockers.length > 0;
  return waits ? { becomes: 'retried', notBefore: null, reason: null } : { becomes: 'verifying' };
}

/** It gave no verdict. What could not start can't start the next time either. */
function verifyAgain(o: TaskObservation, run: Run, result: RunResult, now: Date): Settlement {
  const { task, tally, barred } = o;
  const goesOn = tally.verifies < MAX_VERIFIES && barred === null && mayFollow(o) && result.cause !== 'start_failed';
  if (!goesOn) {
    const effect = unverifiedEffect(task.id, run.generation);
    return { becomes: 'undecided', cause: 'no_verdict', why: null, effect };
  }
  const reason = `verify run ${run.number} gave no verdict (${tally.verifies} of ${MAX_VERIFIES})`;
  const { spec } = task;
  const next = nextTry(o, backOff(now, { attempt: tally.verifies, spec }, run.id), now);
  return { becomes: 'retried', ...next, reason };
}

/** Within its generation's budgets, never for a closed issue or a batch that is over, and never beside a run that may be alive. */
export function mayRetry(o: TaskObservation, result: RunResult): boolean {
  const { task, tally } = o;
  if (o.barred !== null || closeForbidsWork(o)) return false;
  if (result.failureClass === 'environment') return mayFollow(o) && hasEnvironmentBudget(task.spec, tally);
  const isTried = result.cause === 'run_failed' || isVerdict(result);
  return isTried && hasWorkBudget(task.spec, task.attempt, tally);
}

/** That a runner has no record of a run is no evidence that it is dead. */
function isSeenGone({ probe }: TaskObservation): boolean {
  return probe !== null && probe.state !== 'no_record';
}

/** Whether another run may begin now. */
export function mayFollow(o: TaskObservation): boolean {
  return isSeenGone(o) || allowsOverlap(o.task);
}

export function retryWords({ task, tally }: TaskObservation, run: Run, { failureClass, reason }: RunResult): string {
  const { spec, attempt } = task;
  if (failureClass === 'environment') {
    const most = environmentAttemptsOf(spec.retry);
    return `run ${run.number} was ended by its environment (${tally.environmentFailures + 1} of ${most}): ${reason}`;
  }
  const what = run.purpose === 'verify' ? 'was found wrong' : 'failed';
  return `attempt ${attempt - tally.environmentFailures} of ${spec.retry.attempts} ${what}`;
}

/** A usage limit is not tried against: it is waited for as long as it says, or for so long where it does not. */
function nextTry({ probe }: TaskObservation, backedOff: Date, now: Date): { notBefore: Date; notBeforeTold?: true } {
  if (probe?.state !== 'exited') return { notBefore: backedOff };
  const { reason, said } = probe;
  if (reason !== 'usage_limit' && said?.reason !== 'usage_limit') return { notBefore: backedOff };
  const until = said?.until ?? null;
  const atMost = new Date(now.getTime() + (until === null ? UNTOLD_LIMIT_MS : LONGEST_LIMIT_MS));
  if (until === null || until > atMost) return { notBefore: atMost > backedOff ? atMost : backedOff };
  return until > backedOff ? { notBefore: until, notBeforeTold: true } : { notBefore: backedOff };
}

/**
 * Doubles with each attempt, up to the longest. Tasks that failed together must not come back together: each run shifts it by up
 * to a fifth either way, always by the same, so that a plan made again is the same plan.
 */
export function backOff(now: Date, { attempt, spec }: Pick<Task, 'attempt' | 'spec'>, runId: string): Date {
  const ms = spec.retry.backoffSeconds * 1000 * 2 ** Math.max(0, attempt - 1);
  return new Date(now.getTime() + Math.min(MAX_BACKOFF_MS, ms) * (0.8 + 0.4 * fractionOf(runId)));
}
