/** What a look at an issue says of tasks that wait for other issues: its own, and those of the issues that it blocks. */
import { blocking } from '../core/blockers/blocker.ts';
import type { CloseEpisode, IssueRef, TrackedIssue } from '../core/issue.ts';
import { planIssue } from '../core/plan/issue.ts';
import type { Task } from '../core/task.ts';
import type { Deps } from './deps.ts';
import { githubNow } from './github-clock.ts';
import { isUnfinished } from './looks.ts';
import { canBeBlocked, followBlockers } from './reconcile-blockers.ts';
import { viewBlockersOf } from './view-blockers.ts';

/** `issue`: where to look for what it says. */
export interface BlockerChange {
  taskId: string;
  kind: 'blocker_resolved' | 'blocked';
  issue: IssueRef;
}

/** Throws `GitHubError` where what blocks the issue has to be read and can't be. */
export async function blockerChanges(
  deps: Deps,
  issue: TrackedIssue,
  tasks: readonly Task[],
): Promise<readonly BlockerChange[]> {
  return [...(await changesOfOwn(deps, issue, tasks.filter(isUnfinished))), ...(await changesBehind(deps, issue))];
}

async function changesOfOwn(deps: Deps, issue: TrackedIssue, tasks: readonly Task[]): Promise<BlockerChange[]> {
  if (tasks.length === 0) return [];
  if (issue.blockersDue || (await isReadableNow(deps, issue))) await followBlockers(deps, issue);
  const views = await viewBlockersOf(deps, issue);
  return tasks.flatMap((task) => {
    const isBlocked = blocking(task, views).length > 0;
    if (isBlocked ? mayBeBlocked(task) : waitsForIssues(task)) {
      return [changeOf(task, isBlocked ? 'blocked' : 'blocker_resolved', issue)];
    }
    return [];
  });
}

/** Whether the App was given a repository that it could not read when it was named. */
async function isReadableNow(deps: Deps, issue: TrackedIssue): Promise<boolean> {
  if (!canBeBlocked(deps, issue)) return false;
  const edges = await deps.store.blockersOf(issue);
  const names = new Set(
    edges
      .filter(({ blocker, state }) => blocker.repositoryId === null && blocker.number > 0 && state !== 'refused')
      .map(({ label }) => label.slice(0, label.lastIndexOf('#'))),
  );
  for (const name of names) if ((await deps.github?.findRepository(name)) != null) return true;
  return false;
}

/** Of this issue's own close or reopen, where nobody has followed it yet. */
async function changesBehind(deps: Deps, issue: TrackedIssue): Promise<BlockerChange[]> {
  const blocked = await deps.store.issuesBlockedBy(issue);
  if (blocked.length === 0) return [];
  const kind = await newsOf(deps, issue, await deps.store.newestEpisode(issue.nodeId));
  if (kind === null) return [];
  const tasks = (await Promise.all(blocked.map((ref) => deps.store.tasksOfIssue(ref)))).flat();
  return tasks.filter(kind === 'blocked' ? mayBeBlocked : waitsForIssues).map((task) => changeOf(task, kind, issue));
}

async function newsOf(
  deps: Deps,
  issue: TrackedIssue,
  episode: CloseEpisode | null,
): Promise<BlockerChange['kind'] | null> {
  const steps = planIssue(issue, episode, await deps.policyOf(issue.repositoryId), githubNow(deps));
  const isFollowed = steps.every(({ step }) => step === 'recheck') && episode?.authority !== 'pending';
  if (isFollowed) return null;
  if (issue.state === 'open') return 'blocked';
  return issue.reason === 'completed' || issue.reason === 'unknown' ? 'blocker_resolved' : null;
}

function changeOf({ id }: Task, kind: BlockerChange['kind'], { repositoryId, number }: IssueRef): BlockerChange {
  return { taskId: id, kind, issue: { repositoryId, number } };
}

function mayBeBlocked({ state }: Task): boolean {
  return state === 'waiting' || state === 'ready';
}

function waitsForIssues({ state, cause, blockers }: Task): boolean {
  return state === 'blocked' && cause === 'blocker' && blockers.length === 0;
}
