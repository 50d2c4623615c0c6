/** What a stopping run's end makes of its task: what was decided when it was told to stop, as far as what was seen allows it. */
import type { Run } from '../run.ts';
import type { Target } from '../task.ts';
import { leavesOpen } from '../verify.ts';
import { authorisedEnding, UNINSTALLED } from './close.ts';
import type { TaskObservation } from './observation.ts';
import { backOff, mayFollow, retryWords, settleLost, settleNaturally } from './settle.ts';
import type { RunResult, Settlement, Step } from './steps.ts';

/** It is seen gone. Where the closer's permission decides between done and cancelled, that is waited for. */
export function settleStopped(o: TaskObservation, run: Run, seen: RunResult, now: Date): readonly Step[] {
  const { task } = o;
  const { target } = task;
  const hadFinished = seen.state !== 'cancelled';
  if (target === null || (hadFinished && isDeadline(target))) return [settleNaturally(o, run, seen, now)];
  const base = { step: 'settle' as const, goneAt: run.goneAt ?? now };
  const result = resultOf(seen, run, target);
  // It had too long for its verdict.
  if (target.becomes === 'retried' && run.purpose === 'verify') return [settleNaturally(o, run, result, now)];
  // An end that decides nothing leaves it to whoever asked for the stop.
  const decides = hadFinished && !leavesOpen(task, run.purpose, seen);
  if (decides) return [{ ...base, result, settlement: finished(result, target) }];
  if (target.becomes === 'requeued' && o.barred === null) {
    return [{ ...base, result, settlement: { becomes: 'requeued', requeue: target.requeue, effect: target.effect } }];
  }
  if (target.becomes === 'retried' && o.barred === null && mayFollow(o)) {
    const notBefore = backOff(now, task, run.id);
    return [{ ...base, result, settlement: { becomes: 'retried', notBefore, reason: retryWords(o, run, result) } }];
  }
  // Nobody could say any more what the closer may do.
  const ending = authorisedEnding(target, o.endingEpisode) ?? (o.isUninstalled ? UNINSTALLED : null);
  if (ending === null) return run.goneAt === null ? [{ step: 'mark_gone', result }] : [];
  return [
    {
      ...base,
      result: hadFinished ? result : { ...result, cause: ending.cause },
      settlement: { becomes: 'ended', ending, effect: target.effect, hadFinished },
    },
  ];
}

/**
 * Nobody saw it end, and it may live: it is lost, whatever it was told. Who asked for its end gets that; a next run does not begin
 * beside it, unless its task allows that, and is left to a person.
 */
export function settleUnseen(o: TaskObservation, run: Run, lost: RunResult, now: Date): readonly Step[] {
  const { task } = o;
  const { target } = task;
  const base = { step: 'settle' as const, result: lost, goneAt: null };
  if (target === null || (target.becomes === 'retried' && run.purpose === 'verify')) {
    return [settleNaturally(o, run, lost, now)];
  }
  const follows = o.barred === null && mayFollow(o);
  if (target.becomes === 'requeued' && o.barred === null) {
    if (!follows) return [settleLost(o, run, lost, now)];
    return [{ ...base, settlement: { becomes: 'requeued', requeue: target.requeue, effect: target.effect } }];
  }
  if (target.becomes === 'retried' && follows) {
    const reason = retryWords(o, run, lost);
    return [{ ...base, settlement: { becomes: 'retried', notBefore: backOff(now, task, run.id), reason } }];
  }
  const ending = authorisedEnding(target, o.endingEpisode) ?? (o.isUninstalled ? UNINSTALLED : null);
  if (ending === null) return [];
  return [{ ...base, settlement: { becomes: 'ended', ending, effect: target.effect, hadFinished: false } }];
}

/** A run that its deadline stopped has failed; one that a person or an issue stopped is cancelled. */
function resultOf(seen: RunResult, run: Run, target: Target): RunResult {
  const startedAt = seen.startedAt ?? run.startedAt;
  if (seen.state !== 'cancelled') return { ...seen, startedAt };
  const cause = target.ending.cause;
  return isDeadline(target)
    ? { ...seen, startedAt, cause, state: 'failed', failureClass: 'work' }
    : { ...seen, startedAt, cause };
}

function isDeadline(target: Target): boolean {
  return target.ending.cause === 'timeout' || target.ending.cause === 'stalled';
}

function finished(result: RunResult, target: Target): Settlement {
  const state = result.state === 'succeeded' ? 'done' : 'failed';
  const ending = { state, cause: result.cause, actor: 'runner', episodeId: null } as const;
  return { becomes: 'ended', ending, effect: target.effect, hadFinished: true };
}
