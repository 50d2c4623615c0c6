/**
 * From one step of a plan to the rows it changes: the one place where ends are written. Pure: it gives the writes and what
 * task and run are after them, so that the next step of the same plan builds on that.
 */
import { isOfFailure, type Step } from '../../core/plan/steps.ts';
import { LONGEST_WAIT_MS } from '../../core/report/outcome.ts';
import { toRunAgain } from '../../core/requeue.ts';
import { isLive, LIVE_RUN_STATES } from '../../core/run.ts';
import { type Ending, isEnded, isUndecided, type Task } from '../../core/task.ts';
import { taskEvent } from '../journal.ts';
import { issueKey, orphanKey, taskKey } from '../keys.ts';
import {
  downstream,
  endTask,
  noticeOf,
  requeueTask,
  type Subject,
  setRun,
  setTask,
  statusWrites,
  type Transition,
} from './parts.ts';
import { settleRun } from './settle.ts';

export type { Subject, Transition } from './parts.ts';

/** Steps that change rows; the others have their effect elsewhere. */
export type RowStep = Exclude<Step, { step: 'start' | 'signal' | 'refresh_issue' | 'seek_evidence' }>;

export function transition(subject: Subject, step: RowStep, now: Date): Transition {
  const { task, run } = subject;
  switch (step.step) {
    case 'end':
      return endTask(subject, step.ending, { now, effect: step.effect, line: 'ended' });
    case 'requeue':
      return requeueTask(subject, step.requeue, { now, effect: step.effect });
    case 'settle':
      return settleRun(subject, step, now);
    case 'stop':
      return stop(subject, step, now);
    case 'retarget':
      return retarget(subject, step, now);
    case 'refuse': {
      const changed = setTask(subject, { reopenSeenEpisodeId: step.episodeId }, now);
      const event = taskEvent('TASK_REQUEUE_REFUSED', now, task, { data: { episode: step.episodeId, why: step.why } });
      const notice = noticeOf(task, step.effect, { runId: null, effect: 'refused', result: step.why }, now);
      return { ...changed, writes: [...changed.writes, event, ...notice] };
    }
    case 'exempt': {
      const changed = setTask(subject, { exemptEpisodeId: step.episodeId }, now);
      const event = taskEvent('TASK_EXEMPTED', now, task, { data: { episode: step.episodeId } });
      return { ...changed, writes: [...changed.writes, event, ...again(task, now)] };
    }
    case 'mark_started': {
      const set = { state: 'running', startedAt: step.startedAt, containment: step.containment } as const;
      const changed = setRun(subject, ['starting'], set);
      return {
        ...changed,
        // A status that went out while it took its time to start would say so until the run ends.
        writes: [
          ...changed.writes,
          taskEvent('RUN_STARTED', now, task, { run }),
          ...statusWrites(task, now),
          ...again(task, now),
        ],
      };
    }
    case 'mark_gone': {
      const { exitCode, signal, startedAt, endedAt } = step.result;
      return setRun(subject, LIVE_RUN_STATES, { exitCode, signal, startedAt, endedAt, goneAt: now });
    }
    case 'mark_survivors':
      return markSurvivors(subject, step.pids, now);
    case 'hold': {
      const changed = setTask(subject, { hold: step.hold }, now);
      const event = taskEvent(step.hold ? 'TASK_HELD' : 'TASK_RELEASED', now, task, {
        data: { ...step.hold, actor: step.actor },
      });
      return { ...changed, writes: [...changed.writes, event, ...downstream(task, now)] };
    }
    case 'await_evidence':
      return awaitEvidence(subject, step.wait, now);
    case 'set_blockers':
      return setBlockers(subject, step, now);
    case 'block':
      return block(subject, step.by, now);
    case 'release_blockers': {
      const changed = setTask(subject, { released: step.released }, now);
      const data = { blockers: step.released.map(({ blocker }) => blocker), actor: step.actor };
      return {
        ...changed,
        writes: [...changed.writes, taskEvent('TASK_RELEASED', now, task, { data }), ...again(task, now)],
      };
    }
    case 'link':
      return link(subject, step, now);
    case 'disregard_survivors':
      return disregardSurvivors(subject, step.ending, now);
    case 'recheck':
      return { ...subject, writes: [{ write: 'work.enqueue', key: taskKey(task.id), dueAt: step.at }] };
  }
}

function stop(subject: Subject, { target }: Extract<Step, { step: 'stop' }>, now: Date): Transition {
  const { task, run } = subject;
  const stopped = setRun(subject, ['starting', 'running'], {
    state: 'stopping',
    cancelRequestedAt: now,
    cause: target.ending.cause,
  });
  const changed = setTask(stopped, { target }, now);
  const { cause, actor, episodeId } = target.ending;
  const events = [taskEvent('RUN_STOPPING', now, task, { run, data: { cause, actor, becomes: target.becomes } })];
  if (episodeId !== null) {
    events.push(taskEvent('RECONCILIATION_TASK_SKIPPED', now, task, { run, data: { cause, episode: episodeId } }));
  }
  const line = { runId: run?.id ?? null, effect: 'stopping', result: target.ending.state } as const;
  const dueAt = new Date(now.getTime() + LONGEST_WAIT_MS);
  // Whether a deadline's stop is a failure to tell of is known when the run is seen gone.
  const notice = isOfFailure(target.effect) ? [] : noticeOf(task, target.effect, line, now, dueAt);
  return { ...changed, writes: [...stopped.writes, ...changed.writes, ...events, ...notice] };
}

function retarget(subject: Subject, { target }: Extract<Step, { step: 'retarget' }>, now: Date): Transition {
  const { task, run } = subject;
  const before = task.target?.effect ?? null;
  const changed = setTask(subject, { target }, now);
  const event = taskEvent('TASK_RETARGETED', now, task, { run, data: { becomes: target.becomes, ...target.ending } });
  const dueAt = new Date(now.getTime() + LONGEST_WAIT_MS);
  const runId = run?.id ?? null;
  const effect = target.becomes === 'requeued' ? 'requeue_pending' : 'stopping';
  const taken =
    before !== null && before !== target.effect && !isOfFailure(before)
      ? noticeOf(task, before, { runId, effect: 'superseded', result: target.ending.state }, now)
      : [];
  const notice = noticeOf(task, target.effect, { runId, effect, result: target.ending.state }, now, dueAt);
  return { ...changed, writes: [...changed.writes, event, ...taken, ...notice, ...again(task, now)] };
}

function markSurvivors(subject: Subject, pids: readonly number[], now: Date): Transition {
  const { task, run } = subject;
  const marked = setRun(subject, LIVE_RUN_STATES, { survivors: pids });
  const changed = setTask(marked, { state: 'blocked', cause: 'survivors', actor: 'standdown' }, now);
  const event = taskEvent('RUN_SURVIVED', now, task, { run, data: { pids } });
  const effect = task.target?.effect ?? null;
  const line = { runId: run?.id ?? null, effect: 'stopping', result: 'survivors' } as const;
  const notice = noticeOf(task, effect, line, now);
  // Its batch may be stuck by that.
  return { ...changed, writes: [...marked.writes, ...changed.writes, event, ...notice, ...downstream(task, now)] };
}

function setBlockers(
  subject: Subject,
  { blockers, answer }: Extract<Step, { step: 'set_blockers' }>,
  now: Date,
): Transition {
  const { task, run } = subject;
  // Once the last one is answered, the task's own plan brings it back, as it does when an issue stops blocking.
  // A question does not take away what a person has to decide.
  const asks = blockers.length > 0 && !isLive(run) && !isEnded(task.state) && !isUndecided(task);
  const changed = setTask(subject, { blockers, ...(asks ? toRunAgain({ ...task, blockers }) : {}) }, now);
  const type = blockers.length > 0 ? 'TASK_BLOCKED' : 'TASK_UNBLOCKED';
  const asked = (blockers.length > 0 ? blockers : task.blockers).map((blocker) => blocker.question);
  const said = answer === undefined ? {} : { answer: answer.text, actor: answer.actor };
  const event = taskEvent(type, now, task, { data: { questions: asked, ...said } });
  return { ...changed, writes: [...changed.writes, event, ...downstream(task, now)] };
}

/** Its batch may be stuck by that. */
function block(subject: Subject, by: readonly string[], now: Date): Transition {
  const { task } = subject;
  const changed = setTask(subject, { state: 'blocked', cause: 'blocker', actor: 'standdown' }, now);
  const event = taskEvent('TASK_BLOCKED', now, task, { data: { from: task.state, blocked_by: by } });
  return { ...changed, writes: [...changed.writes, event, ...downstream(task, now)] };
}

/** Told where it begins and where it is over; between these it is only asked again. */
function awaitEvidence(
  subject: Subject,
  wait: Extract<Step, { step: 'await_evidence' }>['wait'],
  now: Date,
): Transition {
  const { task, run } = subject;
  const { until = null, reason = null } = wait ?? {};
  const changed = setTask(subject, { notBefore: until, notBeforeReason: reason }, now);
  const look = { write: 'work.enqueue', key: taskKey(task.id), dueAt: until ?? now } as const;
  const isNews = (task.notBeforeReason === null) !== (reason === null);
  const event = taskEvent('RUN_EVIDENCE_AWAITED', now, task, { run, data: { reason } });
  const told = isNews ? [...(reason === null ? [] : [event]), ...statusWrites(task, now)] : [];
  return { ...changed, writes: [...changed.writes, look, ...told] };
}

function link(subject: Subject, { issueNumber, actor }: Extract<Step, { step: 'link' }>, now: Date): Transition {
  const { task } = subject;
  const set = { issueNumber, endedByEpisodeId: null, exemptEpisodeId: null, reopenSeenEpisodeId: null, released: [] };
  const changed = setTask(subject, set, now);
  const event = taskEvent('TASK_LINKED', now, task, { data: { from: task.issueNumber, to: issueNumber, actor } });
  const keys = issueNumber === null ? [] : [issueKey({ repositoryId: task.repositoryId, number: issueNumber })];
  const status = statusWrites({ repositoryId: task.repositoryId, issueNumber }, now);
  const looks = keys.map((key) => ({ write: 'work.enqueue' as const, key, dueAt: now }));
  return { ...changed, writes: [...changed.writes, event, ...status, ...looks, ...again(task, now)] };
}

function disregardSurvivors(subject: Subject, ending: Ending, now: Date): Transition {
  const { task, run } = subject;
  const { target } = task;
  const result = {
    state: 'cancelled' as const,
    cause: ending.cause,
    reason: 'a person disregarded its survivors',
    failureClass: null,
    exitCode: run?.exitCode ?? null,
    signal: run?.signal ?? null,
    startedAt: run?.startedAt ?? null,
    endedAt: run?.endedAt ?? null,
  };
  const effect = target?.effect ?? null;
  const settlement =
    target?.becomes === 'requeued'
      ? ({ becomes: 'requeued', requeue: target.requeue, effect } as const)
      : ({ becomes: 'ended', ending, effect, hadFinished: false } as const);
  const settled = settleRun(subject, { step: 'settle', result, settlement, goneAt: null }, now);
  if (run === null) return settled;
  // Nobody waits for it any more, but it is looked after: until it is seen gone, what is on disk of it is kept.
  const look = { write: 'work.enqueue', key: orphanKey(run.id), dueAt: now } as const;
  return { ...settled, writes: [...settled.writes, look] };
}

function again(task: Task, now: Date) {
  return [{ write: 'work.enqueue' as const, key: taskKey(task.id), dueAt: now }];
}
