/** The plan of a task whose newest run is `starting`, `running` or `stopping`. */
import { hasWorkBudget } from '../failure.ts';
import type { Policy } from '../policy.ts';
import type { Probe, Run } from '../run.ts';
import type { Target } from '../task.ts';
import { leavesOpen, timeoutOf } from '../verify.ts';
import { closeForbidsWork, closeInForce, endingOfAbsence, intendedEnding, UNINSTALLED } from './close.ts';
import { isFresh, lostFromOf, NO_RECORD_REASON, START_RETRY_MS, UNSEEN_RECHECK_MS, VANISHED_REASON } from './limits.ts';
import type { TaskObservation } from './observation.ts';
import { cancelledResult, lostResult, naturalResult, settleLost, settleNaturally } from './settle.ts';
import { absenceEffect, closeEffect, failureEffect, type Step } from './steps.ts';
import { planStopping, pursueToTheEnd } from './stopping.ts';

export function planLiveRun(o: TaskObservation, run: Run, policy: Policy, now: Date): readonly Step[] {
  if (run.state === 'stopping') return planStopping(o, run, policy, now);
  const stop = reasonToStop(o, run);
  if (stop !== null) return stopNow(o, run, stop, policy, now);
  const exemption = exemptionOf(o);
  if (exemption !== null) return [exemption];
  return run.state === 'starting' ? planStarting(o, run, now) : planRunning(o, run, policy, now);
}

/** The cancel is recorded first, then the signal follows at once. */
function stopNow(o: TaskObservation, run: Run, target: Target, policy: Policy, now: Date): readonly Step[] {
  const stopping: Run = { ...run, state: 'stopping', cancelRequestedAt: now };
  const then = planStopping({ ...o, task: { ...o.task, target }, run: stopping }, stopping, policy, now);
  return [{ step: 'stop', target }, ...then];
}

/**
 * The App's end there, a close, or the issue's positive absence. An end that the runner had recorded before is settled as what it
 * was, unless it decides nothing: then no verify run follows it.
 */
function reasonToStop(o: TaskObservation, run: Run): Target | null {
  const { task, probe } = o;
  const isGone = probe?.state === 'exited' && probe.survivors.length === 0;
  if (isGone && !leavesOpen(task, run.purpose, naturalResult(probe, run.purpose))) return null;
  if (o.isUninstalled) return { becomes: 'ended', ending: UNINSTALLED, effect: null };
  const close = closeInForce(o);
  if (close !== null) {
    if (close.action === 'let_finish' || close.action === 'ignore') return null;
    return { becomes: 'ended', ending: intendedEnding(close), effect: closeEffect(close.id) };
  }
  if (o.issue !== null && o.issue.presence !== 'present') {
    return { becomes: 'ended', ending: endingOfAbsence(o.issue.presence), effect: absenceEffect(o.issue) };
  }
  return null;
}

/** `let_finish` and `ignore` are remembered on the task; the reopen of that close makes it an ordinary task again. */
function exemptionOf({ task, issue, episode }: TaskObservation): Step | null {
  if (episode === null || issue === null) return null;
  const lets = episode.action === 'let_finish' || episode.action === 'ignore';
  if (issue.state === 'closed' && episode.state === 'acted' && lets && task.exemptEpisodeId !== episode.id) {
    return { step: 'exempt', episodeId: episode.id };
  }
  if (issue.state === 'open' && task.exemptEpisodeId !== null) return { step: 'exempt', episodeId: null };
  return null;
}

function planStarting(o: TaskObservation, run: Run, now: Date): readonly Step[] {
  const { probe, issue } = o;
  if (probe === null) return [{ step: 'recheck', at: after(now, START_RETRY_MS) }];
  switch (probe.state) {
    case 'unclaimed':
    case 'no_record': {
      // Its runner knows of it, and not what became of it: it began somewhere.
      if (probe.state === 'no_record' && probe.reason !== undefined) return planUnseen(o, run, probe, now);
      const stale = issue !== null && !isFresh(issue.observedAt, now);
      return stale || issue?.readDue ? [{ step: 'refresh_issue' }] : [{ step: 'start' }];
    }
    case 'running':
      return [{ step: 'mark_started', startedAt: probe.startedAt, containment: probe.containment }];
    case 'claimed':
      return now < probe.until ? [{ step: 'recheck', at: probe.until }] : [{ step: 'signal', mode: 'void' }];
    case 'voided':
      if (probe.reason !== undefined) return [giveBack(probe.reason, now)];
      return [
        settleNaturally(
          o,
          run,
          { ...cancelledResult(null), state: 'failed', cause: 'start_failed', reason: 'its start was voided' },
          now,
        ),
      ];
    case 'exited':
      return planExit(o, run, now);
    case 'vanished':
      return planVanished(o, run, probe, now);
    case 'unreadable':
      return [{ step: 'recheck', at: after(now, START_RETRY_MS) }];
  }
}

/** Nothing was tried: its task is as it was before, with all its attempts. */
function giveBack(reason: string, now: Date): Step {
  const never = { ...cancelledResult(null), state: 'failed', cause: 'start_failed', reason } as const;
  return { step: 'settle', result: never, settlement: { becomes: 'given_back' }, goneAt: now };
}

function planRunning(o: TaskObservation, run: Run, policy: Policy, now: Date): readonly Step[] {
  const { probe } = o;
  if (probe === null) return deadlines(o, run, policy, now);
  switch (probe.state) {
    case 'running':
      // It was lost, and is found again.
      if (o.task.notBefore !== null) return [{ step: 'await_evidence', wait: null }];
      return deadlines(o, run, policy, now);
    case 'unclaimed':
    case 'claimed':
    case 'unreadable':
      return deadlines(o, run, policy, now);
    case 'exited':
      return planExit(o, run, now);
    case 'voided':
      return planVanished(o, run, { survivors: [] }, now);
    case 'vanished':
      return planVanished(o, run, probe, now);
    case 'no_record':
      return planUnseen(o, run, probe, now);
  }
}

/** One that has only just begun may be found yet; any other is lost. */
function planUnseen(
  o: TaskObservation,
  run: Run,
  { reason = NO_RECORD_REASON }: Extract<Probe, { state: 'no_record' }>,
  now: Date,
): readonly Step[] {
  const lostFrom = lostFromOf(run);
  if (now < lostFrom) return [{ step: 'recheck', at: lostFrom }];
  return [settleLost(o, run, lostResult(reason, run.startedAt), now)];
}

/** A run ends with its first process: what that left behind is ended too, before the end is written. */
function planExit(o: TaskObservation, run: Run, now: Date): readonly Step[] {
  if (o.probe?.state !== 'exited') return [];
  if (o.probe.survivors.length > 0) return pursueToTheEnd(run, o.probe.survivors, now);
  return [settleNaturally(o, run, naturalResult(o.probe, run.purpose), now)];
}

/** Killed from outside, or its machine restarted: lost, once nothing of it is left. */
function planVanished(
  o: TaskObservation,
  run: Run,
  { survivors, reason = VANISHED_REASON }: Pick<Extract<Probe, { state: 'vanished' }>, 'survivors' | 'reason'>,
  now: Date,
): readonly Step[] {
  if (survivors.length > 0) return pursueToTheEnd(run, survivors, now);
  return [settleLost(o, run, lostResult(reason, run.startedAt), now)];
}

/** Duration and silence, each with its own cause, as far as the task sets them. */
function deadlines(o: TaskObservation, run: Run, policy: Policy, now: Date): readonly Step[] {
  const { spec } = o.task;
  const startedAt = run.startedAt ?? run.createdAt;
  const lastOutput = o.probe?.state === 'running' ? later(o.probe.lastOutputAt, startedAt) : null;
  const due: { cause: 'timeout' | 'stalled'; at: Date }[] = [];
  const timeout = timeoutOf(o.task, run);
  if (timeout !== null) due.push({ cause: 'timeout', at: after(startedAt, timeout * 60_000) });
  if (spec.stallMinutes > 0 && lastOutput !== null) {
    due.push({ cause: 'stalled', at: after(lastOutput, spec.stallMinutes * 60_000) });
  }
  const passed = due.find((deadline) => deadline.at <= now);
  if (passed) return stopNow(o, run, targetOfDeadline(o, run, passed.cause), policy, now);
  // Whether it is silent can't be seen now, and nothing else would come back to it.
  const unseen = spec.stallMinutes > 0 && lastOutput === null ? [after(now, UNSEEN_RECHECK_MS)] : [];
  return [...due.map(({ at }) => at), ...unseen].map((at) => ({ step: 'recheck' as const, at }));
}

function targetOfDeadline(o: TaskObservation, { purpose }: Run, cause: 'timeout' | 'stalled'): Target {
  const { task } = o;
  const ending = { state: 'failed' as const, cause, actor: 'standdown', episodeId: null };
  const effect = failureEffect(task.id, task.generation);
  const mayRetry = hasWorkBudget(task.spec, task.attempt, o.tally) && !closeForbidsWork(o);
  // Whether a verify run is sent again is known when it is seen gone.
  return mayRetry || purpose === 'verify'
    ? { becomes: 'retried', cause, ending, effect }
    : { becomes: 'ended', ending, effect };
}

/** What its runner could not hear before it had begun is no silence of it. */
function later(date: Date | null, startedAt: Date): Date {
  return date !== null && date > startedAt ? date : startedAt;
}

function after(date: Date, ms: number): Date {
  return new Date(date.getTime() + ms);
}
