/**
 * What a close or a reopen of its issue would do to a task now, in words: the very plan is made for a world in which it has
 * just happened, by somebody who may do it. And what a close would do to tasks that wait for that issue. Pure.
 */
import { type BlockerView, blocking } from './blockers/blocker.ts';
import type { CloseEpisode, CloseReason, TrackedIssue } from './issue.ts';
import type { TaskObservation } from './plan/observation.ts';
import type { Step } from './plan/steps.ts';
import { planTask } from './plan/task.ts';
import type { Policy } from './policy.ts';
import { utc } from './report/text.ts';
import { isLive } from './run.ts';
import { type Ending, isEnded } from './task.ts';

const DAY_MS = 86_400_000;
const SOMEBODY = 'somebody';

type Close = Pick<CloseEpisode, 'reason' | 'action'>;

/** An issue and its newest close, as they would be. */
export interface Hypothesis {
  issue: TrackedIssue;
  episode: CloseEpisode;
}

function closedNow(issue: TrackedIssue, { reason, action }: Close, now: Date): Hypothesis {
  const { repositoryId, number, nodeId } = issue;
  const judged = { actor: SOMEBODY, authority: 'granted', action, state: 'acted' } as const;
  const episode = { id: 'close', repositoryId, number, nodeId, closedAt: now, reason, learnedAt: now, reopen: null };
  return {
    issue: { ...issue, state: 'closed', reason, closedAt: now, readDue: false, observedAt: now },
    episode: { ...episode, ...judged },
  };
}

/** null: there is no close in force that a reopen could undo. */
export function reopenedNow(issue: TrackedIssue, episode: CloseEpisode | null, now: Date): Hypothesis | null {
  if (issue.presence !== 'present' || issue.state !== 'closed' || episode?.state !== 'acted') return null;
  return {
    issue: { ...issue, state: 'open', closedAt: null, readDue: false, observedAt: now },
    episode: { ...episode, state: 'undone', reopen: { actor: SOMEBODY, authority: 'granted', at: now } },
  };
}

/** `o`: as it is now, the issue open or closed. */
export function explainClose(
  o: TaskObservation & { issue: TrackedIssue },
  reason: CloseReason,
  { policy, now }: { policy: Policy; now: Date },
): string {
  if (o.issue.presence !== 'present') return `nothing: the issue was ${o.issue.presence}`;
  if (isEnded(o.task.state)) return `nothing: it is ${endWords(o.task)} already`;
  if (o.issue.state === 'closed') return 'nothing: the issue is closed already';
  const supposed = { ...o, ...closedNow(o.issue, { reason, action: policy.onClose[reason] }, now) };
  const delay = policy.closeDelaySeconds;
  const later = delay > 0 ? `unless it is reopened within ${delay} s, ` : '';
  return `${later}${closeWords(supposed, planTask(supposed, policy, now), policy)}`;
}

function closeWords(o: TaskObservation, steps: readonly Step[], policy: Policy): string {
  const { task } = o;
  const run = `run ${task.runNumber}`;
  for (const step of steps) {
    switch (step.step) {
      case 'stop':
        if (step.target.becomes === 'ended') return `${run} is stopped, and ${becomes(step.target.ending, policy)}`;
        return `${run} is stopped`;
      case 'retarget':
        return `${run} is being stopped already; then ${becomes(step.target.ending, policy)}`;
      case 'end':
        return `it has no run to stop, and ${becomes(step.ending, policy)}`;
      case 'exempt':
        if (o.episode?.action === 'ignore') return 'nothing: such a close is ignored (on_close: ignore)';
        return `${run} finishes, and is not tried again (on_close: let_finish)`;
      case 'settle':
        return `nothing: ${run} has just ended by itself`;
    }
  }
  const ending = task.target === null ? '' : `; it then becomes ${task.target.ending.state}`;
  return isLive(o.run) && o.run.state === 'stopping'
    ? `nothing more: ${run} is being stopped already${ending}`
    : 'nothing';
}

/** Anybody's close stops; only some people's close counts as done. */
function becomes({ state }: Ending, { permissions }: Policy): string {
  if (state !== 'done') return `it becomes ${state}`;
  return `it becomes done (cancelled, where whoever closes the issue has no ${permissions.done} permission)`;
}

/** `o`: as it would be, the issue reopened just now. */
export function explainReopen(o: TaskObservation, policy: Policy, now: Date): string {
  const steps = planTask(o, policy, now);
  const next = `run ${o.task.runNumber + 1}`;
  const held = steps.find((step) => step.step === 'hold');
  for (const step of steps) {
    switch (step.step) {
      case 'requeue': {
        const hold = held?.hold ? `, on hold: ${held.hold.reason ?? 'no reason given'}` : '';
        return `it is queued again as ${next}${hold} ${condition(o, policy)}`;
      }
      case 'retarget':
        return `once run ${o.task.runNumber} has stopped, it is queued again as ${next} ${condition(o, policy)}`;
      case 'refuse':
        return `nothing: ${refusalWords(step.why, policy)}`;
    }
  }
  if (isLive(o.run)) return `nothing: run ${o.run.number} goes on`;
  if (!isEnded(o.task.state)) return `nothing: it is ${o.task.state}`;
  if (policy.onReopen === 'ignore') return 'nothing: a reopen queues nothing again (on_reopen: ignore)';
  return `nothing: it is ${endWords(o.task)}, and no close of the issue ended it; a retry runs it again`;
}

function endWords({ state, cause, actor }: TaskObservation['task']): string {
  const why = [cause, actor === null || actor === cause ? null : `by ${actor}`].filter((part) => part !== null);
  return why.length === 0 ? state : `${state} (${why.join(' ')})`;
}

/**
 * What it would do to a task of another issue if this one were closed as completed; null: the task does not wait for it.
 * `labels` are those that it has among the blockers.
 */
export function explainUnblocking(
  task: TaskObservation['task'],
  blockers: readonly BlockerView[],
  { labels, policy }: { labels: readonly string[]; policy: Policy },
): string | null {
  const now = blocking(task, blockers);
  if (!now.some(({ label, status }) => status === 'open' && labels.includes(label))) return null;
  const others = now.map(({ label }) => label).filter((label) => !labels.includes(label));
  const left = [...new Set(others), ...(task.blockers.length > 0 ? ['an open question'] : [])];
  const words = left.length === 0 ? 'nothing blocks it any more' : `it is still blocked by ${left.join(', ')}`;
  return `${words} (where whoever closes the issue has ${policy.permissions.done} permission)`;
}

function condition({ episode }: TaskObservation, { permissions, reopenWindowDays }: Policy): string {
  const until =
    episode === null ? '' : `, until ${utc(new Date(episode.closedAt.getTime() + reopenWindowDays * DAY_MS))}`;
  return `(where whoever reopens the issue has ${permissions.retry} permission${until})`;
}

function refusalWords(why: Extract<Step, { step: 'refuse' }>['why'], { reopenWindowDays }: Policy): string {
  switch (why) {
    case 'unseen':
      return 'its last run was lost, and nobody saw it end';
    case 'too_late':
      return `the issue was closed more than ${reopenWindowDays} days ago`;
    case 'superseded':
      return 'a newer batch of that name exists';
    case 'batch_cancelled':
      return 'its batch is being cancelled';
    case 'not_permitted':
    case 'not_readable':
      return 'whoever reopens it may not start work';
  }
}
