/** Whether somebody may run a task themselves now: by all that holds for a start, but for the places of the runner that it names. */
import { ATTENDED } from '../../core/attended.ts';
import type { IssueRef } from '../../core/issue.ts';
import { schedule } from '../../core/schedule.ts';
import { isEnded, type Task } from '../../core/task.ts';
import { isForbidden, obstacleOf } from '../admission.ts';
import type { Deps } from '../deps.ts';
import { issueKey } from '../keys.ts';
import { GitHubError } from '../ports.ts';
import { readIssue } from '../read-issue.ts';
import { purposeOf } from '../start-ready.ts';
import { whyNotRunning } from '../why.ts';
import { withinMs } from '../within-ms.ts';

export interface Bar {
  message: string;
  code?: 'issue_closed';
}

const READ_MS = 10_000;

/** The task as it is for as long as somebody attends it. */
export function asAttended(task: Task): Task {
  return { ...task, spec: { ...task.spec, runsOn: ATTENDED } };
}

/** By what is known here. To be asked again with the limits at hand, since everything may have changed. */
export async function barOf(deps: Deps, task: Task): Promise<Bar | null> {
  const { key, state, runNumber } = task;
  if (isEnded(state)) return { message: `${key} is ${state}: only a retry makes it run again` };
  if (state === 'running') return { message: `${key} is running already, as run ${runNumber}` };
  if (state === 'ready' && (await purposeOf(deps, task)) === 'verify') {
    return { message: `the work of ${key} is done, and its verify run comes next` };
  }
  if (state === 'ready' && (await isFree(deps, task))) return null;
  const why = (await whyNotRunning(deps, [asAttended(task)])).get(task.id);
  return { message: `${key} is ${state}, and can't start now: ${why ?? 'try again'}` };
}

async function isFree(deps: Deps, task: Task): Promise<boolean> {
  const { store, clock, limits } = deps;
  if (task.hold !== null || (task.notBefore !== null && task.notBefore > clock())) return false;
  const attended = asAttended(task);
  if (await isForbidden(deps, attended)) return false;
  const batch = task.batchId === null ? null : await store.batch(task.batchId);
  const places = {
    ...{ running: await store.liveRuns(), batches: new Map(batch === null ? [] : [[batch.id, batch]]) },
    ...{ stopped: new Set<string>(), runnerLimit: () => null, limits },
  };
  return schedule({ candidates: [attended], ...places }).length > 0;
}

/** Whoever attends knows the issue, and not what GitHub was asked. */
async function failReading({ store }: Deps, { repositoryId, number }: IssueRef, error: unknown): Promise<never> {
  if (!(error instanceof GitHubError)) throw error;
  const { code, said, status, retryAfterSeconds } = error;
  const label = `${(await store.repository(repositoryId))?.fullName ?? ''}#${number}`;
  throw new GitHubError(code, `${label}: ${said}`, { status, retryAfterSeconds, said });
}

/** By its issue, as that is read now. Throws `GitHubError` where it can't be read. */
export async function barOfIssue(deps: Deps, task: Task): Promise<Bar | null> {
  if (task.issueNumber === null) return null;
  const ref = { repositoryId: task.repositoryId, number: task.issueNumber };
  const issue = await withinMs(READ_MS, readIssue(deps, ref)).catch((error) => failReading(deps, ref, error));
  // Without GitHub nobody can say that it does not exist.
  if (issue === null) return deps.github === null ? null : { message: `issue #${ref.number} does not exist` };
  const obstacle = await withinMs(READ_MS, obstacleOf(deps, task, issue));
  if (obstacle === null) return null;
  // Whatever it is, the issue's own look goes on with the task.
  await deps.store.queue.enqueue([{ key: issueKey(ref), dueAt: deps.clock() }]);
  if (obstacle.by === 'blocked') return { message: `${task.key} is blocked by ${obstacle.labels.join(', ')}` };
  if (issue.presence === 'present' && issue.state === 'closed') {
    return { message: `#${issue.number} is closed: reopen it first`, code: 'issue_closed' };
  }
  return { message: `${task.key} can't start now: ${obstacle.reason}` };
}
