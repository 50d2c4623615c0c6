/** What a runner is told to run, and what the run is told of itself. */
import type { Batch } from '../core/batch.ts';
import type { Run } from '../core/run.ts';
import type { Task } from '../core/task.ts';
import { verifyOf } from '../core/verify.ts';
import type { RepositoryRef, StartOrder } from './ports.ts';

export function orderOf(task: Task, run: Run, repository: RepositoryRef | null, batch: Batch | null): StartOrder {
  const stage = (run.purpose === 'verify' ? verifyOf(task) : null) ?? { run: task.spec.run, env: {} };
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
  const told = Object.entries(facts).flatMap(([name, value]) => (value ? [[name, value] as const] : []));
  return {
    runId: run.id,
    taskId: task.id,
    argv: stage.run,
    // A task can't pretend to be another: our own names come last.
    env: { ...task.spec.env, ...stage.env, ...Object.fromEntries(told) },
    envFrom: task.spec.envFrom,
    workingDirectory: task.spec.workingDirectory,
  };
}
