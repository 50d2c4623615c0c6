/**
 * Carries a batch's `resume` out, task by task. What is queued again is no longer to be resumed, so a crash in the middle
 * goes on with the rest. An issue that can't be read now keeps the order open, for its own tasks only.
 */
import type { Batch } from '../core/batch.ts';
import { decideResume, isToBeResumed } from '../core/resume.ts';
import type { Task } from '../core/task.ts';
import { subjectOf, writesOf } from './act.ts';
import type { Deps } from './deps.ts';
import { batchEvent, taskEvent } from './journal.ts';
import { batchKey, SCHEDULE_KEY, taskKey } from './keys.ts';
import { GitHubError, type Write } from './ports.ts';
import { readIssue } from './read-issue.ts';
import type { RowStep } from './transition/index.ts';

const AT_ONCE = 8;
const READ_AGAIN_MS = 5_000;
/** What can't be read for long is asked for less and less often. */
const MAX_READ_AGAIN_MS = 60_000;

type Resume = Extract<NonNullable<Batch['order']>, { kind: 'resume' }>;

/** `moved`: another flow changed it meanwhile, and it is looked at again. */
type Resumed =
  | { result: 'resumed' | 'moved' }
  | { result: 'left'; task: Task; why: string }
  /** `askedMs`: how long GitHub itself wants to be left alone. */
  | { result: 'unreadable'; askedMs: number };

export async function carryOutResume(deps: Deps, batch: Batch): Promise<void> {
  const { order } = batch;
  if (order?.kind !== 'resume') return;
  const results = await resumeTasks(deps, batch.id, order);
  const waits = results.flatMap((each) => (each.result === 'unreadable' ? [each.askedMs] : []));
  if (waits.length > 0) return lookAgain(deps, batch.id, Math.max(waitOf(deps, order), ...waits));
  if (results.some(({ result }) => result === 'moved')) return lookAgain(deps, batch.id, 0);
  return finish(deps, batch.id, results);
}

async function resumeTasks(deps: Deps, batchId: string, order: Resume): Promise<readonly Resumed[]> {
  const tasks = (await deps.store.tasksOfBatch(batchId)).filter((task) => isToBeResumed(task, order));
  const results: Resumed[] = [];
  async function next(): Promise<void> {
    for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
      // A cancel that was given meanwhile must not wait for thousands of tasks, each with a read of GitHub.
      if ((await deps.store.batch(batchId))?.order?.id !== order.id) return;
      const resumed = await resumeTask(deps, task, order);
      results.push(resumed);
      // The rest would only be told the same.
      if (resumed.result === 'unreadable' && resumed.askedMs > 0) tasks.length = 0;
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  return results;
}

async function resumeTask(deps: Deps, { id }: Task, order: Resume): Promise<Resumed> {
  const subject = await subjectOf(deps, id);
  if (subject === null || !isToBeResumed(subject.task, order)) return { result: 'moved' };
  const { task } = subject;
  const { issueNumber: number, repositoryId } = task;
  try {
    // What an end is left for needs an open issue, and a webhook may have been lost.
    const issue = number === null ? null : await readIssue(deps, { repositoryId, number });
    const decision = decideResume({ ...subject, issue }, order);
    if ('left' in decision) return { result: 'left', task, why: decision.left };
    const now = deps.clock();
    const { writes } = writesOf(subject, decision.steps as readonly RowStep[], now);
    const look: Write = { write: 'work.enqueue', key: taskKey(id), dueAt: now };
    return { result: (await deps.store.commit([...writes, look])) ? 'resumed' : 'moved' };
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    deps.log.warn({ task: id, issue: number, code: error.code }, 'issue unreadable before resume');
    // Asking again would not help: the person is told, and may say it again.
    const isFinal = error.code === 'lost_access' || error.code === 'refused';
    if (isFinal) return { result: 'left', task, why: `#${number} can't be read: ${error.message}` };
    return { result: 'unreadable', askedMs: (error.retryAfterSeconds ?? 0) * 1_000 };
  }
}

/** As long as it has waited already, within bounds. */
function waitOf({ clock }: Deps, { at }: Resume): number {
  return Math.min(MAX_READ_AGAIN_MS, Math.max(READ_AGAIN_MS, clock().getTime() - at.getTime()));
}

async function lookAgain({ store, clock }: Deps, batchId: string, ms: number): Promise<void> {
  await store.queue.enqueue([{ key: batchKey(batchId), dueAt: new Date(clock().getTime() + ms) }]);
}

/** Which tasks were left is told with the end, and so once. */
async function finish(deps: Deps, batchId: string, results: readonly Resumed[]): Promise<void> {
  const { store, clock } = deps;
  const batch = await store.batch(batchId);
  if (batch?.order?.kind !== 'resume') return;
  const { actor } = batch.order;
  const now = clock();
  const left = results.flatMap((each) => (each.result === 'left' ? [each] : []));
  const kept = await store.commit([
    { write: 'batch.update', id: batchId, version: batch.version, set: { order: null } },
    ...left.map(({ task, why }) => taskEvent('TASK_RESUME_REFUSED', now, task, { data: { why, actor } })),
    batchEvent('BATCH_RESUMED', now, batch, { left: left.length, actor }),
    ...[batchKey(batchId), SCHEDULE_KEY].map((key) => ({ write: 'work.enqueue' as const, key, dueAt: now })),
  ]);
  if (!kept) await lookAgain(deps, batchId, 0);
}
