/** From a run's end to the task's next state, where nobody asked for the stop. */
import { fractionOf } from '../fraction.ts';
import type { Probe, Run } from '../run.ts';
import type { Task } from '../task.ts';
import { closeForbidsWork } from './close.ts';
import { MAX_BACKOFF_MS } from './limits.ts';
import type { TaskObservation } from './observation.ts';
import { failureEffect, type RunResult, type Step } from './steps.ts';

export type ExitProbe = Extract<Probe, { state: 'exited' }>;

export function naturalResult(probe: ExitProbe): RunResult {
  const succeeded = probe.exitCode === 0;
  return {
    state: succeeded ? 'succeeded' : 'failed',
    cause: succeeded ? 'run_succeeded' : 'run_failed',
    reason: null,
    failureClass: succeeded ? null : 'work',
    exitCode: probe.exitCode,
    signal: probe.signal,
    startedAt: probe.startedAt,
    endedAt: probe.endedAt,
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
  const { task } = o;
  const base = { step: 'settle' as const, result, goneAt: now };
  if (result.state === 'succeeded') {
    const ending = { state: 'done' as const, cause: result.cause, actor: 'runner', episodeId: null };
    return { ...base, settlement: { becomes: 'ended', ending, effect: null, hadFinished: false } };
  }
  if (mayRetry(o, result)) {
    return { ...base, settlement: { becomes: 'retried', notBefore: backOff(now, task, run.id) } };
  }
  const ending = { state: 'failed' as const, cause: result.cause, actor: 'runner', episodeId: null };
  const effect = failureEffect(task.id, run.generation);
  return { ...base, settlement: { becomes: 'ended', ending, effect, hadFinished: false } };
}

/** Only work that failed is retried, within its generation's budget, and never for a closed issue or a batch that is over. */
function mayRetry(o: TaskObservation, result: RunResult): boolean {
  const { task } = o;
  return (
    result.failureClass === 'work' &&
    result.cause === 'run_failed' &&
    o.barred === null &&
    task.attempt < task.spec.retry.attempts &&
    !closeForbidsWork(o)
  );
}

/**
 * Doubles with each attempt, up to the longest. Tasks that failed together must not come back together: each run shifts it by up
 * to a fifth either way, always by the same, so that a plan made again is the same plan.
 */
export function backOff(now: Date, { attempt, spec }: Pick<Task, 'attempt' | 'spec'>, runId: string): Date {
  const ms = spec.retry.backoffSeconds * 1000 * 2 ** Math.max(0, attempt - 1);
  return new Date(now.getTime() + Math.min(MAX_BACKOFF_MS, ms) * (0.8 + 0.4 * fractionOf(runId)));
}
