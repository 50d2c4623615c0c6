/** One task as text for people. */
import { age, visible } from '../core/report/text.ts';
import { issueWords } from './render-issue.ts';
import type { IssueBlockerView, IssueStateView, TaskView } from './views.ts';
import { whyOf } from './why.ts';

/** Causes of a run that say no more than its state. */
const OWN_ENDS = ['run_succeeded', 'run_failed', 'verify_failed', 'runner_lost'];

export function renderTask(task: TaskView): string {
  const why = whyOf(task);
  const lines = [
    `${task.key} (${task.id}): ${task.state}${why === '' ? '' : `, ${why}`}`,
    ...(task.issue === null ? [] : issueLines(task, task.issue)),
    ...task.blockers.map(blockerLine),
    ...(task.not_before === null ? [] : [`not before ${task.not_before}`]),
    ...task.runs.map(runLine),
  ];
  return `${lines.map(visible).join('\n')}\n`;
}

function issueLines({ repository, issue_state: known }: TaskView, number: number): string[] {
  const name = `issue ${repository ?? ''}#${number}`;
  if (!known) return [name];
  return [`${name}: ${issueWords(known)}`, ...obstacleLines(known)];
}

/** Why it is not known newer. */
function obstacleLines({ access, access_since: lostAt, problem }: IssueStateView): string[] {
  if (lostAt && access === 'suspended') return [`not looked at for ${ageOfTime(lostAt)}: the App is suspended there`];
  if (lostAt && access === 'gone') return [`not looked at for ${ageOfTime(lostAt)}: the App was taken from there`];
  if (problem === null) return [];
  return [`can't be read anew for ${ageOfTime(problem.since)}: ${problem.code}: ${problem.message}`];
}

function ageOfTime(time: string): string {
  return age(new Date(time), new Date());
}

export function issueBlockerLine(blocker: IssueBlockerView): string {
  const { issue, source, status, actor, needs } = blocker;
  const by = actor === null ? '' : ` by ${actor}`;
  return `blocked by ${issue} (${source}): ${status.replaceAll('_', ' ')}${by}${needs === null ? '' : `, needs a ${needs}`}`;
}

function blockerLine(blocker: TaskView['blockers'][number]): string {
  return blocker.kind === 'question' ? `question of ${blocker.actor}: ${blocker.question}` : issueBlockerLine(blocker);
}

function runLine(run: TaskView['runs'][number]): string {
  const end = run.signal ?? (run.exit_code === null ? null : `exit code ${run.exit_code}`);
  const cause = run.cause === null || OWN_ENDS.includes(run.cause) ? null : run.cause;
  const facts = [run.purpose === 'work' ? null : run.purpose, run.state, cause, end, run.reason];
  return `run ${run.number}: ${facts.filter((fact) => fact !== null).join(', ')}`;
}
