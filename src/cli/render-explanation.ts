/** What is known of an issue and its tasks, as text for people. */
import { visible } from '../core/report/text.ts';
import { absenceWords } from './render-issue.ts';
import { issueBlockerLine } from './render-task.ts';
import type { ExplanationView } from './views.ts';

export function renderExplanation(explanation: ExplanationView): string {
  const { repository, issue, state, title, moved_to: movedTo, note, blocked_by: blockers, tasks, blocks } = explanation;
  const lines = [
    `${repository}#${issue} ${title}: ${absenceWords(state, movedTo)}`,
    ...(note === null ? [] : [note]),
    ...blockers.map(issueBlockerLine),
    ...(tasks.length + blocks.length === 0 ? ['no task is tied to it, and none waits for it'] : []),
    ...tasks.flatMap(taskLines),
    ...blocks.flatMap(blockedLines),
  ];
  return `${lines.map(visible).join('\n')}\n`;
}

function taskLines(task: ExplanationView['tasks'][number]): string[] {
  const { id, key, state, waiting_on: waitingOn, if_closed: ifClosed, if_reopened: ifReopened } = task;
  return [
    `${key} (${id}): ${state}${waitingOn === null ? '' : `, ${waitingOn}`}`,
    `  closed as completed: ${ifClosed.completed}`,
    `  closed as not planned: ${ifClosed.not_planned}`,
    ...(ifReopened === null ? [] : [`  reopened: ${ifReopened}`]),
  ];
}

function blockedLines({ id, key, issue, if_completed: ifCompleted }: ExplanationView['blocks'][number]): string[] {
  return [`${key} (${id}) of ${issue} waits for it`, `  closed as completed: ${ifCompleted}`];
}
