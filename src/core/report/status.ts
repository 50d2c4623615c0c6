/**
 * The status comment: how the tasks of an issue are, and the batches that were started there. Nothing in it moves with the clock,
 * so that a comment about a quiet world stays the same and costs no call. Pure.
 */
import type { Batch } from '../batch.ts';
import { commandStart } from '../commands/usage.ts';
import type { Policy } from '../policy.ts';
import type { Run } from '../run.ts';
import { isEnded, TASK_STATES, type Task } from '../task.ts';
import { composeBody, listing, type Part } from './body.ts';
import { type Counted, countStates } from './counts.ts';
import { graph, MAX_NODES } from './graph.ts';
import { markerOf } from './markers.ts';
import { address, cell, code } from './neutral.ts';
import { attemptWords, silenceWords, stateWords, timeWords, whyWords } from './task-state.ts';

/** Somewhere on GitHub that tells more of a task. */
export interface Link {
  text: string;
  url: string;
}

/** Tasks with what their rows tell. Runs and links of those that `shownOf` names are enough. */
export interface TaskTable {
  tasks: readonly Task[];
  /** The newest run of each task that has one, by the task's id. */
  runs: ReadonlyMap<string, Run>;
  links: ReadonlyMap<string, Link>;
  /** Since when runners give no answer, where a person has to look; default: all of them answer, or may yet. */
  silentSince?: ReadonlyMap<string, Date>;
}

/** Its table may hold few of its tasks: those that are to be shown. */
export interface BatchStatus extends TaskTable {
  batch: Pick<Batch, 'id' | 'name' | 'state' | 'stuck' | 'hold'>;
  /** Of all its tasks. */
  counts: readonly Counted[];
}

export interface StatusReport extends TaskTable {
  id: string;
  /** null: it is not known here, or not there any more. */
  issue: { state: 'open' | 'closed' } | null;
  batches: readonly BatchStatus[];
  policy: Policy;
}

/** More rows than this are counted. */
export const MAX_ROWS = 50;
const MAX_NAMED = 5;

const HEAD = '| task | state | why | runner | attempt | time | more |\n| --- | --- | --- | --- | --- | --- | --- |';

/** Those that have a row: unfinished ones first, then what ended last. */
export function shownOf(tasks: readonly Task[]): readonly Task[] {
  return inOrder(tasks).slice(0, MAX_ROWS);
}

export function renderStatus(report: StatusReport): string {
  return composeBody([markerOf('status', report.id), ...statusParts(report)]);
}

/** Without its marker: a reply tells it, too. */
export function statusParts(report: Omit<StatusReport, 'id'>): readonly Part[] {
  const { tasks, batches } = report;
  const nothing = tasks.length === 0 && batches.length === 0;
  return [
    ...(tasks.length > 0 ? ['**Tasks of this issue**', '', ...tableParts(report), ...again(report)] : []),
    ...batches.flatMap((batch, index) => [...(tasks.length > 0 || index > 0 ? [''] : []), ...batchParts(batch)]),
    ...(nothing ? ['No task is linked to this issue.'] : []),
  ];
}

export function batchParts(status: BatchStatus): readonly Part[] {
  const { batch, tasks, counts } = status;
  const total = sizeOf(status);
  const drawn = total === tasks.length ? graph(tasks) : null;
  return [
    `**Batch ${code(batch.name)}** is **${batch.state}**: ${countWords(counts)}.${flags(batch)}`,
    '',
    ...(drawn === null ? [] : [drawn, '']),
    ...(total > MAX_NODES ? [`_With more than ${MAX_NODES} tasks there is no graph._`, ''] : []),
    ...tableParts(status, total),
  ];
}

/** How many tasks it has. */
export function sizeOf({ counts }: Pick<BatchStatus, 'counts'>): number {
  return counts.reduce((total, { count }) => total + count, 0);
}

/** `total`: how many tasks there are, where the table holds few of them. */
export function tableParts(table: TaskTable, total: number = table.tasks.length): readonly Part[] {
  const rows = listing(inOrder(table.tasks), {
    most: MAX_ROWS,
    line: (task) => row(task, table),
    more: (left) => `| and ${left} more | | | | | | |`,
  });
  return [HEAD, { ...rows, beyond: total - rows.lines.length }];
}

function row(task: Task, { runs, links, silentSince }: TaskTable): string {
  const run = runs.get(task.id) ?? null;
  const runner = cell(run?.runner ?? task.spec.runsOn);
  const why = [silenceWords(run, silentSince), whyWords(task)].filter((words) => words !== '').join('; ');
  const cells = [cell(task.key), stateWords(task, run), why, runner, attemptWords(task), timeWords(run)];
  return `| ${[...cells, linkWords(links.get(task.id))].map((text) => text || '–').join(' | ')} |`;
}

function linkWords(link: Link | undefined): string {
  const url = address(link?.url ?? null);
  return link === undefined || url === null ? '' : `[${link.text}](${url})`;
}

function inOrder(tasks: readonly Task[]): readonly Task[] {
  const time = ({ finishedAt }: Task) => finishedAt?.getTime() ?? Number.POSITIVE_INFINITY;
  const created = (task: Task) => task.createdAt.getTime();
  return tasks.toSorted(
    (a, b) =>
      compare(time(b), time(a)) ||
      compare(created(b), created(a)) ||
      compare(a.position, b.position) ||
      (a.id < b.id ? -1 : 1),
  );
}

function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function countWords(counts: readonly Counted[]): string {
  const byState = countStates(counts);
  const words = TASK_STATES.flatMap((state) => (byState[state] > 0 ? [`${byState[state]} ${state}`] : []));
  return words.join(', ') || 'no task';
}

function flags({ stuck, hold }: BatchStatus['batch']): string {
  const held = hold === null ? '' : ' It is on hold: nothing of it starts.';
  return `${held}${stuck ? ' It is stuck: nothing runs, and nothing can start before somebody acts.' : ''}`;
}

/** What lacks a need comes back with that need, and by itself would be skipped once more. */
function canRunAgain({ state, cause, endedByEpisodeId }: Task): boolean {
  return isEnded(state) && cause !== 'dependency' && (state !== 'done' || endedByEpisodeId !== null);
}

/** What a close or a failure ended and nothing has queued again: on an open issue a person can. */
function again({ tasks, issue, policy }: Omit<StatusReport, 'id'>): readonly string[] {
  if (issue?.state !== 'open') return [];
  const over = inOrder(tasks).filter(canRunAgain);
  if (over.length === 0) return [];
  const start = commandStart('task', policy.commandPrefix);
  const ways = over.slice(0, MAX_NAMED).map((task) => code(`${start} retry ${nameAmong(task, tasks)}`));
  const more = over.length - ways.length;
  return [
    '',
    `To run again what has ended: ${ways.join(', ')}${more > 0 ? ` and likewise ${more} more` : ''} (needs ${policy.permissions.retry} permission).`,
  ];
}

/** Tasks of an older batch of the same name have the same keys. */
function nameAmong({ id, key }: Task, tasks: readonly Task[]): string {
  return tasks.some((other) => other.key === key && other.id !== id) ? id : key;
}
