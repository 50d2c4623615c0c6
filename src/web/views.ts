/** Puts together what one answer shows: tasks with their runs, batches with their tasks, all with their repositories' names. */
import type { Batch } from '../core/batch.ts';
import type { ScopedHold } from '../core/hold.ts';
import { countTasks } from '../core/report/counts.ts';
import type { Run } from '../core/run.ts';
import type { Task } from '../core/task.ts';
import type { Clock, JournalEvent } from '../engine/ports.ts';
import type { TaskNow } from '../engine/why.ts';
import { readIssuesOf } from './known-issues.ts';
import type { Insights, Planned, Reads } from './ports.ts';
import { presentBatch, withTasks } from './present/batch.ts';
import { presentEvent } from './present/event.ts';
import { presentScopedHold } from './present/hold.ts';
import { presentTask } from './present/task.ts';
import type { BatchView, PlannedBatchView } from './schemas/batch.ts';
import type { TaskView } from './schemas/task.ts';

export interface Sources {
  reads: Reads;
  insights: Insights;
  clock: Clock;
}

export async function viewTasks(sources: Sources, tasks: readonly Task[]): Promise<TaskView[]> {
  const { reads, insights } = sources;
  const [runs, looks] = await Promise.all([
    reads.queries.runsOfTasks(tasks.map((task) => task.id)),
    insights.lookAtTasks(tasks),
  ]);
  return presentTasks(sources, tasks, { runs, looks });
}

interface Looks {
  runs: ReadonlyMap<string, readonly Run[]>;
  looks: ReadonlyMap<string, TaskNow>;
}

async function presentTasks(
  { reads, clock, insights }: Sources,
  tasks: readonly Task[],
  { runs, looks }: Looks,
): Promise<TaskView[]> {
  const [repositories, issueOf] = await Promise.all([
    reads.queries.statesOfRepositories(idsOf(tasks)),
    readIssuesOf(reads, tasks),
  ]);
  const now = clock();
  return tasks.map((task) => {
    const { waitingOn = null, blockers = [] } = looks.get(task.id) ?? {};
    const seen = { repositories, issue: issueOf(task), now, silentSince: insights.silentSince };
    return presentTask(task, { ...seen, runs: runs.get(task.id) ?? [], waitingOn, blockers });
  });
}

export async function viewTask(sources: Sources, task: Task) {
  const [view] = await viewTasks(sources, [task]);
  return view!;
}

/** Without its tasks, only their counts. */
export async function viewBatches({ reads }: Sources, batches: readonly Batch[]) {
  const [repositories, counts] = await Promise.all([
    reads.queries.repositories(idsOf(batches)),
    reads.queries.countsOfBatches(batches.map((batch) => batch.id)),
  ]);
  return batches.map((batch) => presentBatch(batch, counts.get(batch.id) ?? [], repositories));
}

export async function viewBatch(sources: Sources, batch: Batch): Promise<BatchView> {
  return viewBatchOf(sources, batch, await sources.reads.tasksOfBatch(batch.id));
}

export async function viewBatchOf(sources: Sources, batch: Batch, tasks: readonly Task[]): Promise<BatchView> {
  const [[summary], views] = await Promise.all([viewBatches(sources, [batch]), viewTasks(sources, tasks)]);
  return withTasks(summary!, batch, { tasks, views });
}

/** One that is in no database, and whose ids will never be. */
export async function viewPlanned(sources: Sources, planned: Planned): Promise<PlannedBatchView> {
  const { batch, tasks, repository, supersedes } = planned;
  const repositories = new Map([[repository.id, repository]]);
  const looks = await sources.insights.lookAtPlanned(batch, tasks);
  const views = await presentTasks(sources, tasks, { runs: new Map(), looks });
  const view = withTasks(presentBatch(batch, countTasks(tasks), repositories), batch, { tasks, views });
  return { ...view, supersedes };
}

export async function viewEvents(reads: Reads, events: readonly (JournalEvent & { id: string })[]) {
  const ids = new Set(events.map((event) => event.repositoryId).filter((id) => id !== null));
  const repositories = await reads.queries.repositories([...ids]);
  return events.map((event) => presentEvent(event, repositories));
}

export async function viewHolds(reads: Reads, holds: readonly ScopedHold[], now: Date) {
  const ids = holds.flatMap(({ scope }) => (scope.kind === 'repository' ? [scope.repositoryId] : []));
  const repositories = await reads.queries.repositories(ids);
  return holds.map((hold) => presentScopedHold(hold, now, repositories));
}

function idsOf(of: readonly { repositoryId: string }[]): string[] {
  return [...new Set(of.map(({ repositoryId }) => repositoryId))];
}
