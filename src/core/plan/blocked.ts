/** The plan of a task without a run, as far as questions and blocking issues go: kept from starting, or queued again. */
import { blocking, isBeingJudged } from '../blockers/blocker.ts';
import { isUndecided } from '../task.ts';
import type { TaskObservation } from './observation.ts';
import type { Step } from './steps.ts';

/** Queued again by the one guarded step that leaves `blocked`, and so once, whatever told that the last blocker is gone. */
export function planBlockers({ task, blockers }: TaskObservation): readonly Step[] {
  const views = blocking(task, blockers);
  const by = views.map(({ label }) => label);
  const block: Step = { step: 'block', by };
  // What was resolved long ago would call its batch stuck for as long as its closer is being judged.
  if (task.state !== 'blocked') return by.length > 0 && !isBeingJudged(views) ? [block] : [];
  if (task.blockers.length > 0 || task.cause === 'survivors' || isUndecided(task)) return [];
  if (by.length > 0) return task.cause === 'blocker' ? [] : [block];
  const actor = blockers.find(({ status }) => status === 'resolved')?.actor ?? 'standdown';
  return [{ step: 'requeue', requeue: { reason: 'blocker_resolved', actor, episodeId: null }, effect: null }];
}
