/** One batch: which of its tasks may go on, what a person asked of all of it, and what its state is. */
import type { Batch } from '../core/batch.ts';
import { decide } from '../core/command.ts';
import { type BatchNow, type BatchStep, isBeingCancelled, planBatch } from '../core/plan/batch.ts';
import { isLive } from '../core/run.ts';
import type { Task } from '../core/task.ts';
import { subjectOf, writesOf } from './act.ts';
import type { Deps } from './deps.ts';
import { batchEvent, taskEvent } from './journal.ts';
import { batchKey, SCHEDULE_KEY, taskKey } from './keys.ts';
import { liveBatch } from './live-batch.ts';
import type { NeedsGraphs } from './needs-graphs.ts';
import type { Write } from './ports.ts';
import { carryOutResume } from './resume-batch.ts';
import type { RowStep } from './transition/index.ts';
import { endTask, requeueTask, setTask, statusWrites } from './transition/parts.ts';

/** A commit that a guard refused this often hints at a fault, and is left to the queue. */
const MAX_REFUSALS = 8;
const LOOK_AGAIN_MS = 1_000;
/** Then others get the worker's turn. */
const MAX_ROUNDS = 200;
/** So many tasks are looked at in one round. */
const AT_ONCE = 100;
/** So many tasks move in one transaction: a stop, which takes a dozen of its own, gets its turns in between. */
const TOGETHER = 25;

const NEEDS_NOTHING: Pick<BatchNow, 'needsOf' | 'needs'> = { needsOf: () => [], needs: new Map() };

type Move = Exclude<BatchStep, { step: 'set_state' } | { step: 'finish_cancel' }>;
type Due = Awaited<ReturnType<Deps['store']['needsDueOf']>>;

export async function reconcileBatch(deps: Deps, graphs: NeedsGraphs, batchId: string): Promise<void> {
  let refusals = 0;
  for (let round = 0; round < MAX_ROUNDS && refusals < MAX_REFUSALS; round++) {
    const batch = await deps.store.batch(batchId);
    if (batch === null) return;
    // Whatever brings a batch here has changed what is told of it.
    if (round === 0 && batch.issueNumber !== null) await deps.store.commit(statusWrites(batch, deps.clock()));
    const { due, now } = await look(deps, graphs, batch);
    const steps = planBatch(batch, now);
    // What is replaced may be the live one again: then its tasks have to be looked at as now.
    if (steps.length === 0 && (due.length === 0 || now.replaced)) return carryOutResume(deps, batch);
    if (!(await applySteps(deps, batch, steps))) refusals += 1;
    else if (!now.replaced)
      await deps.store.commit(due.map(({ id, version }) => ({ write: 'task.followed', id, version })));
  }
  const dueAt = new Date(deps.clock().getTime() + (refusals < MAX_REFUSALS ? 0 : LOOK_AGAIN_MS));
  await deps.store.queue.enqueue([{ key: batchKey(batchId), dueAt }]);
}

/**
 * The numbers are read first: what had moved by then is marked, and its mark is seen, so that a batch is never taken for stuck
 * whose next tasks have only not been moved yet.
 */
async function look(deps: Deps, graphs: NeedsGraphs, batch: Batch): Promise<{ due: Due; now: BatchNow }> {
  const { store } = deps;
  const outline = await store.outlineOfBatch(batch.id);
  const due = await store.needsDueOf(batch.id, AT_ONCE);
  const replaced = await isReplaced(deps, batch);
  if (isBeingCancelled(batch)) {
    const tasks = await store.membersOfBatch(batch.id);
    return { due, now: { outline, tasks, ...NEEDS_NOTHING, settled: true, replaced } };
  }
  const settled = due.length === 0 || replaced;
  if (due.length === 0) return { due, now: { outline, tasks: [], ...NEEDS_NOTHING, settled, replaced } };
  const graph = await graphs(batch.id);
  const concerned = new Set(due.flatMap(({ id, key }) => [id, ...graph.dependantsOf(key)]));
  const tasks = await store.members([...concerned]);
  const needed = new Set<string>();
  for (const { id } of tasks) for (const need of graph.needsOf(id)) needed.add(need);
  const needs = new Map((await store.members([...needed])).map((need) => [need.id, need]));
  return { due, now: { outline, tasks, needsOf: ({ id }) => graph.needsOf(id), needs, settled, replaced } };
}

async function isReplaced(deps: Deps, batch: Batch): Promise<boolean> {
  if (batch.state === 'running') return false;
  const live = await liveBatch(deps, batch);
  return live !== null && live.id !== batch.id;
}

/** False: a guard did not hold, something moved; the next round sees it as it is. */
async function applySteps(deps: Deps, batch: Batch, steps: readonly BatchStep[]): Promise<boolean> {
  const moves = steps.filter((step): step is Move => 'task' in step);
  let kept = true;
  for (let from = 0; from < moves.length; from += TOGETHER) {
    // What a person asks meanwhile must not wait for thousands of tasks.
    if (from > 0 && (await deps.store.batch(batch.id))?.version !== batch.version) return false;
    const portion = moves.slice(from, from + TOGETHER);
    const writes = await Promise.all(portion.map((move) => writesOfMove(deps, batch, move)));
    kept =
      (await commit(
        deps,
        writes.flatMap((each) => each ?? []),
      )) &&
      !writes.includes(null) &&
      kept;
  }
  return (await commit(deps, batchWrites(batch, steps, deps.clock()))) && kept;
}

async function commit(deps: Deps, writes: readonly Write[]): Promise<boolean> {
  if (writes.length === 0) return true;
  return deps.store.commit([...writes, { write: 'work.enqueue', key: SCHEDULE_KEY, dueAt: deps.clock() }]);
}

/** null: it has moved since the batch was looked at. */
async function writesOfMove(deps: Deps, batch: Batch, move: Move): Promise<readonly Write[] | null> {
  if (move.step === 'cancel') return cancelWrites(deps, batch, move.task.id);
  const task = await deps.store.task(move.task.id);
  const now = deps.clock();
  if (task === null || task.state !== move.task.state) return null;
  switch (move.step) {
    case 'make_ready': {
      const changed = setTask({ task, run: null }, { state: 'ready' }, now);
      return [...changed.writes, taskEvent('TASK_READY', now, task)];
    }
    case 'make_waiting':
      return makeWaiting(task, now);
    case 'skip': {
      const ending = { state: 'skipped', cause: 'dependency', actor: 'standdown', episodeId: null } as const;
      return endTask({ task, run: null }, ending, { now, effect: null, line: 'ended' }).writes;
    }
  }
}

/** One that had ended for its need begins anew, with all its attempts. */
function makeWaiting(task: Task, now: Date): readonly Write[] {
  if (task.state === 'skipped') {
    const requeue = { reason: 'need_requeued', actor: 'standdown', episodeId: null } as const;
    return requeueTask({ task, run: null }, requeue, { now, effect: null }).writes;
  }
  const changed = setTask({ task, run: null }, { state: 'waiting', cause: null, actor: null }, now);
  return [...changed.writes, taskEvent('TASK_WAITING', now, task, { data: { from: task.state } })];
}

/** As a person's own cancel of that task: with its run stopped where it has one, and one comment per issue. */
async function cancelWrites(deps: Deps, batch: Batch, taskId: string): Promise<readonly Write[]> {
  const subject = await subjectOf(deps, taskId);
  if (subject === null || batch.order === null) return [];
  const { id, actor, cause } = batch.order;
  const command = { verb: 'cancel', id: `${id}-${subject.task.issueNumber}`, actor, cause, text: null } as const;
  const decision = decide(command, subject, deps.clock());
  if ('conflict' in decision) return [];
  const { writes } = writesOf(subject, decision.steps as readonly RowStep[], deps.clock());
  // One that has no run has ended by that: thousands of such looks would keep every other waiting.
  if (!isLive(subject.run)) return writes;
  return [...writes, { write: 'work.enqueue', key: taskKey(taskId), dueAt: deps.clock() }];
}

function batchWrites(batch: Batch, steps: readonly BatchStep[], now: Date): readonly Write[] {
  const to = steps.find((step) => step.step === 'set_state');
  const over = steps.some(({ step }) => step === 'finish_cancel');
  if (to === undefined && !over) return [];
  const state = to?.state ?? batch.state;
  const stuck = to?.stuck ?? batch.stuck;
  const finishedAt = state === 'running' ? null : (batch.finishedAt ?? now);
  const set = { state, stuck, finishedAt, ...(over ? { order: null } : {}) };
  return [
    { write: 'batch.update', id: batch.id, version: batch.version, set },
    ...(to === undefined
      ? []
      : [batchEvent('BATCH_STATE_CHANGED', now, batch, { from: batch.state, to: state, stuck })]),
    ...(over ? [batchEvent('BATCH_CANCELLED', now, batch, { actor: batch.order?.actor })] : []),
  ];
}
