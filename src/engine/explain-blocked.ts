/** What the close of an issue would do to tasks of other issues: those that wait for it. */
import { explainUnblocking } from '../core/explain.ts';
import type { IssueRef, TrackedIssue } from '../core/issue.ts';
import { isEnded, type Task } from '../core/task.ts';
import type { Deps } from './deps.ts';
import { viewEdge } from './view-blockers.ts';

export interface BlockedTask {
  task: Task;
  /** Its issue, as `owner/name#12`. */
  issue: string;
  /** What the close would do. */
  ifCompleted: string;
}

/** More than anybody reads. */
const MAX_TASKS = 100;

export async function explainBlocked(deps: Deps, issue: TrackedIssue): Promise<readonly BlockedTask[]> {
  if (issue.presence !== 'present' || issue.state === 'closed') return [];
  const found: BlockedTask[] = [];
  for (const ref of await deps.store.issuesBlockedBy(issue)) {
    if (found.length >= MAX_TASKS) break;
    found.push(...(await blockedTasksOf(deps, ref, issue)));
  }
  return found.slice(0, MAX_TASKS);
}

async function blockedTasksOf(deps: Deps, ref: IssueRef, by: TrackedIssue): Promise<BlockedTask[]> {
  const { store } = deps;
  const idle = (await store.tasksOfIssue(ref)).filter(({ state }) => !isEnded(state) && state !== 'running');
  if (idle.length === 0) return [];
  const edges = await store.blockersOf(ref);
  const isBy = ({ repositoryId, number }: (typeof edges)[number]['blocker']) =>
    repositoryId === by.repositoryId && number === by.number;
  const labels = edges.filter(({ blocker }) => isBy(blocker)).map(({ label }) => label);
  const blockers = await Promise.all(edges.map((edge) => viewEdge(deps, edge)));
  const repository = await store.repository(ref.repositoryId);
  const name = `${repository?.fullName ?? ''}#${ref.number}`;
  const policy = await deps.policyOf(by.repositoryId);
  return idle.flatMap((task) => {
    const ifCompleted = explainUnblocking(task, blockers, { labels, policy });
    return ifCompleted === null ? [] : [{ task, issue: name, ifCompleted }];
  });
}
