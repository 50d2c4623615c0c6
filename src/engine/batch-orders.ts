/**
 * A person's word on a whole batch. It is written on the batch's row first and carried out for its tasks by the batch's own
 * reconcile, so that neither a crash nor thousands of tasks leave it half done.
 */
import type { Batch, BatchOrder } from '../core/batch.ts';
import { isToBeResumed } from '../core/resume.ts';
import { isEnded } from '../core/task.ts';
import type { Deps } from './deps.ts';
import { batchEvent } from './journal.ts';
import { batchKey, SCHEDULE_KEY } from './keys.ts';
import { liveBatch } from './live-batch.ts';
import type { Write } from './ports.ts';

export type BatchResult =
  | { result: 'accepted'; batch: Batch }
  /** `batchId`: of the other batch that is in the way. */
  | { result: 'conflict'; message: string; batchId?: string }
  | { result: 'not_found' };

interface Asked {
  actor: string;
  cause: BatchOrder['cause'];
  /** Written together with the order; where a guard of it fails, nothing is ordered. */
  also?: readonly Write[];
}

type Change = Extract<Write, { write: 'batch.update' }>['set'];
type Conflict = Extract<BatchResult, { result: 'conflict' }>;
type Told = {
  set: Change;
  events: readonly { type: string; data: Record<string, unknown> }[];
  also?: readonly Write[] | undefined;
};

/** The batch moved under the decision this often: the caller may say it again. */
const MAX_ROUNDS = 8;

/** Nothing new starts, and what has not started ends; with `now`, what runs is stopped too. Ended tasks stay as they are. */
export async function cancelBatch(deps: Deps, id: string, input: Asked & { now: boolean }): Promise<BatchResult> {
  return change(deps, id, async (batch) => {
    const { now, actor } = input;
    if (batch.state !== 'running') return conflict(`batch ${batch.name} is ${batch.state}${since(batch.finishedAt)}`);
    if (batch.order?.kind === 'cancel' && (batch.order.now || !now)) {
      return conflict(`batch ${batch.name} is being cancelled${since(batch.order.at)}`);
    }
    const order = { kind: 'cancel', now, ...asked(deps, input) } as const;
    return { set: { order }, events: [{ type: 'BATCH_CANCEL_REQUESTED', data: { now, actor } }], also: input.also };
  });
}

/** What failed, is blocked or was interrupted is queued again; with `force`, also what was done. Its name is its own at once. */
export async function resumeBatch(deps: Deps, id: string, input: Asked & { force: boolean }): Promise<BatchResult> {
  return change(deps, id, async (batch) => {
    const { force, actor } = input;
    if (batch.order !== null) return conflict(`a ${batch.order.kind} of batch ${batch.name} is being carried out`);
    const other = await otherLive(deps, batch);
    if (other !== null) return other;
    const order = { kind: 'resume', force, ...asked(deps, input) } as const;
    const tasks = await deps.store.tasksOfBatch(id);
    if (!tasks.some((task) => isToBeResumed(task, order))) return conflict(nothingToResume(batch, tasks.every(isOver)));
    const requested = { type: 'BATCH_RESUME_REQUESTED', data: { force, actor } };
    const { also } = input;
    if (batch.state === 'running') return { set: { order }, events: [requested], also };
    const data = { from: batch.state, to: 'running', stuck: false };
    const set = { order, state: 'running', stuck: false, finishedAt: null } as const;
    return { set, events: [requested, { type: 'BATCH_STATE_CHANGED', data }], also };
  });
}

/** Nothing of it starts until it is released; what runs goes on. */
export async function holdBatch(
  deps: Deps,
  id: string,
  { reason, actor }: { reason: string | null; actor: string },
): Promise<BatchResult> {
  return change(deps, id, async (batch) => {
    if (batch.state !== 'running') return conflict(`batch ${batch.name} is ${batch.state}${since(batch.finishedAt)}`);
    const hold = { reason, actor, at: deps.clock() };
    return { set: { hold }, events: [{ type: 'BATCH_HELD', data: { reason, actor } }] };
  });
}

export async function releaseBatch(deps: Deps, id: string, { actor }: { actor: string }): Promise<BatchResult> {
  return change(deps, id, async (batch) => {
    if (batch.hold === null) return conflict(`batch ${batch.name} is not on hold`);
    return { set: { hold: null }, events: [{ type: 'BATCH_RELEASED', data: { actor } }] };
  });
}

function asked(deps: Deps, { actor, cause }: Asked) {
  return { id: deps.newId('command'), actor, cause, at: deps.clock() };
}

async function otherLive(deps: Deps, batch: Batch): Promise<Conflict | null> {
  const live = await liveBatch(deps, batch);
  if (live === null || live.id === batch.id) return null;
  const message = `another batch ${batch.name} is running as ${live.id}: cancel it first`;
  return { ...conflict(message), batchId: live.id };
}

function nothingToResume({ name }: Batch, over: boolean): string {
  const way = over ? 'force runs all of it again' : 'what has not ended goes on by itself';
  return `nothing of batch ${name} has failed, is blocked or was interrupted; ${way}`;
}

function isOver({ state }: { state: Parameters<typeof isEnded>[0] }): boolean {
  return isEnded(state);
}

function conflict(message: string): Conflict {
  return { result: 'conflict', message };
}

function since(at: Date | null): string {
  return at === null ? '' : ` since ${at.toISOString()}`;
}

async function change(
  { store, clock }: Deps,
  id: string,
  decide: (batch: Batch) => Promise<Told | Conflict>,
): Promise<BatchResult> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const batch = await store.batch(id);
    if (batch === null) return { result: 'not_found' };
    const decided = await decide(batch);
    if ('result' in decided) return decided;
    const now = clock();
    const { set, also = [] } = decided;
    const events = decided.events.map(({ type, data }) => batchEvent(type, now, batch, data));
    const looks = [batchKey(id), SCHEDULE_KEY].map((key) => ({ write: 'work.enqueue' as const, key, dueAt: now }));
    const update: Write = { write: 'batch.update', id, version: batch.version, set };
    if (await store.commit([update, ...events, ...also, ...looks])) {
      return { result: 'accepted', batch: { ...batch, ...set, version: batch.version + 1 } };
    }
  }
  return conflict('the batch kept changing: try again');
}
