/** One task: observe, plan, apply. Idempotent; a change that another flow made first only means looking again. */

import type { TaskObservation } from '../core/plan/observation.ts';
import { settleNaturally } from '../core/plan/settle.ts';
import type { Step } from '../core/plan/steps.ts';
import { planTask } from '../core/plan/task.ts';
import { toldAsWished } from '../core/plan/told.ts';
import { isLive, LIVE_RUN_STATES, type Run } from '../core/run.ts';
import { isEnded, type Task } from '../core/task.ts';
import { oweCloseOnDone } from './close-on-done.ts';
import type { Deps } from './deps.ts';
import { type FoundEvidence, findEvidence } from './find-evidence.ts';
import { evidenceKey, issueKey, taskKey } from './keys.ts';
import { observe, refOf } from './observe.ts';
import { orderOf } from './order.ts';
import type { Write } from './ports.ts';
import { type Subject, transition } from './transition/index.ts';
import { statusWrites } from './transition/parts.ts';

/** A plan that is stale is made again at once; more rounds than this hint at a fault and are left to the queue. */
const MAX_ROUNDS = 8;
const LOOK_AGAIN_MS = 1_000;
const ELSEWHERE_MS = 200;
/** A runner that nobody configures here may be there after the next start. */
const NO_RUNNER_MS = 30_000;

export async function reconcileTask(
  deps: Deps,
  taskId: string,
  found: FoundEvidence | null = null,
): Promise<readonly Step[]> {
  const applied: Step[] = [];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const task = await deps.store.task(taskId);
    if (task === null) return applied;
    const lookedFrom = deps.clock();
    const observation = await observe(deps, task, found);
    if (isElsewhere(deps, observation)) {
      await leaveToOthers(deps, taskKey(taskId));
      return applied;
    }
    const policy = await deps.policyOf(task.repositoryId);
    // An app that stood still since then saw nothing: neither silence nor absence grows with it.
    const steps = planTask(observation, policy, lookedFrom);
    const outcome = await applySteps(deps, observation, steps);
    applied.push(...steps.filter((step) => step.step !== 'recheck'));
    if (outcome === 'again') continue;
    // While this look is not over, its key is kept: an end that was just committed is followed, whatever dies in between.
    if (policy.closeIssueOnDone && (isEnded(task.state) || steps.some(ends))) await oweCloseOnDone(deps, task);
    return applied;
  }
  await lookAgain(deps, taskId, LOOK_AGAIN_MS);
  return applied;
}

/** Looks for what a lost run has left, and goes on with that. */
export async function seekEvidence(deps: Deps, taskId: string): Promise<void> {
  const task = await deps.store.task(taskId);
  if (task === null) return;
  const lookedFrom = deps.clock();
  const observation = await observe(deps, task);
  if (isElsewhere(deps, observation)) return leaveToOthers(deps, evidenceKey(taskId));
  const steps = planTask(observation, await deps.policyOf(task.repositoryId), lookedFrom);
  if (!steps.some(({ step }) => step === 'seek_evidence')) return;
  await reconcileTask(deps, taskId, await findEvidence(deps, observation));
}

function ends(step: Step): boolean {
  return step.step === 'end' || (step.step === 'settle' && step.settlement.becomes === 'ended');
}

/** The run lives where only another app on the same database can see and signal it: that one gets its turn. */
function isElsewhere({ store, runners }: Deps, { run }: TaskObservation): boolean {
  return !store.exclusive && isLive(run) && runners.get(run.runner) === null;
}

/** Woken for it itself, this app would take it again before the other one has looked. */
async function leaveToOthers({ store, clock }: Deps, key: string): Promise<void> {
  await store.queue.enqueueForOthers([{ key, dueAt: new Date(clock().getTime() + ELSEWHERE_MS) }]);
}

async function lookAgain({ store, clock }: Deps, taskId: string, ms: number): Promise<void> {
  await store.queue.enqueue([{ key: taskKey(taskId), dueAt: new Date(clock().getTime() + ms) }]);
}

/** `again`: a guard did not hold, or the world is known to have changed by a step. */
async function applySteps(deps: Deps, observation: TaskObservation, steps: readonly Step[]): Promise<'done' | 'again'> {
  let subject: Subject = { task: observation.task, run: observation.run };
  let look: 'done' | 'again' = 'done';
  // What only notes what has happened can wait for the end of the plan, and costs one commit in all.
  const notes: Write[] = [];
  for (const step of steps) {
    switch (step.step) {
      case 'start':
        look = await start(deps, observation);
        break;
      case 'signal': {
        if (!(await signal(deps, subject, step.mode))) return 'done';
        notes.push(...noteOfSignal(subject, step.mode, deps.clock()));
        if (step.mode === 'void') look = 'again';
        break;
      }
      case 'refresh_issue':
        await refreshIssue(deps, observation);
        break;
      case 'seek_evidence':
        // GitHub is asked by a key of its own: nobody's silence holds up a stop.
        notes.push({ write: 'work.enqueue', key: evidenceKey(subject.task.id), dueAt: deps.clock() });
        break;
      case 'recheck':
        notes.push({ write: 'work.enqueue', key: taskKey(subject.task.id), dueAt: step.at });
        break;
      default: {
        const next = transition(subject, step, deps.clock());
        const told = step.step === 'mark_started' ? await statusOfBatch(deps, subject.task) : [];
        if (!(await deps.store.commit([...next.writes, ...told]))) return 'again';
        logStep(deps, subject, step);
        subject = next;
      }
    }
  }
  if (notes.length > 0 && !(await deps.store.commit(notes))) return 'again';
  return look;
}

/** The issue in whose comment its batch was started shows it, too. */
async function statusOfBatch({ store, clock }: Deps, { batchId }: Task): Promise<readonly Write[]> {
  const batch = batchId === null ? null : await store.batch(batchId);
  return batch === null ? [] : statusWrites(batch, clock());
}

/** The order is idempotent by the run's id, so an answer that was lost is asked for again. */
async function start(deps: Deps, observation: TaskObservation): Promise<'done' | 'again'> {
  const { task, run } = observation;
  if (!isLive(run)) return 'done';
  const runner = deps.runners.get(run.runner);
  if (runner === null) return failStart(deps, observation, run, `no runner is called ${run.runner} here`);
  const repository = await deps.store.repository(task.repositoryId);
  // The operator may have taken the runner away from this repository since the task was accepted.
  if (repository !== null && !deps.runners.allows(run.runner, repository.fullName)) {
    return failStart(deps, observation, run, `${run.runner} is not open to ${repository.fullName} any more`);
  }
  const batch = task.batchId === null ? null : await deps.store.batch(task.batchId);
  const answer = await runner.start(orderOf(task, run, repository, batch));
  if (answer.result === 'refused') return failStart(deps, observation, run, answer.reason);
  return 'again';
}

async function failStart(deps: Deps, observation: TaskObservation, run: Run, reason: string): Promise<'again'> {
  const now = deps.clock();
  const result = { state: 'failed', cause: 'start_failed', reason, failureClass: 'work', exitCode: null } as const;
  const { task } = observation;
  const never = { ...result, signal: null, startedAt: null, endedAt: null };
  const policy = await deps.policyOf(task.repositoryId);
  const settled = toldAsWished(settleNaturally(observation, run, never, now), task, policy);
  if (settled.step === 'settle') await deps.store.commit(transition({ task, run }, settled, now).writes);
  return 'again';
}

/**
 * TERM and KILL are sent first and recorded then: the cancel itself was recorded before. A crash in between sends the same
 * signal once more, which harms nothing. False: nothing is known to have been sent, and it is tried again later.
 */
async function signal(deps: Deps, { task, run }: Subject, mode: 'void' | 'term' | 'kill'): Promise<boolean> {
  if (run === null) return true;
  const runner = deps.runners.get(run.runner);
  if (runner === null) {
    deps.log.warn({ task: task.id, run: run.id, runner: run.runner }, 'cancel can not be sent: no such runner here');
    await lookAgain(deps, task.id, NO_RUNNER_MS);
    return false;
  }
  try {
    await runner.cancel(run.id, mode);
  } catch (error) {
    deps.log.warn({ task: task.id, run: run.id, runner: run.runner, err: error }, 'cancel got no answer');
    await lookAgain(deps, task.id, LOOK_AGAIN_MS);
    return false;
  }
  deps.log.info({ task: task.id, run: run.id, signal: mode }, 'run signalled');
  return true;
}

/** The first of each counts: KILL is sent again and again. */
function noteOfSignal({ run }: Subject, mode: 'void' | 'term' | 'kill', at: Date): Write[] {
  if (run === null || mode === 'void') return [];
  if (mode === 'term' ? run.termAt !== null : run.killAt !== null) return [];
  const set = mode === 'term' ? { termAt: at } : { killAt: at };
  return [{ write: 'run.update', id: run.id, from: LIVE_RUN_STATES, set }];
}

/** The read itself is the issue's own business; the task is looked at again when it is done. */
async function refreshIssue(deps: Deps, { issue, task }: TaskObservation): Promise<void> {
  if (issue === null || task.issueNumber === null) return;
  const dueAt = deps.clock();
  await deps.store.commit([
    { write: 'issue.update', ref: refOf(task, task.issueNumber), version: issue.version, set: { readDue: true } },
    { write: 'work.enqueue', key: issueKey(issue), dueAt },
  ]);
}

function logStep({ log }: Deps, { task, run }: Subject, step: Step): void {
  if (step.step === 'recheck') return;
  log.info(
    { repository_id: task.repositoryId, issue: task.issueNumber, task: task.id, run: run?.id, step: step.step },
    'task step applied',
  );
}
