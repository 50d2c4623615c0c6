/** What a reopen means for an ended task: queued again, or not and why. */
import { allowsOverlap } from '../failure.ts';
import type { CloseEpisode } from '../issue.ts';
import type { Policy } from '../policy.ts';
import type { Task } from '../task.ts';
import type { TaskObservation } from './observation.ts';
import { isUnseen } from './orphan.ts';
import { type Refusal, reopenEffect, type Step } from './steps.ts';

const DAY_MS = 86_400_000;

export function planReopen(o: TaskObservation, policy: Policy, now: Date): readonly Step[] {
  const { task, episode } = o;
  if (episode === null || !awaitsReopen(o, policy)) return [];
  const effect = reopenEffect(episode.id);
  const why = refusalOfReopen(o, episode, policy, now);
  if (why !== null) return [{ step: 'refuse', episodeId: episode.id, effect, why }];
  const actor = episode.reopen?.actor ?? 'unknown';
  const requeue: Step = {
    step: 'requeue',
    requeue: { reason: 'issue_reopened', actor, episodeId: episode.id },
    effect,
  };
  if (!tooMany(o, policy)) return [requeue];
  const reason = `requeued ${o.requeuesWithinHour} times within an hour`;
  // Held first: between the two steps it must not be startable.
  return [{ step: 'hold', hold: task.hold ?? { reason, actor: 'standdown', at: now }, actor: 'standdown' }, requeue];
}

/** Whether a reopen that was judged by now has yet to be answered for a task. */
export function awaitsReopen(
  { task, episode, issue }: Pick<TaskObservation, 'task' | 'episode' | 'issue'>,
  policy: Policy,
): boolean {
  if (episode?.state !== 'undone' || issue?.state !== 'open' || issue.presence !== 'present') return false;
  if (episode.reopen === null || episode.reopen.authority === 'pending') return false;
  return concerns(task, episode, policy);
}

/** What ended the tasks that a reopen may be about. */
export type EndedBy = 'close' | 'anything';

export function endedByOf({ onReopen }: Pick<Policy, 'onReopen'>): EndedBy {
  return onReopen === 'requeue_unsuccessful' || onReopen === 'requeue_all' ? 'anything' : 'close';
}

/** Which ended tasks a reopen is about; `requeue_stopped`: only what that very close ended. */
function concerns(task: Task, episode: CloseEpisode, policy: Policy): boolean {
  // Answered already, by a requeue or by a refusal that was told.
  if (task.reopenSeenEpisodeId === episode.id) return false;
  switch (policy.onReopen) {
    case 'ignore':
      return false;
    case 'requeue_stopped':
      return endedByClose(task);
    case 'requeue_unsuccessful':
      return (
        endedByClose(task) || ((task.state === 'failed' || task.state === 'cancelled') && endedBefore(task, episode))
      );
    case 'requeue_all':
      return endedByClose(task) || endedBefore(task, episode);
  }
}

/** A reopen is about what had ended by then, and not about what ends at any time after it. */
function endedBefore({ finishedAt }: Task, { reopen }: CloseEpisode): boolean {
  return finishedAt !== null && reopen !== null && finishedAt <= reopen.at;
}

/**
 * By this close, or by an earlier one of the same issue whose reopen started nothing: it was never heard of, or its actor might
 * not start work.
 */
function endedByClose(task: Task): boolean {
  return task.endedByEpisodeId !== null;
}

/** Why a reopen does not start work; null: it may. A reopener whose permission could not be read starts nothing. */
export function refusalOfReopen(o: TaskObservation, episode: CloseEpisode, policy: Policy, now: Date): Refusal | null {
  const authority = episode.reopen?.authority;
  if (authority !== 'granted') return authority === 'unreadable' ? 'not_readable' : 'not_permitted';
  if (now.getTime() - closeOf(o.task, episode).getTime() > policy.reopenWindowDays * DAY_MS) return 'too_late';
  if (mayYetLive(o)) return 'unseen';
  return o.barred;
}

/** Its last run was lost, and nobody saw it end: a reopen does not start another one beside it. */
function mayYetLive({ task, run }: TaskObservation): boolean {
  return run !== null && isUnseen(run) && !allowsOverlap(task);
}

/** When the close that ended the task was; the newest close may be a later one. */
function closeOf({ endedByEpisodeId, finishedAt }: Task, { id, closedAt }: CloseEpisode): Date {
  return endedByEpisodeId === null || endedByEpisodeId === id ? closedAt : (finishedAt ?? closedAt);
}

/** An issue that flaps: its task waits for a person's `release` instead of starting over and over. */
export function tooMany(o: TaskObservation, policy: Policy): boolean {
  return o.requeuesWithinHour >= policy.maxRequeuesPerHour;
}
