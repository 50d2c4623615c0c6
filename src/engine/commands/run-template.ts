/** `/task run`: a task from a template of the repository's file, on the issue of the comment. */

import type { Said } from '../../core/commands/said.ts';
import type { CommandOutcome } from '../../core/comment.ts';
import { formatProblem, instantiate, type Problem } from '../../core/documents/index.ts';
import type { TrackedIssue } from '../../core/issue.ts';
import { isEnded, type Task } from '../../core/task.ts';
import type { Deps } from '../deps.ts';
import { githubWords } from '../github-words.ts';
import { taskEvent } from '../journal.ts';
import { issueKey, SCHEDULE_KEY } from '../keys.ts';
import { newTask } from '../new-task.ts';
import { GitHubError } from '../ports.ts';
import { readIssue } from '../read-issue.ts';
import { runnerProblems } from '../runner-problems.ts';
import { type InHand, type Next, outcomeUpdate, refused, settle } from './in-hand.ts';
import { orError } from './patience.ts';
import { fileOf, whatThereIs } from './startable.ts';

export type RunTemplate = Extract<Said, { of: 'task'; verb: 'run' }>;

export async function runTemplate(deps: Deps, hand: InHand, index: number, said: RunTemplate): Next {
  const made = await taskOf(deps, hand, said);
  if ('refused' in made) return settle(deps, hand, index, refused('other', made.refused));
  const { task } = made;
  const now = task.createdAt;
  const outcome: CommandOutcome = { result: 'started', taskId: task.id, key: task.key };
  const { writes, after } = outcomeUpdate(hand, index, outcome, now);
  const committed = await deps.store.commit([
    { write: 'task.insert', task },
    taskEvent('TASK_CREATED', now, task, { data: { template: said.template, actor: hand.comment.author } }),
    { write: 'work.enqueue', key: SCHEDULE_KEY, dueAt: now },
    // An issue that moved between the look and this commit is looked at again.
    { write: 'work.enqueue', key: issueKey(hand.comment), dueAt: now },
    ...writes,
  ]);
  return committed ? { ...hand, comment: after } : null;
}

async function taskOf(deps: Deps, hand: InHand, said: RunTemplate): Promise<{ task: Task } | { refused: string }> {
  const { repository, comment } = hand;
  const file = fileOf(hand);
  if ('refused' in file) return file;
  const template = file.templates.get(said.template);
  if (template === undefined) {
    return { refused: `no template is called ${said.template}; ${whatThereIs(hand, file.templates)}` };
  }
  const issue = await openIssue(deps, hand);
  if ('refused' in issue) return issue;
  const other = await unfinishedOf(deps, hand, said.template);
  if (other !== null) {
    return { refused: `${other.key} is ${other.state} here already, as ${other.id}: cancel it first` };
  }
  const context = { repository: repository.fullName, issue: { number: issue.number, url: issue.url } };
  const instance = instantiate(template, said.inputs, context);
  if (!instance.ok) return { refused: problemWords(instance.problems) };
  const { name, priority, spec } = instance.value;
  const problems = runnerProblems(deps, spec, { repository: repository.fullName });
  if (problems.length > 0) return { refused: problemWords(problems) };
  const place = { repositoryId: comment.repositoryId, issueNumber: comment.number, batchId: null, position: 0 };
  const made = { id: deps.newId('task'), key: said.template, name, priority, spec, needs: [], ...place };
  return { task: newTask(made, deps.clock()) };
}

/** As it is now: a webhook of its close may have been lost. */
export async function openIssue(
  deps: Deps,
  { comment, failures }: InHand,
): Promise<TrackedIssue | { refused: string }> {
  const issue = await orError(failures, () => readIssue(deps, comment));
  if (issue instanceof GitHubError) return { refused: githubWords(issue) };
  if (issue === null || issue.presence !== 'present') return { refused: `#${comment.number} is not there any more` };
  return issue.state === 'open' ? issue : { refused: `#${issue.number} is closed: reopen it first` };
}

async function unfinishedOf({ store }: Deps, { comment }: InHand, template: string): Promise<Task | null> {
  const { repositoryId, number } = comment;
  const tasks = await store.tasksOfIssue({ repositoryId, number });
  return tasks.find(({ spec, state }) => spec.template === template && !isEnded(state)) ?? null;
}

/** More than this nobody reads in one reply. */
const MAX_PROBLEMS = 10;

export function problemWords(problems: readonly Problem[]): string {
  const told = problems.slice(0, MAX_PROBLEMS).map(formatProblem).join('; ');
  const more = problems.length - MAX_PROBLEMS;
  return more > 0 ? `${told}; and ${more} more` : told;
}
