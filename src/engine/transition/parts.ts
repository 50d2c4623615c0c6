/** The parts that transitions are put together from: guarded updates of a task and its run, ends, requeues, notices. */
import { replyEffect } from '../../core/comment.ts';
import { concernsNeeds } from '../../core/plan/batch.ts';
import { toRunAgain } from '../../core/requeue.ts';
import type { Run, RunState } from '../../core/run.ts';
import type { Ending, Requeue, Task } from '../../core/task.ts';
import { taskEvent } from '../journal.ts';
import { batchKey, SCHEDULE_KEY } from '../keys.ts';
import type { OutcomeLine, Write } from '../ports.ts';

export interface Subject {
  task: Task;
  run: Run | null;
}

export interface Transition extends Subject {
  writes: readonly Write[];
}

/** What a status comment shows of a task. That it is being stopped is not worth a call: its end follows. */
const SHOWN = ['state', 'hold', 'blockers', 'issueNumber'] as const satisfies readonly (keyof Task)[];

const ANSWER = replyEffect('');

/** Bursts of changes are one comment. */
const STATUS_MS = 5_000;

export function setTask({ task, run }: Subject, set: Partial<Omit<Task, 'id' | 'version'>>, now: Date): Transition {
  const shown = SHOWN.some((name) => name in set) ? statusWrites(task, now) : [];
  const moved = set.state !== undefined && task.batchId !== null && concernsNeeds(task.state, set.state);
  const told = set.notBefore === undefined ? {} : { notBeforeTold: set.notBeforeTold ?? false };
  const full = { ...set, ...(moved ? { needsDue: true } : {}), ...told, updatedAt: now };
  return {
    task: { ...task, ...full, version: task.version + 1 },
    run,
    writes: [{ write: 'task.update', id: task.id, version: task.version, set: full }, ...shown],
  };
}

export function setRun(
  { task, run }: Subject,
  from: readonly RunState[],
  set: Partial<Omit<Run, 'id' | 'taskId' | 'number'>>,
): Transition {
  if (run === null) return { task, run, writes: [] };
  return { task, run: { ...run, ...set }, writes: [{ write: 'run.update', id: run.id, from, set }] };
}

export function endTask(
  subject: Subject,
  ending: Ending,
  told: { now: Date; effect: string | null; line: OutcomeLine['effect'] },
): Transition {
  const { task, run } = subject;
  const { state, cause, actor, episodeId } = ending;
  const set = {
    state,
    cause,
    actor,
    target: null,
    endedByEpisodeId: episodeId,
    // A reopen of this very close is yet to come, also where an earlier one within the same second was answered.
    ...(episodeId === null ? {} : { reopenSeenEpisodeId: null }),
    finishedAt: told.now,
    notBefore: null,
    notBeforeReason: null,
  };
  const changed = setTask(subject, set, told.now);
  const data = { from: task.state, to: state, cause, actor, episode: episodeId };
  const events = [taskEvent(`TASK_${state.toUpperCase()}`, told.now, task, { run, data })];
  if (episodeId !== null && told.line === 'ended') {
    events.push(taskEvent('RECONCILIATION_TASK_SKIPPED', told.now, task, { data: { cause, episode: episodeId } }));
  }
  const runId = told.line === 'ended' ? null : (run?.id ?? null);
  const notice = noticeOf(task, told.effect, { runId, effect: told.line, result: state }, told.now);
  return { ...changed, writes: [...changed.writes, ...events, ...notice, ...downstream(task, told.now)] };
}

export function requeueTask(
  subject: Subject,
  requeue: Requeue,
  told: { now: Date; effect: string | null },
): Transition {
  const { task, run } = subject;
  const { reason, actor, episodeId } = requeue;
  const set = {
    ...toRunAgain(task),
    target: null,
    generation: task.generation + 1,
    attempt: 0,
    requeueReason: reason,
    endedByEpisodeId: null,
    exemptEpisodeId: null,
    reopenSeenEpisodeId: episodeId ?? task.reopenSeenEpisodeId,
    notBefore: null,
    notBeforeReason: null,
    finishedAt: null,
  };
  const changed = setTask(subject, set, told.now);
  const data = { from: task.state, to: set.state, reason, actor, episode: episodeId, generation: set.generation };
  const events = [taskEvent('TASK_REQUEUED', told.now, task, { run, data })];
  // What the world outside brought back, told apart from a person's own retry.
  if (episodeId !== null || reason === 'blocker_resolved') {
    events.push(taskEvent('RECONCILIATION_TASK_REQUEUED', told.now, task, { data }));
  }
  const notice = noticeOf(
    task,
    told.effect,
    { runId: run?.id ?? null, effect: 'requeued', result: set.state },
    told.now,
  );
  return { ...changed, writes: [...changed.writes, ...events, ...notice, ...downstream(task, told.now)] };
}

/** One line of the message that this effect owes; nothing where nobody is told, or no issue is there to tell it on. */
export function noticeOf(
  task: Task,
  effect: string | null,
  line: Omit<OutcomeLine, 'taskId'>,
  now: Date,
  dueAt: Date = now,
): Write[] {
  if (effect === null) return [];
  const isAnswer = effect.startsWith(ANSWER);
  if (task.issueNumber === null && !isAnswer) return [];
  const kind = isAnswer ? ('reply' as const) : ('outcome' as const);
  const item = { id: messageId(effect), key: effect, kind, repositoryId: task.repositoryId };
  // An answer is owed on its comment's issue before anything is done; this only owes it again, whatever issue the task has.
  const number = task.issueNumber ?? 0;
  return [
    { write: 'outbox.owe', item: { ...item, number, dueAt, createdAt: now } },
    { write: 'outbox.line', key: effect, line: { taskId: task.id, ...line } },
  ];
}

/** The status of the issue is to be told anew; nothing where there is no issue. */
export function statusWrites(
  { repositoryId, issueNumber }: Pick<Task, 'repositoryId' | 'issueNumber'>,
  now: Date,
): Write[] {
  if (issueNumber === null) return [];
  const key = `status:${repositoryId}#${issueNumber}`;
  const item = { id: messageId(key), key, kind: 'status', repositoryId, number: issueNumber } as const;
  return [{ write: 'outbox.owe', item: { ...item, dueAt: new Date(now.getTime() + STATUS_MS), createdAt: now } }];
}

/** The message's id is its cause, so that its marker is the same whoever makes the row. */
export function messageId(effect: string): string {
  return effect.replaceAll(/[:#]/g, '-');
}

/** The batch decides what may go on; a task without one goes straight to the schedule. */
export function downstream(task: Task, now: Date): Write[] {
  const keys = task.batchId === null ? [SCHEDULE_KEY] : [batchKey(task.batchId), SCHEDULE_KEY];
  return keys.map((key) => ({ write: 'work.enqueue' as const, key, dueAt: now }));
}
