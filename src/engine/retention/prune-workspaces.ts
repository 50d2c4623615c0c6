/**
 * Has runners remove the directories of tasks that are over. They are kept across runs, and as long as the task may be queued again by a
 * reopen; a later retry by a person begins in an empty one.
 */
import { setImmediate as breath } from 'node:timers/promises';
import { isPursued } from '../../core/plan/orphan.ts';
import { isLive } from '../../core/run.ts';
import { isEnded, type Task } from '../../core/task.ts';
import type { Deps } from '../deps.ts';
import type { JobControl } from '../ports.ts';
import { daysBefore, keptDays } from './days.ts';
import type { Taken } from './prune-runs.ts';

const MOST_AT_ONCE = 1_000;

export async function pruneWorkspaces(deps: Deps): Promise<Taken> {
  let count = 0;
  for (const name of deps.runners.names()) {
    const runner = deps.runners.get(name);
    if (runner?.removeWorkspace === undefined) continue;
    for (const taskId of await workspacesOf(deps, name, runner)) {
      if (count >= MOST_AT_ONCE) return { count, rest: true };
      // Each of the others would be waited for, one after another.
      if (runner.profile.silent) break;
      if (await removeOne(deps, runner, taskId)) count += 1;
      await breath();
    }
  }
  return { count, rest: false };
}

async function workspacesOf({ log }: Deps, name: string, runner: JobControl): Promise<readonly string[]> {
  try {
    return (await runner.workspaces?.()) ?? [];
  } catch (error) {
    log.warn({ runner: name, err: error }, 'runner unreachable');
    return [];
  }
}

/** What can't be removed now is still listed the next time. */
async function removeOne(deps: Deps, runner: JobControl, taskId: string): Promise<boolean> {
  const task = await deps.store.task(taskId);
  if (task === null || !(await isOver(deps, task))) return false;
  try {
    return (await runner.removeWorkspace?.(taskId)) ?? false;
  } catch (error) {
    deps.log.warn({ task: taskId, err: error }, "task's directory not removed");
    return false;
  }
}

/** Past its window and its days, with nothing of it alive. A directory that its template names is nobody's to remove. */
async function isOver(deps: Deps, task: Task): Promise<boolean> {
  const { store } = deps;
  if (!isEnded(task.state) || task.finishedAt === null || task.spec.workingDirectory !== null) return false;
  const { reopenWindowDays } = await deps.policyOf(task.repositoryId);
  const before = (days: number) => daysBefore(deps.clock(), days);
  if (task.finishedAt >= before(Math.max(reopenWindowDays, keptDays(deps).logsDays))) return false;
  // Where what had ended before is queued again, too, the window begins with the last close.
  const issue =
    task.issueNumber === null ? null : await store.issue({ repositoryId: task.repositoryId, number: task.issueNumber });
  if (issue?.closedAt && issue.closedAt >= before(reopenWindowDays)) return false;
  const runs = (await store.queries.runsOfTasks([task.id])).get(task.id) ?? [];
  return !runs.some((run) => isLive(run) || isPursued(run));
}
