/** A run's end and its task's next state, in one transaction: the only place where a run's end is written. */
import { isOfFailure, isOfSuccess, type Step } from '../../core/plan/steps.ts';
import { toRunAgain } from '../../core/requeue.ts';
import { LIVE_RUN_STATES } from '../../core/run.ts';
import { firstVerifyId } from '../../core/verify.ts';
import { taskEvent } from '../journal.ts';
import { taskKey } from '../keys.ts';
import { newRun, startingEvent } from '../new-run.ts';
import type { OutcomeLine, Write } from '../ports.ts';
import { downstream, endTask, noticeOf, requeueTask, type Subject, setRun, setTask, type Transition } from './parts.ts';

type Settle = Extract<Step, { step: 'settle' }>;

export function settleRun(subject: Subject, settle: Settle, now: Date): Transition {
  const { task, run } = subject;
  const { settlement, goneAt } = settle;
  const { killed, ...result } = settle.result;
  const survivors = goneAt === null ? {} : { survivors: [] };
  // What was sent to a runner that knows nothing of it reached nobody: found again, it is given its grace anew.
  const unsent = result.state === 'lost' && goneAt === null ? { termAt: null, killAt: null } : {};
  // Whoever carried the order out may have needed no KILL, or sent it earlier than it was ordered.
  const kill = killed === undefined ? {} : { killAt: killed ? (run?.killAt ?? result.endedAt ?? now) : null };
  const startedAt = result.startedAt ?? run?.startedAt ?? null;
  const ended = setRun(subject, LIVE_RUN_STATES, { ...result, startedAt, goneAt, ...survivors, ...kill, ...unsent });
  const { state, cause, reason, exitCode, signal } = result;
  const event = taskEvent('RUN_ENDED', now, task, { run, data: { state, cause, reason, exit_code: exitCode, signal } });
  const next = afterRun(ended, settlement, now);
  return { ...next, writes: [...ended.writes, event, ...brokenPromise(subject, settlement, now), ...next.writes] };
}

/** What was promised to be told of the stop is told elsewhere. */
function brokenPromise({ task, run }: Subject, settlement: Settle['settlement'], now: Date): Write[] {
  const promised = task.target?.effect ?? null;
  if (promised === null || isOfFailure(promised)) return [];
  if (settlement.becomes !== 'ended' && settlement.becomes !== 'undecided') return [];
  if (settlement.effect === promised) return [];
  const line = { runId: run?.id ?? null, result: settlement.becomes === 'ended' ? settlement.ending.state : 'blocked' };
  return noticeOf(task, promised, { ...line, effect: settlement.effect === null ? 'stopped' : 'superseded' }, now);
}

function afterRun(subject: Subject, settlement: Settle['settlement'], now: Date): Transition {
  switch (settlement.becomes) {
    case 'ended':
      return endTask(subject, settlement.ending, { now, effect: settlement.effect, line: lineOf(settlement) });
    case 'requeued':
      return requeueTask(subject, settlement.requeue, { now, effect: settlement.effect });
    case 'retried': {
      const { task, run } = subject;
      const { notBefore, notBeforeTold = false, reason } = settlement;
      const start = { notBefore, notBeforeTold, notBeforeReason: reason };
      const changed = setTask(subject, { ...toRunAgain(task), target: null, ...start }, now);
      const data = { attempt: task.attempt, not_before: notBefore?.toISOString() ?? null, reason };
      const event = taskEvent('TASK_RETRY_SCHEDULED', now, task, { run, data });
      // Its slot is free for others meanwhile; the schedule itself knows when this one's turn is.
      return { ...changed, writes: [...changed.writes, event, ...downstream(task, now)] };
    }
    case 'given_back': {
      const { task, run } = subject;
      const attempt = Math.max(0, task.attempt - 1);
      // A close that would have let it finish judges it anew, as what has not started.
      const before = { target: null, attempt, notBefore: null, exemptEpisodeId: null } as const;
      const changed = setTask(subject, { ...toRunAgain(task), ...before }, now);
      const event = taskEvent('TASK_READY', now, task, { run, data: { attempt, reason: run?.reason ?? null } });
      const look = { write: 'work.enqueue', key: taskKey(task.id), dueAt: now } as const;
      return { ...changed, writes: [...changed.writes, event, look, ...downstream(task, now)] };
    }
    case 'verifying':
      return beginVerify(subject, now);
    case 'undecided':
      return leaveToPerson(subject, settlement, now);
  }
}

/** In the transaction of the work's end: nothing lies between the two that a crash could lose. It keeps the work run's slot. */
function beginVerify(subject: Subject, now: Date): Transition {
  const { task, run } = subject;
  if (run === null) return { ...subject, writes: [] };
  const verify = newRun(firstVerifyId(run), { task, purpose: 'verify' }, now);
  const set = {
    state: 'running',
    runNumber: verify.number,
    target: null,
    notBefore: null,
    notBeforeReason: null,
  } as const;
  const changed = setTask(subject, set, now);
  const insert = { write: 'run.insert', run: verify } as const;
  const look = { write: 'work.enqueue', key: taskKey(task.id), dueAt: now } as const;
  return {
    task: changed.task,
    run: verify,
    writes: [insert, ...changed.writes, startingEvent(task, verify, now), look],
  };
}

function leaveToPerson(
  subject: Subject,
  { cause, why, effect }: Extract<Settle['settlement'], { becomes: 'undecided' }>,
  now: Date,
): Transition {
  const { task, run } = subject;
  const set = { state: 'blocked', cause, actor: 'standdown', target: null, notBefore: null } as const;
  const changed = setTask(subject, { ...set, notBeforeReason: why }, now);
  const told = cause === 'review' ? 'review' : 'unverified';
  const data = { from: task.state, ...(cause === 'review' ? { evidence: why } : { unverified: true }) };
  const event = taskEvent('TASK_BLOCKED', now, task, { run, data });
  const line = { runId: run?.id ?? null, effect: told, result: why ?? 'blocked' } as const;
  const notice = noticeOf(task, effect, line, now);
  return { ...changed, writes: [...changed.writes, event, ...notice, ...downstream(task, now)] };
}

function lineOf(settlement: Extract<Settle['settlement'], { becomes: 'ended' }>): OutcomeLine['effect'] {
  if (settlement.hadFinished) return 'had_finished';
  if (isOfSuccess(settlement.effect)) return 'succeeded';
  return isOfFailure(settlement.effect) ? 'failed' : 'stopped';
}
