/** What is told of tasks and batches: their newest runs, and where GitHub shows more of them. Only of what is shown. */
import type { Batch } from '../../core/batch.ts';
import type { IssueRef, TrackedIssue } from '../../core/issue.ts';
import { closeEffect, failureEffect } from '../../core/plan/steps.ts';
import { MAX_NODES } from '../../core/report/graph.ts';
import {
  type BatchStatus,
  type Link,
  MAX_ROWS,
  type StatusReport,
  shownOf,
  type TaskTable,
} from '../../core/report/status.ts';
import { isLive, type Run } from '../../core/run.ts';
import { isEnded, type Task } from '../../core/task.ts';
import type { Deps } from '../deps.ts';
import { silenceOf } from '../silence.ts';
import { messageId } from '../transition/parts.ts';

/** Older ones that were started in the same issue are not told of. */
const MAX_BATCHES = 3;

/** Without the id of a message: a reply tells it, too. */
export async function statusOf(deps: Deps, ref: IssueRef): Promise<Omit<StatusReport, 'id'>> {
  const { store } = deps;
  const [issue, tasks, batches, policy] = await Promise.all([
    store.issue(ref),
    store.tasksOfIssue(ref),
    store.batchesOfIssue(ref, MAX_BATCHES),
    deps.policyOf(ref.repositoryId),
  ]);
  const table = await tableOf(deps, tasks, (task) => commentLink(deps, issue, task));
  // What a person could say on it is none of this repository's business any more.
  const here = issue?.presence === 'present' ? issue : null;
  return {
    ...table,
    issue: here,
    policy,
    batches: await Promise.all(batches.map((batch) => batchStatusOf(deps, batch))),
  };
}

/** Of a large batch only the tasks that have a row are read. */
export async function batchStatusOf(deps: Deps, batch: Batch): Promise<BatchStatus> {
  const { counts } = await deps.store.outlineOfBatch(batch.id);
  const isSmall = counts.reduce((total, { count }) => total + count, 0) <= MAX_NODES;
  const tasks = isSmall ? await deps.store.tasksOfBatch(batch.id) : await firstOf(deps, batch.id);
  return { batch, counts, ...(await tableOf(deps, tasks, (task) => issueLink(deps, task))) };
}

async function firstOf({ store }: Deps, batchId: string): Promise<readonly Task[]> {
  const members = await store.membersOfBatch(batchId);
  const unfinished = members.filter(({ state }) => !isEnded(state));
  const running = unfinished.filter(({ state }) => state === 'running');
  const others = unfinished.filter(({ state }) => state !== 'running');
  const shown = [...running, ...others, ...members.filter(({ state }) => isEnded(state))].slice(0, MAX_ROWS);
  const tasks = await Promise.all(shown.map(({ id }) => store.task(id)));
  return tasks.filter((task) => task !== null);
}

/** `linkOf`: default: none. */
export async function tableOf(
  deps: Deps,
  tasks: readonly Task[],
  linkOf: (task: Task) => Promise<Link | null> = async () => null,
): Promise<TaskTable> {
  const { store } = deps;
  const runs = new Map<string, Run>();
  const links = new Map<string, Link>();
  for (const task of shownOf(tasks)) {
    const run = task.runNumber === 0 ? null : await store.newestRun(task.id);
    if (run !== null) runs.set(task.id, run);
    const link = await linkOf(task);
    if (link !== null) links.set(task.id, link);
  }
  return { tasks, runs, links, silentSince: silentSince(deps, [...runs.values()]) };
}

/** A silence that is over soon is not worth an edit. */
function silentSince(deps: Deps, runs: readonly Run[]): ReadonlyMap<string, Date> {
  const names = new Set(runs.filter(isLive).map(({ runner }) => runner));
  const found = new Map<string, Date>();
  for (const name of names) {
    const silence = silenceOf(deps, name);
    if (silence?.needsPerson) found.set(name, silence.since);
  }
  return found;
}

/** The comment that told of its end, where it is known. */
async function commentLink({ store }: Deps, issue: TrackedIssue | null, task: Task): Promise<Link | null> {
  const effect = effectOfEnd(task);
  if (issue === null || effect === null) return null;
  const comment = (await store.outbox.view(messageId(effect)))?.item.remoteId ?? null;
  return comment === null ? null : { text: 'comment', url: `${issue.movedTo ?? issue.url}#issuecomment-${comment}` };
}

function effectOfEnd({ id, state, generation, endedByEpisodeId }: Task): string | null {
  if (!isEnded(state)) return null;
  if (endedByEpisodeId !== null) return closeEffect(endedByEpisodeId);
  return state === 'failed' ? failureEffect(id, generation) : null;
}

async function issueLink({ store }: Deps, { repositoryId, issueNumber }: Task): Promise<Link | null> {
  if (issueNumber === null) return null;
  const issue = await store.issue({ repositoryId, number: issueNumber });
  return issue === null ? null : { text: `issue ${issueNumber}`, url: issue.url };
}
