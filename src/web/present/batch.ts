/** Batches, as REST shows them. */
import type { Batch } from '../../core/batch.ts';
import { countOutcomes, countStates } from '../../core/report/counts.ts';
import { nextSteps } from '../../core/report/next-steps.ts';
import type { Task } from '../../core/task.ts';
import type { TaskCount } from '../../engine/ports.ts';
import type { BatchSummary, BatchView } from '../schemas/batch.ts';
import type { TaskView } from '../schemas/task.ts';
import { fullName, presentHold, type Repositories, time } from './shared.ts';

export function presentBatch(batch: Batch, counts: readonly TaskCount[], repositories: Repositories): BatchSummary {
  return {
    id: batch.id,
    repository: fullName(batch.repositoryId, repositories),
    name: batch.name,
    state: batch.state,
    stuck: batch.stuck,
    strategy: batch.strategy,
    max_parallel: batch.maxParallel,
    on_failure: batch.onFailure,
    hold: batch.hold && presentHold(batch.hold),
    order: presentOrder(batch.order),
    created_at: time(batch.createdAt),
    finished_at: time(batch.finishedAt),
    counts: countStates(counts),
    outcomes: countOutcomes(counts),
  };
}

export function withTasks(
  summary: BatchSummary,
  batch: Batch,
  { tasks, views }: { tasks: readonly Task[]; views: TaskView[] },
): BatchView {
  return { ...summary, next_steps: [...nextSteps(batch, tasks)], tasks: views };
}

function presentOrder(order: Batch['order']): BatchSummary['order'] {
  if (order === null) return null;
  const { actor, at } = order;
  return order.kind === 'cancel'
    ? { kind: 'cancel', now: order.now, actor, at: time(at) }
    : { kind: 'resume', force: order.force, actor, at: time(at) };
}
