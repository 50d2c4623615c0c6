/** What a close or reopen of an issue would do, as REST shows it. */
import type { ExplainResult } from '../../engine/explain.ts';
import type { ExplanationView } from '../schemas/explanation.ts';
import { time } from './shared.ts';
import { presentBlocker } from './task.ts';

export function presentExplanation(explained: Extract<ExplainResult, { result: 'explained' }>): ExplanationView {
  const { repository, issue, note, blockers, tasks, blocks } = explained;
  return {
    repository: repository.fullName,
    issue: issue.number,
    title: issue.title,
    state: issue.presence === 'present' ? issue.state : issue.presence,
    moved_to: issue.movedTo,
    seen_at: time(issue.observedAt),
    note,
    blocked_by: blockers.map(presentBlocker),
    tasks: tasks.map(({ task, waitingOn, ifClosed, ifReopened }) => ({
      id: task.id,
      key: task.key,
      batch_id: task.batchId,
      state: task.state,
      waiting_on: waitingOn,
      if_closed: { completed: ifClosed.completed, not_planned: ifClosed.notPlanned },
      if_reopened: ifReopened,
    })),
    blocks: blocks.map(({ task, issue: blocked, ifCompleted }) => ({
      ...{ id: task.id, key: task.key, batch_id: task.batchId, issue: blocked },
      if_completed: ifCompleted,
    })),
  };
}
