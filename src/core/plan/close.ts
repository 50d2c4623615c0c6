/** What a close means for one task: which action applies, and which end it gives. */
import type { CloseEpisode, CloseReason } from '../issue.ts';
import type { Cause, Ending, Target } from '../task.ts';
import type { TaskObservation } from './observation.ts';

const CAUSE_OF_REASON: Readonly<Record<CloseReason, Cause>> = {
  completed: 'issue_completed',
  not_planned: 'issue_not_planned',
  duplicate: 'issue_duplicate',
  unknown: 'issue_completed',
};

/** The close that is in force for this task now, if any. A `pending` one (its delay runs) is not yet. */
export function closeInForce({ task, issue, episode }: TaskObservation): CloseEpisode | null {
  if (issue === null || episode === null || issue.state !== 'closed' || episode.state !== 'acted') return null;
  return task.exemptEpisodeId === episode.id ? null : episode;
}

/** Whether a close keeps new work from starting: `let_finish` does, `ignore` doesn't. */
export function closeForbidsWork({ issue, episode }: TaskObservation): boolean {
  return issue?.state === 'closed' && episode?.state === 'acted' && episode.action !== 'ignore';
}

/**
 * The end that a close gives. Only a closer who may say `done` makes a task `done`, since that satisfies needs and so starts
 * work; anyone's close stops. While the authority is not known yet, the answer is null where it matters.
 */
export function endingOfClose(episode: CloseEpisode): Ending | null {
  const actor = episode.actor ?? 'unknown';
  if (episode.action !== 'done') {
    return { state: 'cancelled', cause: CAUSE_OF_REASON[episode.reason], actor, episodeId: episode.id };
  }
  if (episode.authority === 'pending') return null;
  return episode.authority === 'granted'
    ? { state: 'done', cause: CAUSE_OF_REASON[episode.reason], actor, episodeId: episode.id }
    : { state: 'cancelled', cause: 'issue_closed', actor, episodeId: episode.id };
}

/** What a stop is recorded with at once: the authority corrects it when the run is seen gone. */
export function intendedEnding(episode: CloseEpisode): Ending {
  return (
    endingOfClose(episode) ?? {
      state: 'done',
      cause: CAUSE_OF_REASON[episode.reason],
      actor: episode.actor ?? 'unknown',
      episodeId: episode.id,
    }
  );
}

/** What a target's end comes to, now that its close is judged. null: the closer's permission is still being read. */
export function authorisedEnding({ ending }: Target, endingEpisode: CloseEpisode | null): Ending | null {
  return endingEpisode !== null && endingEpisode.id === ending.episodeId ? endingOfClose(endingEpisode) : ending;
}

/** The end of a task whose repository the App was taken from. */
export const UNINSTALLED: Ending = { state: 'cancelled', cause: 'app_uninstalled', actor: 'github', episodeId: null };

/** The end of a task whose issue is gone for good, on GitHub's positive word. */
export function endingOfAbsence(presence: 'deleted' | 'transferred'): Ending {
  return {
    state: 'cancelled',
    cause: presence === 'deleted' ? 'issue_deleted' : 'issue_transferred',
    actor: 'github',
    episodeId: null,
  };
}
