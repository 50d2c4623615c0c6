/** From a run's end to the task's next state, where nobody asked for the stop. */
import { ENVIRONMENT_REASONS, environmentAttemptsOf, hasEnvironmentBudget, hasWorkBudget } from '../failure.ts';
import { fractionOf } from '../fraction.ts';
import type { Probe, Run } from '../run.ts';
import type { Cause, Task } from '../task.ts';
import { isVerdict, leavesOpen, MAX_VERIFIES } from '../verify.ts';
import { closeForbidsWork } from './close.ts';
import { MAX_BACKOFF_MS } from './limits.ts';
import type { TaskObservation } from './observation.ts';
import { failureEffect, type RunResult, type Settlement, type Step, unverifiedEffect } from './steps.ts';

export type ExitProbe = Extract<Probe, { state: 'exited' }>;

/** What says success and in the same breath that it was killed, or stopped short, is no success. */
export function naturalResult(probe: ExitProbe, purpose: Run['purpose']): RunResult {
  const { exitCode, signal, startedAt, endedAt, reason } = probe;
  const base = { exitCode, signal, startedAt, endedAt };
  const ended = exitCode !== null && signal === null && reason === undefined;
  if (ended && exitCode === 0) {
    return { ...base, state: 'succeeded', cause: 'run_succeeded', reason: null, failureClass: null };
  }
  const cause = ended && purpose === 'verify' ? 'verify_failed' : 'run_failed';
  return {
    ...base,
    state: 'failed',
    cause,
    reason: reason === undefined ? null : ENVIRONMENT_REASONS[reason],
    failureClass: reason === undefined ? 'work' : 'environment',
  };
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
export function cancelledResult(probe: ExitProbe | null): RunResult {
  return {
    state: 'cancelled',
    cause: 'command',
    reason: null,
    failureClass: null,
    exitCode: probe?.exitCode ?? null,
    signal: probe?.signal ?? null,
    startedAt: probe?.startedAt ?? null,
    endedAt: probe?.endedAt ?? null,
  };
}

export function settleNaturally(o: TaskObservation, run: Run, result: RunResult, now: Date): Step {
  return { step: 'settle', result, settlement: settlementOf(o, run, result, now), goneAt: now };
}

function settlementOf(o: TaskObservation, run: Run, result: RunResult, now: Date): Settlement {
  const { task } = o;
  if (leavesOpen(task, run.purpose, result)) {
    return run.purpose === 'work' ? verify(o) : verifyAgain(o, run, result, now);
  }
  if (result.state === 'succeeded') return ended('done', result.cause, null);
  if (mayRetry(o, result)) {
    return { becomes: 'retried', notBefore: backOff(now, task, run.id), reason: retryWords(o, run, result) };
  }
  return ended('failed', result.cause, failureEffect(task.id, run.generation));
}

function ended(state: 'done' | 'failed', cause: Cause, effect: string | null): Settlement {
  return { becomes: 'ended', ending: { state, cause, actor: 'runner', episodeId: null }, effect, hadFinished: false };
}

/** Where nothing may start now it waits for its turn like any start. */
function verify({ task, isHeldBack }: TaskObservation): Settlement {
  const waits = isHeldBack || task.hold !== null || task.blockers.length > 0;
  return waits ? { becomes: 'retried', notBefore: null, reason: null } : { becomes: 'verifying' };
}

/** It gave no verdict. What could not start can't start the next time either. */
function verifyAgain(o: TaskObservation, run: Run, result: RunResult, now: Date): Settlement {
  const { task, tally, barred } = o;
  const goesOn = tally.verifies < MAX_VERIFIES && barred === null && isSeenGone(o) && result.cause !== 'start_failed';
  if (!goesOn) return { becomes: 'unverified', effect: unverifiedEffect(task.id, run.generation) };
  const reason = `verify run ${run.number} gave no verdict (${tally.verifies} of ${MAX_VERIFIES})`;
  const { spec } = task;
  return { becomes: 'retried', notBefore: backOff(now, { attempt: tally.verifies, spec }, run.id), reason };
}

/** Within its generation's budgets, never for a closed issue or a batch that is over, and never beside a run that may be alive. */
function mayRetry(o: TaskObservation, result: RunResult): boolean {
  const { task, tally } = o;
  if (o.barred !== null || closeForbidsWork(o)) return false;
  if (result.failureClass === 'environment') return isSeenGone(o) && hasEnvironmentBudget(task.spec, tally);
  const isTried = result.cause === 'run_failed' || isVerdict(result);
  return isTried && hasWorkBudget(task.spec, task.attempt, tally);
}

/** That a runner has no record of a run is no evidence that it is dead. */
export function isSeenGone({ probe }: TaskObservation): boolean {
  return probe !== null && probe.state !== 'no_record';
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

/**
 * Doubles with each attempt, up to the longest. Tasks that failed together must not come back together: each run shifts it by up
 * to a fifth either way, always by the same, so that a plan made again is the same plan.
 */
export function backOff(now: Date, { attempt, spec }: Pick<Task, 'attempt' | 'spec'>, runId: string): Date {
  const ms = spec.retry.backoffSeconds * 1000 * 2 ** Math.max(0, attempt - 1);
  return new Date(now.getTime() + Math.min(MAX_BACKOFF_MS, ms) * (0.8 + 0.4 * fractionOf(runId)));
}
