/**
 * What one issue is blocked by: the edges follow what GitHub tells of them, then whoever wrote or took away each is judged.
 * Two passes, each committed for itself: what was read is kept, however long the judging takes.
 */
import type { IssueBlocker } from '../core/blockers/blocker.ts';
import { type EdgeChange, planBlockersOf } from '../core/blockers/plan.ts';
import type { IssueRef, TrackedIssue } from '../core/issue.ts';
import type { Task } from '../core/task.ts';
import type { Deps } from './deps.ts';
import { issueEvent } from './journal.ts';
import { type Judged, judgeBlockers, needsJudgement } from './judge-blockers.ts';
import { issueKey, SCHEDULE_KEY } from './keys.ts';
import { isUnfinished, looksAtTasks } from './looks.ts';
import type { GitHubReader, Write } from './ports.ts';
import { readBlockers } from './read-blockers.ts';
import { readIssue } from './read-issue.ts';
import { setTask } from './transition/parts.ts';
import { viewBlockersOf } from './view-blockers.ts';

/** Why a task's start waits, in words; it is over once they are read, and once whoever closed them is judged. */
export const BLOCKERS_UNREAD = 'what its issue is blocked by is being read';
export const BLOCKERS_UNJUDGED = 'whether its blockers are resolved is being read';

export async function reconcileBlockers(deps: Deps, ref: IssueRef, failures: number): Promise<void> {
  const issue = await deps.store.issue(ref);
  if (issue === null || !canBeBlocked(deps, issue)) return;
  if (issue.blockersDue) {
    // Read when there is something that it could keep from starting.
    if ((await deps.store.tasksOfIssue(ref)).some(mayStart)) await followBlockers(deps, issue);
    return;
  }
  const edges = (await deps.store.blockersOf(ref)).filter(needsJudgement);
  if (edges.length > 0) await settle(deps, issue, await judgeBlockers(deps, { issue, edges, failures }));
  await wakeWaiting(deps, ref);
}

/** Reads what blocks the issue and follows it. Throws `GitHubError` unless GitHub told all of it. */
export async function followBlockers(deps: Deps, known: TrackedIssue): Promise<void> {
  // What it was when its blockers became due may be less than what they are listed for now.
  const issue = await readIssue(deps, known);
  if (issue === null || !canBeBlocked(deps, issue)) return;
  const edges = await deps.store.blockersOf(issue);
  const told = await readBlockers(deps, issue, edges);
  const now = deps.clock();
  const changes = planBlockersOf(issue, { edges, told }, now);
  const writes = changes.flatMap((change) => writesOfChange(issue, change, now));
  // The issue itself is next: for the judging, and for tasks whose start waited for this.
  await commitOf(deps, issue, [...writes, look(issue, now)]);
}

export function canBeBlocked(deps: Deps, { presence, isPullRequest }: TrackedIssue): deps is Deps & ReadsGitHub {
  return deps.github !== null && presence === 'present' && !isPullRequest;
}

interface ReadsGitHub {
  github: GitHubReader;
}

/** A close may have ended it, and a reopen bring it back. */
function mayStart(task: Task): boolean {
  return isUnfinished(task) || task.endedByEpisodeId !== null;
}

function writesOfChange(issue: TrackedIssue, change: EdgeChange, now: Date): Write[] {
  const { edge } = change;
  const put: Write = { write: 'blocker.put', blocker: edge };
  const { label: blocker, source, state } = edge;
  switch (change.change) {
    case 'added':
    case 'restored':
      return [put, issueEvent('ISSUE_BLOCKED', now, issue, { blocker, source, state }), ...lookBehind(edge, now)];
    case 'renamed':
      return [{ write: 'blocker.delete', blocker: change.was }, put, ...lookBehind(edge, now)];
    case 'missed':
      return [put];
    case 'dropped':
      return [{ write: 'blocker.delete', blocker: edge }];
  }
}

/** Its own look tells of a close that nobody has followed yet, and judges whose it was. */
function lookBehind({ blocker: { repositoryId, number } }: IssueBlocker, now: Date): Write[] {
  return repositoryId === null ? [] : [look({ repositoryId, number }, now)];
}

async function settle(deps: Deps, issue: TrackedIssue, judged: readonly Judged[]): Promise<void> {
  const now = deps.clock();
  const writes = judged.flatMap((one) => writesOfVerdict(issue, one, now));
  await commitOf(deps, issue, writes);
}

function writesOfVerdict(issue: TrackedIssue, { edge, verdict, actor }: Judged, at: Date): Write[] {
  const { label: blocker, source } = edge;
  const event = (type: string) => issueEvent(type, at, issue, { blocker, source, actor });
  switch (verdict) {
    case 'active':
      return [{ write: 'blocker.put', blocker: { ...edge, state: verdict, addedBy: actor, at } }];
    case 'refused': {
      const refused = { ...edge, state: verdict, addedBy: actor, at };
      return [{ write: 'blocker.put', blocker: refused }, event('ISSUE_BLOCKER_REFUSED')];
    }
    case 'kept': {
      const kept = { ...edge, state: verdict, removedBy: actor, at };
      return [{ write: 'blocker.put', blocker: kept }, event('ISSUE_BLOCKER_KEPT')];
    }
    case 'gone':
      return [{ write: 'blocker.delete', blocker: edge }, event('ISSUE_UNBLOCKED')];
  }
}

/** All or nothing on what the issue was when it was read; where it has moved since, it is looked at again. */
async function commitOf(deps: Deps, issue: TrackedIssue, writes: readonly Write[]): Promise<void> {
  const { repositoryId, number, version } = issue;
  const ref = { repositoryId, number };
  const guard: Write = { write: 'issue.update', ref, version, set: { blockersDue: false } };
  const looks = await looksAtTasks(deps, ref, isUnfinished);
  if (await deps.store.commit([guard, ...writes, ...looks])) return;
  await deps.store.queue.enqueue([{ key: issueKey(ref), dueAt: deps.clock() }]);
}

/** Tasks that were about to start before it was known whether their issue is blocked. */
async function wakeWaiting(deps: Deps, ref: IssueRef): Promise<void> {
  const now = deps.clock();
  const reasons = [BLOCKERS_UNREAD, BLOCKERS_UNJUDGED];
  const found = (await deps.store.tasksOfIssue(ref)).filter((task) => reasons.includes(task.notBeforeReason ?? ''));
  const isJudged = found.length > 0 && (await viewBlockersOf(deps, ref)).every(({ status }) => status !== 'judging');
  const waiting = found.filter((task) => task.notBeforeReason === BLOCKERS_UNREAD || isJudged);
  for (const task of waiting) {
    const { writes } = setTask({ task, run: null }, { notBefore: null, notBeforeReason: null }, now);
    await deps.store.commit([...writes, { write: 'work.enqueue', key: SCHEDULE_KEY, dueAt: now }]);
  }
}

function look(ref: IssueRef, dueAt: Date): Write {
  return { write: 'work.enqueue', key: issueKey(ref), dueAt };
}
