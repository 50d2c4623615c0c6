/** The plan of a batch: which of its tasks may go on, which end, and what its state is. Derived from its tasks alone. */
import type { Batch, BatchState } from '../batch.ts';
import { type Cause, isEnded, isUndecided, type Task, type TaskState } from '../task.ts';

/** A task by what its batch goes by: one look at a batch of thousands costs little. */
export type BatchMember = Pick<Task, 'id' | 'key' | 'state' | 'cause'> & {
  /** Its run is being stopped. */
  stopping: boolean;
};

export type BatchStep =
  | { step: 'make_ready'; task: BatchMember }
  /** A need can't be had. */
  | { step: 'skip'; task: BatchMember; need: string }
  /** A need is to be had again. */
  | { step: 'make_waiting'; task: BatchMember }
  /** A person cancelled the batch. */
  | { step: 'cancel'; task: BatchMember }
  | { step: 'set_state'; state: BatchState; stuck: boolean }
  /** The cancel is carried out for every task. */
  | { step: 'finish_cancel' };

/** How the tasks of a batch stand, in numbers. */
export interface BatchOutline {
  counts: readonly { state: TaskState; cause: Cause | null; count: number }[];
  /** Whether a task is ready and not on hold. */
  startable: boolean;
}

/** What there is to know of a batch now: of its tasks only those that may have to move, since it may have thousands. */
export interface BatchNow {
  outline: BatchOutline;
  /** Tasks whose needs have changed; all of them where the batch is being cancelled. */
  tasks: readonly BatchMember[];
  /** Ids of what one of those needs. */
  needsOf(task: BatchMember): readonly string[];
  /** All that those need, by id. */
  needs: ReadonlyMap<string, BatchMember>;
  /** No other tasks than these may have to move. */
  settled: boolean;
  /** Another batch has its name by now. Then nothing of it goes on, and it is not live again. */
  replaced: boolean;
}

/** First the tasks; what the batch is shows when none of them has to move any more. */
export function planBatch(batch: Batch, now: BatchNow): readonly BatchStep[] {
  const moves = isBeingCancelled(batch) ? planCancel(batch, now.tasks) : planNeeds(now);
  return moves.length > 0 || !now.settled ? moves : planState(batch, now);
}

function planState(batch: Batch, { outline, replaced }: BatchNow): readonly BatchStep[] {
  const { counts, startable } = outline;
  // What is being resumed is live, so that nothing else takes its name before its tasks are queued again.
  const resumed = batch.order?.kind === 'resume';
  const derived = resumed ? 'running' : batchState(counts);
  // What survived its KILL may not have ended yet.
  const state = replaced && derived === 'running' ? batch.state : derived;
  const runs = counts.some((each) => each.state === 'running');
  const stuck = state === 'running' && !resumed && !runs && !(startable && !forbidsStarts(batch, counts));
  const changed = state !== batch.state || stuck !== batch.stuck;
  const over = isBeingCancelled(batch) && derived !== 'running';
  return [
    ...(changed ? [{ step: 'set_state' as const, state, stuck }] : []),
    ...(over ? [{ step: 'finish_cancel' as const }] : []),
  ];
}

/** Done, or skipped by a person's word. A task that was skipped for its own needs satisfies nobody. */
export function satisfies(task: Pick<Task, 'state' | 'cause'>): boolean {
  return task.state === 'done' || (task.state === 'skipped' && task.cause !== 'dependency');
}

function batchState(tasks: readonly Pick<Task, 'state' | 'cause'>[]): BatchState {
  if (tasks.some((task) => !isEnded(task.state))) return 'running';
  if (tasks.every(satisfies)) return 'completed';
  if (tasks.some((task) => task.state === 'done')) return 'partial';
  return tasks.some((task) => task.state === 'failed') ? 'failed' : 'cancelled';
}

/** Whether nothing of the batch may start now: it is held, being cancelled, or a failure stops it (`on_failure: stop`). */
export function forbidsStarts(batch: Batch, tasks: readonly Pick<Task, 'state'>[]): boolean {
  if (batch.hold !== null || isBeingCancelled(batch)) return true;
  return batch.onFailure === 'stop' && tasks.some((task) => task.state === 'failed');
}

export function isBeingCancelled({ order }: Batch): boolean {
  return order?.kind === 'cancel';
}

/**
 * Whether a task's move is one that those which need it, or its own needs, have to be looked at for: it ends, leaves its end, or
 * waits for its needs.
 */
export function concernsNeeds(from: TaskState, to: TaskState): boolean {
  return isEnded(from) || isEnded(to) || to === 'waiting';
}

/** What has not started ends; what runs is stopped, or (graceful) finishes. */
function planCancel({ order }: Batch, tasks: readonly BatchMember[]): BatchStep[] {
  const stopsRuns = order?.kind === 'cancel' && order.now;
  const found = tasks.filter(({ state, cause, stopping }) => {
    if (isEnded(state)) return false;
    // Both have a run that is being stopped already, or that does not go: it ends once that is seen gone.
    if (stopping || (state === 'blocked' && cause === 'survivors')) return false;
    return state !== 'running' || stopsRuns;
  });
  // A stop must not wait until thousands of others have ended.
  const inOrder = found.toSorted((a, b) => Number(b.state === 'running') - Number(a.state === 'running'));
  return inOrder.map((task) => ({ step: 'cancel', task }));
}

/** Tasks and what they need may be a thousand each: every need is judged once, and not once for each task. */
function planNeeds({ tasks, needsOf, needs, replaced }: BatchNow): BatchStep[] {
  const satisfied = new Set<string>();
  const hopeless = new Map<string, BatchMember>();
  for (const need of needs.values()) {
    if (satisfies(need)) satisfied.add(need.id);
    else if (isEnded(need.state)) hopeless.set(need.id, need);
  }
  const steps = tasks.flatMap((task) => {
    const ids = needsOf(task);
    if (ids.length === 0) return [];
    const lost = hopeless.size === 0 ? undefined : ids.find((id) => hopeless.has(id));
    return planNeedsOf(task, {
      hopeless: lost === undefined ? null : (hopeless.get(lost) ?? null),
      satisfied: ids.every((id) => satisfied.has(id)),
    });
  });
  return steps.filter(({ step }) => step === 'skip' || !replaced);
}

function planNeedsOf(
  task: BatchMember,
  { hopeless, satisfied }: { hopeless: BatchMember | null; satisfied: boolean },
): BatchStep[] {
  switch (task.state) {
    case 'waiting':
      if (hopeless) return [{ step: 'skip', task, need: hopeless.key }];
      return satisfied ? [{ step: 'make_ready', task }] : [];
    case 'blocked':
      // Skipped, it would come back with that need, past whoever has to decide on it.
      if (task.cause === 'survivors' || isUndecided(task)) return [];
      return hopeless ? [{ step: 'skip', task, need: hopeless.key }] : [];
    case 'ready':
      return satisfied ? [] : [{ step: 'make_waiting', task }];
    case 'skipped':
      return task.cause === 'dependency' && !hopeless ? [{ step: 'make_waiting', task }] : [];
    default:
      return [];
  }
}
