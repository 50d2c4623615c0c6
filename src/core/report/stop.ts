/** Why a run ends, as whoever attends it is told on their terminal: one line, without markup. Pure. */
import type { CloseEpisode, CloseReason } from '../issue.ts';
import type { Run } from '../run.ts';
import type { EndState, Target, Task } from '../task.ts';

export const CLOSED: Readonly<Record<CloseReason, string>> = {
  completed: 'closed as completed',
  not_planned: 'closed as not planned',
  duplicate: 'closed as a duplicate',
  unknown: 'closed without a reason',
};

export interface StopFacts {
  task: Pick<Task, 'key' | 'issueNumber'>;
  /** `owner/name` of its repository. */
  repository: string;
  run: Pick<Run, 'number'>;
  target: Target;
  /** The close that it comes from; null: it comes from none. */
  episode: CloseEpisode | null;
}

const ORDERED: Readonly<Record<EndState, string>> = {
  done: 'counted as done',
  failed: 'given up',
  cancelled: 'cancelled',
  skipped: 'skipped',
};

/** E.g. `acme/widgets#12 was closed as not planned by ann`. */
export function stopWords({ task, repository, run, target, episode }: StopFacts): string {
  const issue = `${repository}#${task.issueNumber}`;
  if (episode !== null) return `${issue} was ${CLOSED[episode.reason]}${by(episode.actor)}`;
  const { state, cause, actor } = target.ending;
  switch (cause) {
    case 'issue_deleted':
      return `${issue} was deleted`;
    case 'issue_transferred':
      return `${issue} was transferred to another repository`;
    case 'timeout':
      return `run ${run.number} of ${task.key} took longer than it may`;
    case 'app_uninstalled':
      return `the App was taken from ${repository}`;
    default:
      return `${task.key} was ${ORDERED[state]}${by(actor)}`;
  }
}

function by(actor: string | null): string {
  return actor === null || actor === 'standdown' ? '' : ` by ${actor}`;
}

/** Of a run that has ended here while somebody attends it. */
export function overWords({ key }: Pick<Task, 'key'>, { number, state, reason }: Run): string {
  if (state !== 'lost') return `run ${number} of ${key} is over here: ${state}`;
  return `run ${number} of ${key} was given up${reason === null ? '' : `: ${reason}`}`;
}
