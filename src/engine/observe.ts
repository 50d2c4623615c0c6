/** Looks at everything that a task's plan needs. What can't be seen is null, never a guess. */

import { blocking } from '../core/blockers/blocker.ts';
import { NO_RUNS, type RunTally, tallyOf } from '../core/failure.ts';
import { covers } from '../core/hold.ts';
import type { TrackedIssue } from '../core/issue.ts';
import type { TaskObservation } from '../core/plan/observation.ts';
import { naturalResult } from '../core/plan/settle.ts';
import { isLive, type Probe, type Run } from '../core/run.ts';
import { isEnded, type Task } from '../core/task.ts';
import { verifyOf } from '../core/verify.ts';
import { isGivenUp } from './access/index.ts';
import type { Deps } from './deps.ts';
import type { FoundEvidence } from './find-evidence.ts';
import { graceSecondsOf } from './grace.ts';
import { viewBlockersOf } from './view-blockers.ts';

const HOUR_MS = 3_600_000;

/** `found`: what a lost run has left, where that was looked for. */
export async function observe(deps: Deps, task: Task, found: FoundEvidence | null = null): Promise<TaskObservation> {
  const { store } = deps;
  const run = task.runNumber === 0 ? null : await store.newestRun(task.id);
  const probe = isLive(run) ? await probeRun(deps, run) : null;
  const issue = task.issueNumber === null ? null : await store.issue(refOf(task, task.issueNumber));
  const episode = issue === null ? null : await store.newestEpisode(issue.nodeId);
  const endingId = task.target?.ending.episodeId ?? null;
  const endingEpisode = endingId === null || endingId === episode?.id ? episode : await store.episode(endingId);
  const reopened = episode?.state === 'undone' && (isEnded(task.state) || task.target !== null);
  // What survived its KILL is all that may still run in a batch whose name another one has taken.
  const outlived = isLive(run) && task.state === 'blocked';
  const over = probe !== null && !['running', 'claimed', 'unreadable'].includes(probe.state);
  const succeeded = probe?.state === 'exited' && naturalResult(probe, 'work').state === 'succeeded';
  const runsAgain = over && (!succeeded || task.target !== null);
  const since = new Date(deps.clock().getTime() - HOUR_MS);
  return {
    task,
    run,
    probe,
    issue,
    episode,
    endingEpisode: endingId === null ? null : endingEpisode,
    graceSeconds: graceSecondsOf(deps, task, run),
    // What runs goes on, and what has ended waits for nothing.
    blockers: issue === null || isLive(run) || isEnded(task.state) ? [] : await viewBlockersOf(deps, issue),
    barred: reopened || outlived || runsAgain ? await barOf(deps, task) : null,
    tally: await tallyIn(deps, task, run),
    isHeldBack: over && succeeded && run?.purpose === 'work' && (await isHeldBack(deps, task, issue)),
    requeuesWithinHour: reopened && issue !== null ? await store.countRequeues(issue, since, episode.id) : 0,
    evidence: found !== null && found.runId === run?.id ? found.evidence : null,
    isUninstalled: await isGivenUp(store, task.repositoryId),
  };
}

export function refOf(task: Task, number: number) {
  return { repositoryId: task.repositoryId, number };
}

/** The first of its generation's work runs has nothing before it. */
async function tallyIn({ store }: Deps, task: Task, run: Run | null): Promise<RunTally> {
  if (!isLive(run) || (task.attempt <= 1 && run.purpose === 'work')) return NO_RUNS;
  return tallyOf((await store.queries.runsOfTasks([task.id])).get(task.id) ?? [], task.generation);
}

async function isHeldBack({ store }: Deps, task: Task, issue: TrackedIssue | null): Promise<boolean> {
  if (verifyOf(task) === null) return false;
  if ((await store.holds()).some((hold) => covers(hold, task))) return true;
  const batch = task.batchId === null ? null : await store.batch(task.batchId);
  if (batch !== null && batch.hold !== null) return true;
  return issue !== null && blocking(task, await viewBlockersOf({ store }, issue)).length > 0;
}

/** null where the runner is unknown here or gave no answer. */
async function probeRun({ runners, log }: Deps, run: Run): Promise<Probe | null> {
  const runner = runners.get(run.runner);
  if (runner === null) return null;
  try {
    return (await runner.inspect([run.id])).get(run.id) ?? null;
  } catch (error) {
    log.warn({ run: run.id, runner: run.runner, err: error }, 'runner unreachable');
    return null;
  }
}

async function barOf({ store }: Deps, task: Task): Promise<TaskObservation['barred']> {
  const batch = task.batchId === null ? null : await store.batch(task.batchId);
  if (batch === null) return null;
  if (batch.order?.kind === 'cancel') return 'batch_cancelled';
  const newest = await store.newestBatch(batch.repositoryId, batch.name);
  return newest !== null && newest.id !== batch.id ? 'superseded' : null;
}
