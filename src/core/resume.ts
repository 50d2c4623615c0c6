/** Which of a batch's tasks a `resume` is about, and what it does to each: the failed, blocked and interrupted ones; with `force`, all. */
import type { BatchOrder } from './batch.ts';
import { releaseOf, type Subject } from './command.ts';
import type { Step } from './plan/steps.ts';
import { isEnded, isUndecided, type Task } from './task.ts';

type Resume = Extract<BatchOrder, { kind: 'resume' }>;

/**
 * What was skipped for a need comes back with that need. A task that has ended again since the order was given has been resumed
 * already; one that was blocked since waits for something that whoever gave it knew nothing of.
 */
export function isToBeResumed(
  { state, cause, finishedAt, updatedAt }: Pick<Task, 'state' | 'cause' | 'finishedAt' | 'updatedAt'>,
  { force, at }: Pick<Resume, 'force' | 'at'>,
): boolean {
  if (finishedAt !== null && finishedAt > at) return false;
  if (state === 'blocked')
    return (cause === 'question' || cause === 'blocker' || isUndecided({ state, cause })) && updatedAt <= at;
  if (state === 'failed' || state === 'cancelled') return true;
  return force && isEnded(state) && cause !== 'dependency';
}

/** Why it is left as it is, or its steps: a person who resumes waits for no answer and for no other issue. */
export function decideResume(
  { task, issue, blockers = [] }: Subject,
  { actor, at }: Pick<Resume, 'actor' | 'at'>,
): { steps: readonly Step[] } | { left: string } {
  if (issue !== null && issue.presence !== 'present') return { left: `#${issue.number} was ${issue.presence}` };
  if (issue?.state === 'closed') return { left: `#${issue.number} is closed: reopen it first` };
  const steps: Step[] = [releaseOf(task, blockers, { actor, at })];
  if (task.blockers.length > 0) steps.push({ step: 'set_blockers', blockers: [], answer: { text: null, actor } });
  steps.push({ step: 'requeue', requeue: { reason: 'resume', actor, episodeId: null }, effect: null });
  return { steps };
}
