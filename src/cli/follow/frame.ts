/** What the block of a followed batch shows: what runs, then what waits and for what, as far as the space goes. Pure. */
import { duration, line } from '../../core/report/text.ts';
import { titleOf } from '../render-batch.ts';
import { columns as inColumns } from '../table.ts';
import type { BatchView, TaskView } from '../views.ts';
import { newestRun, whyOf } from '../why.ts';

export interface Space {
  now: Date;
  trouble: string | null;
  columns: number;
  rows: number;
}

/** What has ended is counted in the title. */
const SHOWN = ['running', 'blocked', 'ready', 'waiting'];

export function frameOf(batch: BatchView, { now, trouble, columns, rows }: Space): string[] {
  const tasks = SHOWN.flatMap((state) => batch.tasks.filter((task) => task.state === state));
  const head = [line(titleOf(batch)), ...(trouble === null ? [] : [line(`${trouble}; trying again`)])];
  const room = Math.max(0, rows - head.length);
  const shown = tasks.length <= room ? tasks : tasks.slice(0, Math.max(0, room - 1));
  const more = tasks.length - shown.length;
  const body = inColumns(shown.map((task) => rowOf(task, now)));
  const lines = [...head, ...body.map((row) => `  ${row}`), ...(more > 0 ? [`  and ${more} more`] : [])];
  return lines.slice(0, rows).map((text) => cut(text, columns));
}

function rowOf(task: TaskView, now: Date): string[] {
  if (task.state !== 'running') return [task.key, task.state, '', '', whyOf(task)];
  const run = newestRun(task.runs);
  if (run === null) return [task.key, task.state, '', '', whyOf(task)];
  const elapsed = run.started_at === null ? '' : duration(now.getTime() - new Date(run.started_at).getTime());
  // The row shows its run already.
  return [
    task.key,
    run.state,
    `${run.purpose === 'verify' ? 'verify run' : 'run'} ${run.number}`,
    elapsed,
    whyOf({ ...task, runs: [] }),
  ];
}

function cut(text: string, columns: number): string {
  const characters = Array.from(text);
  return characters.length <= columns ? text : `${characters.slice(0, Math.max(0, columns - 1)).join('')}…`;
}
