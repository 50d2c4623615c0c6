/** Tasks and runs, as REST shows them. */

import type { TrackedIssue } from '../../core/issue.ts';
import type { ShownBlocker } from '../../core/report/blockers.ts';
import { isLive, type Run } from '../../core/run.ts';
import type { Task } from '../../core/task.ts';
import type { RepositoryState } from '../../engine/ports.ts';
import type { BlockerShown, IssueBlockerShown } from '../schemas/blocker.ts';
import type { RunView } from '../schemas/run.ts';
import type { TaskView } from '../schemas/task.ts';
import { presentIssueState } from './issue-state.ts';
import { fullName, presentHold, time } from './shared.ts';

/** What is shown of a task beside its own row. */
export interface TaskSurroundings {
  repositories: ReadonlyMap<string, RepositoryState>;
  /** Its own, as it was last seen; null: it has none, or it was never read. */
  issue: TrackedIssue | null;
  now: Date;
  runs: readonly Run[];
  waitingOn: string | null;
  silentSince(runner: string): Date | null;
  /** Issues that its own is blocked by. */
  blockers: readonly ShownBlocker[];
}

export function presentTask(task: Task, surroundings: TaskSurroundings): TaskView {
  const { repositories, issue, now, runs, waitingOn, blockers, silentSince } = surroundings;
  const repository = repositories.get(task.repositoryId) ?? null;
  return {
    id: task.id,
    key: task.key,
    name: task.name,
    batch_id: task.batchId,
    repository: fullName(task.repositoryId, repositories),
    issue: task.issueNumber,
    issue_state: issue && presentIssueState(task, { issue, repository }, now),
    state: task.state,
    cause: task.cause,
    actor: task.actor,
    waiting_on: waitingOn,
    needs: [...task.needs],
    runs_on: task.spec.runsOn,
    attempt: task.attempt,
    not_before: time(task.notBefore),
    hold: task.hold && presentHold(task.hold),
    blockers: [
      ...presentQuestions(task),
      ...blockers.map((blocker) => ({ kind: 'issue' as const, ...presentBlocker(blocker) })),
    ],
    released: task.released.map(({ blocker, actor, at }) => ({ issue: blocker, actor, at: time(at) })),
    runs: runs.map((run) => presentRun(run, silentSince)),
    created_at: time(task.createdAt),
    updated_at: time(task.updatedAt),
    finished_at: time(task.finishedAt),
  };
}

function presentQuestions({ blockers }: Task): BlockerShown[] {
  return blockers.map(({ id, question, actor, at }) => ({ kind: 'question', id, question, actor, at: time(at) }));
}

export function presentBlocker({ label, source, status, actor, needs }: ShownBlocker): IssueBlockerShown {
  return { issue: label, source, status, actor, needs };
}

/** What its runner does not tell counts for a run that it may still have. */
export function presentRun(run: Run, silentSince: (runner: string) => Date | null): RunView {
  return {
    id: run.id,
    number: run.number,
    purpose: run.purpose,
    runner: run.runner,
    state: run.state,
    cause: run.cause,
    reason: run.reason,
    failure_class: run.failureClass,
    exit_code: run.exitCode,
    signal: run.signal,
    containment: run.containment,
    survivors: [...run.survivors],
    silent_since: isLive(run) ? time(silentSince(run.runner)) : null,
    started_at: time(run.startedAt),
    cancel_requested_at: time(run.cancelRequestedAt),
    term_at: time(run.termAt),
    kill_at: time(run.killAt),
    ended_at: time(run.endedAt),
    gone_at: time(run.goneAt),
  };
}
