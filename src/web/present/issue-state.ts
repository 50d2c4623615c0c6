/** What is known of the issue of a task, as REST shows it. */
import type { TrackedIssue } from '../../core/issue.ts';
import { isEnded, type Task } from '../../core/task.ts';
import type { RepositoryState } from '../../engine/ports.ts';
import type { IssueStateView } from '../schemas/issue-state.ts';
import { presentProblem } from './repository.ts';
import { ageSeconds, time } from './shared.ts';

export interface SeenIssue {
  issue: TrackedIssue;
  /** Of its repository; null: it was forgotten. */
  repository: Pick<RepositoryState, 'access' | 'accessSince' | 'sweptAt' | 'sweepProblem'> | null;
}

export function presentIssueState(task: Pick<Task, 'state'>, seen: SeenIssue, now: Date): IssueStateView {
  const { state, reason, closedAt, locked, presence, movedTo, observedAt } = seen.issue;
  const { access = 'ok', accessSince = null, sweepProblem: problem = null } = seen.repository ?? {};
  return {
    ...{ state, reason: state === 'closed' ? reason : null, closed_at: time(closedAt), locked },
    ...{ presence, moved_to: movedTo, observed_at: time(observedAt) },
    data_age_seconds: ageSeconds(confirmedAt(task, seen), now),
    ...{ access, access_since: time(accessSince) },
    problem: problem && presentProblem(problem),
  };
}

/** A sweep speaks for issues that unfinished tasks hang on, but for those that it has found news of. */
function confirmedAt({ state }: Pick<Task, 'state'>, { issue, repository }: SeenIssue): Date {
  const { observedAt, presence, readDue } = issue;
  const sweptAt = repository?.sweptAt ?? null;
  if (sweptAt === null || sweptAt < observedAt || readDue || presence !== 'present' || isEnded(state))
    return observedAt;
  return sweptAt;
}
