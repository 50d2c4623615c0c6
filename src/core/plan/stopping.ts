/** The plan of a stopping run: TERM, grace, KILL, look again until it is seen gone; then what its task becomes. */
import type { CloseEpisode } from '../issue.ts';
import type { Policy } from '../policy.ts';
import type { Probe, Run } from '../run.ts';
import type { Target } from '../task.ts';
import { closeInForce, intendedEnding, UNINSTALLED } from './close.ts';
import {
  KILL_AGAIN_MS,
  lostFromOf,
  NO_RECORD_REASON,
  STOPPING_RECHECK_MS,
  SURVIVOR_MS,
  SURVIVOR_RECHECK_MS,
} from './limits.ts';
import type { TaskObservation } from './observation.ts';
import { refusalOfReopen, tooMany } from './reopen.ts';
import { cancelledResult, lostResult, naturalResult } from './settle.ts';
import { closeEffect, type Step } from './steps.ts';
import { settleStopped, settleUnseen } from './stopped.ts';

const VOID: Step = { step: 'signal', mode: 'void' };

export function planStopping(o: TaskObservation, run: Run, policy: Policy, now: Date): readonly Step[] {
  const retarget = changedTarget(o, run, policy, now);
  if (retarget !== null) return [{ step: 'retarget', target: retarget }];
  const { probe } = o;
  if (probe === null) return signalBlindly(run, o, now);
  switch (probe.state) {
    case 'unclaimed':
      // Its runner has looked for whatever may live of it; one that was never seen must not begin any more.
      return run.startedAt === null ? [VOID] : settleStopped(o, run, cancelledResult(null), now);
    case 'claimed':
      return [VOID];
    case 'no_record':
      // Where its runner says more, it began somewhere, and nothing is left to void.
      return run.startedAt === null && probe.reason === undefined ? [VOID] : giveUpUnseen(o, run, probe, now);
    case 'voided':
      return settleStopped(o, run, cancelledResult(null), now);
    case 'unreadable':
      return [{ step: 'recheck', at: after(now, SURVIVOR_RECHECK_MS) }];
    case 'vanished':
      if (probe.survivors.length > 0) return pursue(run, probe.survivors, o, now);
      return settleStopped(o, run, cancelledResult(probe), now);
    case 'exited':
      if (probe.survivors.length > 0) return pursue(run, probe.survivors, o, now);
      return settleStopped(
        o,
        run,
        endedBefore(o, run) ? naturalResult(probe, run.purpose) : cancelledResult(probe),
        now,
      );
    case 'running':
      return pursue(run, [], o, now);
  }
}

/**
 * An end that was recorded before the cancel was committed wins. The two times are of two clocks, or of one that was set back:
 * a death by the signal that was sent is the cancel's own, whatever they say.
 */
function endedBefore({ probe }: TaskObservation, run: Run): boolean {
  if (probe?.state !== 'exited' || run.cancelRequestedAt === null) return false;
  const byOurSignal =
    (probe.signal === 'TERM' && run.termAt !== null) || (probe.signal === 'KILL' && run.killAt !== null);
  return !byOurSignal && probe.endedAt < run.cancelRequestedAt;
}

/**
 * A close, or the App's end there, takes over a pending retry or requeue; a reopen turns the end by its own episode into a requeue.
 */
function changedTarget(o: TaskObservation, run: Run, policy: Policy, now: Date): Target | null {
  const { target } = o.task;
  if (target === null) return null;
  if (o.isUninstalled) {
    return target.becomes === 'ended' ? null : { becomes: 'ended', ending: UNINSTALLED, effect: null };
  }
  const close = closeInForce(o);
  if (close !== null) return takenOver(target, run, close);
  const { episode } = o;
  if (target.becomes !== 'ended' || episode === null || target.ending.episodeId !== episode.id) return null;
  if (episode.state !== 'undone' || policy.onReopen === 'ignore' || tooMany(o, policy)) return null;
  if (refusalOfReopen(o, episode, policy, now) !== null) return null;
  return {
    becomes: 'requeued',
    requeue: { reason: 'issue_reopened', actor: episode.reopen?.actor ?? 'unknown', episodeId: episode.id },
    ending: target.ending,
    effect: target.effect,
  };
}

function takenOver(target: Target, { purpose }: Run, close: CloseEpisode): Target | null {
  if (target.becomes === 'ended' || close.action === 'ignore') return null;
  if (target.becomes === 'retried' && close.action === 'let_finish') {
    return purpose === 'verify' ? null : { ...target, becomes: 'ended' };
  }
  return { becomes: 'ended', ending: intendedEnding(close), effect: closeEffect(close.id) };
}

/** TERM once, then KILL after the grace. */
function pursue(run: Run, survivors: readonly number[], o: TaskObservation, now: Date): readonly Step[] {
  if (run.termAt === null) return [{ step: 'signal', mode: 'term' }, recheck(o, now, now)];
  if (isWithin(run.termAt, o.graceSeconds * 1000, now)) return [recheck(o, now, run.termAt)];
  return pursueToTheEnd(run, survivors, now);
}

/** KILL, again and again while anything is left; people are told after a minute. */
export function pursueToTheEnd(run: Run, survivors: readonly number[], now: Date): readonly Step[] {
  const kill: Step = { step: 'signal', mode: 'kill' };
  if (run.killAt === null) return [kill, { step: 'recheck', at: after(now, STOPPING_RECHECK_MS) }];
  const overdue = !isWithin(run.killAt, SURVIVOR_MS, now);
  const again: Step[] = [kill, { step: 'recheck', at: after(now, overdue ? SURVIVOR_RECHECK_MS : KILL_AGAIN_MS) }];
  const untold = overdue && !sameSet(run.survivors, survivors);
  return untold ? [{ step: 'mark_survivors', pids: survivors }, ...again] : again;
}

/**
 * Its runner knows nothing of a run that once was seen. One that has only just begun may be found yet; any other is lost, and nobody says
 * that it was stopped.
 */
function giveUpUnseen(
  o: TaskObservation,
  run: Run,
  { reason = NO_RECORD_REASON }: Extract<Probe, { state: 'no_record' }>,
  now: Date,
): readonly Step[] {
  if (run.goneAt !== null) return settleStopped(o, run, { ...cancelledResult(null), ...exitIn(run) }, now);
  const lostFrom = lostFromOf(run);
  if (now < lostFrom) return [{ step: 'recheck', at: lostFrom }];
  return settleUnseen(o, run, lostResult(reason, run.startedAt), now);
}

/** As it was noted when the run was seen gone. */
function exitIn({ exitCode, signal, startedAt, endedAt }: Run) {
  return { exitCode, signal, startedAt, endedAt };
}

/** No answer is no reason to wait with a stop that was asked for: the signals are sent, the end is not written. */
function signalBlindly(run: Run, o: TaskObservation, now: Date): readonly Step[] {
  if (run.termAt === null) return [{ step: 'signal', mode: 'term' }, recheck(o, now, now)];
  if (run.killAt === null && !isWithin(run.termAt, o.graceSeconds * 1000, now)) {
    return [
      { step: 'signal', mode: 'kill' },
      { step: 'recheck', at: after(now, KILL_AGAIN_MS) },
    ];
  }
  return [{ step: 'recheck', at: after(now, KILL_AGAIN_MS) }];
}

/** What lies ahead was noted before the clock was set back: nobody knows how long ago, and a stop does not wait for it. */
function isWithin(since: Date, ms: number, now: Date): boolean {
  return since <= now && now < after(since, ms);
}

function recheck(o: TaskObservation, now: Date, termAt: Date): Step {
  const killFrom = after(termAt, o.graceSeconds * 1000);
  const soon = after(now, STOPPING_RECHECK_MS);
  return { step: 'recheck', at: killFrom > now && killFrom < soon ? killFrom : soon };
}

function sameSet(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((pid) => b.includes(pid));
}

function after(date: Date, ms: number): Date {
  return new Date(date.getTime() + ms);
}
