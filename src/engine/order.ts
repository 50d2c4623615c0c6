/** What a runner is told to run, and what the run is told of itself. */
import type { Batch } from '../core/batch.ts';
import type { Run } from '../core/run.ts';
import type { Task } from '../core/task.ts';
import { verifyOf } from '../core/verify.ts';
import type { RepositoryRef, StartOrder } from './ports.ts';

export function orderOf(task: Task, run: Run, repository: RepositoryRef | null, batch: Batch | null): StartOrder {
  const stage = (run.purpose === 'verify' ? verifyOf(task) : null) ?? { run: task.spec.run, env: {} };
  return {
    runId: run.id,
    taskId: task.id,
    argv: stage.run,
    // A task can't pretend to be another: our own names come last.
    env: { ...task.spec.env, ...stage.env, ...factsOf(task, run, { repository, batch }) },
    envFrom: task.spec.envFrom,
    workingDirectory: task.spec.workingDirectory,
  };
}

/** Variables under our own names. */
export function factsOf(
  task: Task,
  run: Run,
  { repository, batch }: { repository: RepositoryRef | null; batch: Batch | null },
): Readonly<Record<string, string>> {
  const facts: Record<string, string | null | undefined> = {
    STANDDOWN_RUN_ID: run.id,
    STANDDOWN_RUN_NUMBER: String(run.number),
    STANDDOWN_PURPOSE: run.purpose,
    STANDDOWN_TASK_ID: task.id,
    STANDDOWN_TASK_KEY: task.key,
    STANDDOWN_BATCH_ID: batch?.id,
    STANDDOWN_BATCH: batch?.name,
    STANDDOWN_REPOSITORY: repository?.fullName,
    STANDDOWN_ISSUE: task.issueNumber === null ? null : String(task.issueNumber),
    STANDDOWN_REQUEUE_REASON: task.requeueReason,
  };
  return Object.fromEntries(Object.entries(facts).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}
