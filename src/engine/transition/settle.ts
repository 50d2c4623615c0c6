/** A run's end and its task's next state, in one transaction: the only place where a run's end is written. */
import { isOfFailure, isOfSuccess, type Step } from '../../core/plan/steps.ts';
import { toRunAgain } from '../../core/requeue.ts';
import { LIVE_RUN_STATES } from '../../core/run.ts';
import { taskEvent } from '../journal.ts';
import type { OutcomeLine } from '../ports.ts';
import { downstream, endTask, requeueTask, type Subject, setRun, setTask, type Transition } from './parts.ts';

type Settle = Extract<Step, { step: 'settle' }>;

export function settleRun(subject: Subject, { result, settlement, goneAt }: Settle, now: Date): Transition {
  const { task, run } = subject;
  const survivors = goneAt === null ? {} : { survivors: [] };
  const startedAt = result.startedAt ?? run?.startedAt ?? null;
  const ended = setRun(subject, LIVE_RUN_STATES, { ...result, startedAt, goneAt, ...survivors });
  const { state, cause, reason, exitCode, signal } = result;
  const event = taskEvent('RUN_ENDED', now, task, { run, data: { state, cause, reason, exit_code: exitCode, signal } });
  const next = afterRun(ended, settlement, now);
  return { ...next, writes: [...ended.writes, event, ...next.writes] };
}

function afterRun(subject: Subject, settlement: Settle['settlement'], now: Date): Transition {
  switch (settlement.becomes) {
    case 'ended':
      return endTask(subject, settlement.ending, { now, effect: settlement.effect, line: lineOf(settlement) });
    case 'requeued':
      return requeueTask(subject, settlement.requeue, { now, effect: settlement.effect });
    case 'retried': {
      const { task, run } = subject;
      const reason = `attempt ${task.attempt} of ${task.spec.retry.attempts} failed`;
      const set = {
        ...toRunAgain(task),
        target: null,
        notBefore: settlement.notBefore,
        notBeforeReason: reason,
      };
      const changed = setTask(subject, set, now);
      const data = { attempt: task.attempt, not_before: settlement.notBefore.toISOString() };
      const event = taskEvent('TASK_RETRY_SCHEDULED', now, task, { run, data });
      // Its slot is free for others meanwhile; the schedule itself knows when this one's turn is.
      return { ...changed, writes: [...changed.writes, event, ...downstream(task, now)] };
    }
  }
}

function lineOf(settlement: Extract<Settle['settlement'], { becomes: 'ended' }>): OutcomeLine['effect'] {
  if (settlement.hadFinished) return 'had_finished';
  if (isOfSuccess(settlement.effect)) return 'succeeded';
  return isOfFailure(settlement.effect) ? 'failed' : 'stopped';
}
