/** Batches as text for people. */
import { visible } from '../core/report/text.ts';
import { table } from './table.ts';
import type { BatchSummary, BatchView, PlannedView, TaskView } from './views.ts';
import { whyOf } from './why.ts';

export function renderBatches(batches: readonly BatchSummary[]): string {
  if (batches.length === 0) return 'No batches.\n';
  return table([
    ['BATCH', 'REPOSITORY', 'NAME', 'STATE', 'TASKS'],
    ...batches.map((batch) => [batch.id, batch.repository ?? '?', batch.name, stateOf(batch), counts(batch.counts)]),
  ]);
}

export function renderBatch(batch: BatchView): string {
  const causes = counted(batch.outcomes);
  const lines = [
    titleOf(batch),
    ...(causes === '' ? [] : [`ended: ${causes}`]),
    ...(batch.hold === null ? [] : [holdOf(batch.hold)]),
  ];
  const tasks = table([['TASK', 'ID', 'ISSUE', 'STATE', 'WHY'], ...batch.tasks.map(taskRow)]);
  return `${lines.map(visible).join('\n')}\n${tasks}${renderNextSteps(batch)}`;
}

/** A dry run's: its ids will never be. */
export function renderPlanned(planned: PlannedView): string {
  const { supersedes, tasks } = planned;
  const place = supersedes === null ? '' : `It would take the place of the batch ${supersedes}, which is stuck.\n`;
  const unnamed = { ...planned, id: '-', tasks: tasks.map((task) => ({ ...task, id: '-' })) };
  return `Nothing was written. It would be:\n${renderBatch(unnamed)}${place}`;
}

export function titleOf(batch: BatchSummary): string {
  return `${batch.repository ?? '?'} ${batch.name} (${batch.id}): ${stateOf(batch)}, ${counts(batch.counts)}`;
}

export function renderNextSteps({ next_steps: steps }: Pick<BatchView, 'next_steps'>): string {
  return steps.length === 0 ? '' : `What would move it:\n${steps.map((step) => `  ${step}\n`).join('')}`;
}

function taskRow(task: TaskView): string[] {
  return [task.key, task.id, task.issue === null ? '' : `#${task.issue}`, task.state, whyOf(task)];
}

function holdOf({ reason, actor, at }: NonNullable<BatchSummary['hold']>): string {
  return `on hold by ${actor} since ${at}${reason === null ? '' : `: ${reason}`}`;
}

function stateOf({ state, stuck, hold, order }: BatchSummary): string {
  const parts = [
    state,
    stuck ? 'stuck' : null,
    hold === null ? null : 'on hold',
    order === null ? null : order.kind === 'cancel' ? 'being cancelled' : 'being resumed',
  ];
  return parts.filter((part) => part !== null).join(', ');
}

function counts(byState: Readonly<Record<string, number>>): string {
  return counted(byState) || 'no tasks';
}

/** Names as the app gives them, e.g. `done_by_run`. */
function counted(numbers: Readonly<Record<string, number>>): string {
  const some = Object.entries(numbers).filter(([, count]) => count > 0);
  return some.map(([name, count]) => `${count} ${name.replaceAll('_', ' ')}`).join(', ');
}
