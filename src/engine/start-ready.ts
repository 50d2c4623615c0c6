/**
 * The one pass that gives slots to ready tasks: at most one runs at a time, so every limit holds. An issue's live state is
 * read right before its task starts; one that can't be read costs only its own task a delay.
 */
import { ATTENDED } from '../core/attended.ts';
import type { Batch } from '../core/batch.ts';
import { covers, type ScopedHold } from '../core/hold.ts';
import type { IssueRef } from '../core/issue.ts';
import { forbidsStarts } from '../core/plan/batch.ts';
import type { Run } from '../core/run.ts';
import { schedule } from '../core/schedule.ts';
import type { Task } from '../core/task.ts';
import { nextPurpose, verifyOf } from '../core/verify.ts';
import { outOfReach } from './access/index.ts';
import { isForbidden, type Obstacle, obstacleOf } from './admission.ts';
import { beginRun } from './begin-run.ts';
import type { Deps } from './deps.ts';
import { readBranchBefore } from './find-evidence.ts';
import { areRunnersFull, fullBatches, fullRepositories, isShut } from './full.ts';
import { commitInTurn, type Turn } from './in-turn.ts';
import { taskEvent } from './journal.ts';
import { issueKey, SCHEDULE_KEY } from './keys.ts';
import { newRun } from './new-run.ts';
import { GitHubError, type Write } from './ports.ts';
import { readIssue } from './read-issue.ts';
import type { StartPace } from './start-pace.ts';
import { transition } from './transition/index.ts';
import { setTask } from './transition/parts.ts';
import { withinMs } from './within-ms.ts';

const CANDIDATES = 100;
/** More of each than a statement takes: the rest is read, and finds no place. */
const MAX_EXCEPTED = 400;
/** How soon another app on the same database gets the turn for its own runners. */
const ELSEWHERE_MS = 500;
/** An issue that could not be read, or is being ended, is looked at again then, or when GitHub asks for it. */
const START_AGAIN_MS = 5_000;
/** All starts wait for this pass: an issue that GitHub is silent about must not hold them up for longer. */
const READ_MS = 5_000;

export async function startReady(deps: Deps, pace: StartPace, turn: Turn = null): Promise<void> {
  let looked: Date;
  for (;;) {
    looked = deps.clock();
    const most = pace.available(looked);
    if (most < 1) return lookAgainAt(deps, pace.nextAt(deps.clock()));
    const { chosen, isWhole } = await choose(deps, most);
    if (chosen.length === 0) break;
    pace.take(chosen.length, deps.clock());
    const results = await Promise.all(chosen.map((task) => admit(deps, task, turn)));
    // A slot that its task could not take is given to the next one at once.
    if (isWhole && results.every((result) => result === 'started')) break;
  }
  // From that look on: what came due while issues were read was no candidate.
  const next = await deps.store.nextNotBefore(looked);
  if (next !== null) await lookAgainAt(deps, next);
}

async function lookAgainAt({ store }: Deps, dueAt: Date): Promise<void> {
  await store.queue.enqueue([{ key: SCHEDULE_KEY, dueAt }]);
}

/** Where none of the first candidates has a place, those behind them may: what is in their way must not hide them. */
async function choose(deps: Deps, most: number): Promise<{ chosen: readonly Task[]; isWhole: boolean }> {
  const { store, clock, limits, runners } = deps;
  const now = { running: await store.liveRuns(), holds: await store.holds() };
  const isFull = areRunnersFull(deps, now);
  if (isShut(deps, now) || (isFull && store.exclusive)) return { chosen: [], isWhole: true };
  const { running, holds } = now;
  const batches = new Map<string, Batch>();
  const closed = new Set(await fullBatches(deps, now, batches));
  const shut = new Set(fullRepositories(deps, now));
  const runnerLimit = (name: string) => runners.get(name)?.profile.maxRunning ?? null;
  for (let limit = CANDIDATES; ; limit *= 10) {
    const repositoryIds = [...shut].slice(0, MAX_EXCEPTED);
    const except = { batchIds: [...closed].slice(0, MAX_EXCEPTED), repositoryIds };
    const found = await store.startable(clock(), limit, except);
    if (isFull) return giveTurn(deps, found);
    const here = (await ofRunnersHere(deps, found.filter(isForRunners))).filter((task) => !isHeld(task, holds));
    const unreached = await outOfReach(deps, here);
    for (const id of unreached) shut.add(id);
    const candidates = here.filter(({ repositoryId }) => !unreached.has(repositoryId));
    const stopped = await stoppedBatches(deps, candidates, batches);
    const fitting = schedule({ candidates, running, batches, stopped, runnerLimit, limits });
    const chosen = fitting.slice(0, most);
    for (const id of stopped) closed.add(id);
    const isWhole = found.length < limit && chosen.length === fitting.length;
    if (chosen.length > 0 || isWhole) return { chosen, isWhole };
  }
}

/** Fills `batches` with those of the candidates, and names the ones of which nothing may start now. */
async function stoppedBatches(
  { store }: Deps,
  candidates: readonly Task[],
  batches: Map<string, Batch>,
): Promise<Set<string>> {
  const stopped = new Set<string>();
  for (const id of new Set(candidates.flatMap((task) => task.batchId ?? []))) {
    const batch = batches.get(id) ?? (await store.batch(id));
    if (batch === null) continue;
    batches.set(id, batch);
    const tasks = batch.onFailure === 'stop' ? (await store.outlineOfBatch(id)).counts : [];
    if (forbidsStarts(batch, tasks)) stopped.add(id);
  }
  return stopped;
}

/** What only people run waits for them. */
function isForRunners({ spec }: Task): boolean {
  return spec.runsOn !== ATTENDED;
}

function isHeld(task: Task, holds: readonly ScopedHold[]): boolean {
  return holds.some((hold) => covers(hold, task));
}

/** Woken for it itself, this app would take it again before the other one has looked. */
async function leaveToOthers({ store, clock }: Deps): Promise<void> {
  const dueAt = new Date(clock().getTime() + ELSEWHERE_MS);
  await store.queue.enqueueForOthers([{ key: SCHEDULE_KEY, dueAt }]);
}

/** Nothing can start here: where some of what is ready may be for another app's runners, that one looks for itself. */
async function giveTurn(deps: Deps, found: readonly Task[]): Promise<{ chosen: readonly Task[]; isWhole: true }> {
  const isElsewhere = found.length === CANDIDATES || found.some((task) => deps.runners.get(task.spec.runsOn) === null);
  if (isElsewhere) await leaveToOthers(deps);
  return { chosen: [], isWhole: true };
}

/** A runner that this app does not drive is another app's, which then gets its turn; or nobody's, and its tasks wait. */
async function ofRunnersHere(deps: Deps, tasks: readonly Task[]): Promise<readonly Task[]> {
  const here = tasks.filter((task) => deps.runners.get(task.spec.runsOn) !== null);
  if (here.length < tasks.length && !deps.store.exclusive) {
    await leaveToOthers(deps);
  }
  return here;
}

/** `started`: the run's row is there, and the task's own reconcile starts the process. */
async function admit(deps: Deps, task: Task, turn: Turn): Promise<'started' | 'not_now'> {
  if (task.issueNumber !== null) {
    const ref = { repositoryId: task.repositoryId, number: task.issueNumber };
    try {
      const issue = await withinMs(READ_MS, readIssue(deps, ref));
      // Without GitHub nobody can say that it does not exist.
      if (issue === null && deps.github !== null) return await delay(deps, task, 'its issue does not exist');
      const obstacle = issue === null ? null : await withinMs(READ_MS, obstacleOf(deps, task, issue));
      if (obstacle !== null) return await giveWay(deps, task, { ref, obstacle });
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      deps.log.warn({ task: task.id, issue: task.issueNumber, code: error.code }, 'issue unreadable before start');
      return await delay(deps, task, error.message, { askedMs: (error.retryAfterSeconds ?? 0) * 1_000 });
    }
  }
  const purpose = await purposeOf(deps, task);
  const branchBefore = purpose === 'work' ? await readBranchBefore(deps, task) : null;
  const wasWaitedFor = task.issueNumber !== null || branchBefore !== null;
  if (wasWaitedFor && (await isForbidden(deps, task))) return 'not_now';
  const batch = task.batchId === null ? null : await deps.store.batch(task.batchId);
  const now = deps.clock();
  const run = newRun(deps.newId('run'), { task, purpose, branchBefore }, now);
  const result = await commitInTurn(deps.store, turn, beginRun({ task, run, batch }, now));
  // Whoever has it has counted without this run.
  if (result === 'passed_on') throw new Error('the turn to start runs has passed to another');
  return result === 'kept' ? 'started' : 'not_now';
}

/** Where the issue's own reconcile goes on, the task is no candidate until then. */
async function giveWay(
  deps: Deps,
  task: Task,
  { ref, obstacle }: { ref: IssueRef; obstacle: Obstacle },
): Promise<'not_now'> {
  const now = deps.clock();
  if (obstacle.by === 'issue') {
    return delay(deps, task, obstacle.reason, { more: [{ write: 'work.enqueue', key: issueKey(ref), dueAt: now }] });
  }
  const { writes } = transition({ task, run: null }, { step: 'block', by: obstacle.labels }, now);
  await deps.store.commit(writes);
  return 'not_now';
}

async function delay(
  deps: Deps,
  task: Task,
  reason: string,
  { askedMs = 0, more = [] }: { askedMs?: number; more?: readonly Write[] } = {},
): Promise<'not_now'> {
  const now = deps.clock();
  const notBefore = new Date(now.getTime() + Math.max(START_AGAIN_MS, askedMs));
  const event = taskEvent('TASK_START_DELAYED', now, task, { data: { reason, not_before: notBefore.toISOString() } });
  const { writes } = setTask({ task, run: null }, { notBefore, notBeforeReason: reason }, now);
  await deps.store.commit([...writes, event, ...more]);
  return 'not_now';
}

/** Whether the work has succeeded already, and waits for its verify run. */
export async function purposeOf({ store }: Deps, task: Task): Promise<Run['purpose']> {
  if (task.runNumber === 0 || verifyOf(task) === null) return 'work';
  return nextPurpose(task, await store.newestRun(task.id));
}
