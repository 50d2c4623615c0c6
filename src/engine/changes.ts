/**
 * Reconciliation as a library: look at one task or at all (`checkTask`, `checkAllActive`), then act (`applyChanges`).
 * The sweep is exactly that. One task's error is never another's.
 */
import type { Verb } from '../core/command.ts';
import type { CloseEpisode, IssueRef, Source, TrackedIssue } from '../core/issue.ts';
import type { Step } from '../core/plan/steps.ts';
import { isEnded, type Task } from '../core/task.ts';
import { act } from './act.ts';
import { activeIssues } from './active-issues.ts';
import { blockerChanges } from './blocker-changes.ts';
import type { Deps } from './deps.ts';
import { eachOf } from './each-of.ts';
import { GitHubError } from './ports.ts';
import { readIssue } from './read-issue.ts';
import { reconcileIssue } from './reconcile-issue.ts';
import { reconcileTask } from './reconcile-task.ts';

const READS_AT_ONCE = 8;

export interface ExternalStateChange {
  taskId: string;
  kind: 'closed' | 'completed' | 'reopened' | 'deleted' | 'transferred' | 'blocked' | 'blocker_resolved';
  /** `github`: only says where to look. `manual`: the caller's own word, for a task with or without an issue. */
  source: Extract<Source, 'github' | 'manual'>;
  /** Where to look: the task's own issue, or one that blocks it. */
  issue: IssueRef | null;
  /** Who says so, where the source is `manual`. */
  actor?: string;
  /** What a task waits for, or that it has it, in words, where the source is `manual`. */
  text?: string;
}

/** What a change means that nobody can look up: the caller answers for it. */
const VERB_OF_KIND = {
  closed: 'cancel',
  completed: 'done',
  reopened: 'retry',
  deleted: 'cancel',
  transferred: 'cancel',
  blocked: 'block',
  blocker_resolved: 'release',
} as const satisfies Record<ExternalStateChange['kind'], Verb>;

export interface ReconciliationError {
  taskId: string | null;
  issue: IssueRef | null;
  /** A stable class: `retryable`, `throttled`, `lost_access`, `refused`, `conflict`, `not_found` or `internal`. */
  code: string;
  message: string;
}

export interface ReconciliationResult {
  changesDetected: number;
  tasksSkipped: number;
  tasksRequeued: number;
  errors: readonly ReconciliationError[];
}

export interface CheckResult {
  changes: readonly ExternalStateChange[];
  errors: readonly ReconciliationError[];
}

/** Reads the live state of one task's issue, and of those that block it. Throws `GitHubError` where that gives no answer. */
export async function checkTask(deps: Deps, taskId: string): Promise<readonly ExternalStateChange[]> {
  const task = await deps.store.task(taskId);
  if (task === null || task.issueNumber === null) return [];
  const ref = { repositoryId: task.repositoryId, number: task.issueNumber };
  const own = await changesOf(deps, ref, [task]);
  if (own.length > 0 || isEnded(task.state)) return own.filter((change) => change.taskId === taskId);
  const behind = await Promise.all((await blockingIssues(deps, ref)).map((one) => changesOf(deps, one, [])));
  return behind.flat().filter((change) => change.taskId === taskId);
}

async function blockingIssues({ store }: Deps, ref: IssueRef): Promise<readonly IssueRef[]> {
  return (await store.blockersOf(ref)).flatMap(({ blocker: { repositoryId, number } }) =>
    repositoryId === null ? [] : [{ repositoryId, number }],
  );
}

/**
 * Every issue with unfinished tasks or that blocks one, or with tasks that a close ended within the reopen window; default: that of
 * the repository's own policy.
 */
export async function checkAllActive(deps: Deps, reopenWindowDays?: number): Promise<CheckResult> {
  const changes: ExternalStateChange[] = [];
  const errors: ReconciliationError[] = [];
  await eachOf(await activeIssues(deps, reopenWindowDays), READS_AT_ONCE, async (ref) => {
    try {
      changes.push(...(await changesOf(deps, ref, await deps.store.tasksOfIssue(ref))));
    } catch (error) {
      errors.push(errorOf(error, { taskId: null, issue: ref }));
    }
  });
  return { changes, errors };
}

/** Acts on changes: idempotent, since each only says where to look. */
export async function applyChanges(deps: Deps, changes: readonly ExternalStateChange[]): Promise<ReconciliationResult> {
  const errors: ReconciliationError[] = [];
  const counts = { tasksSkipped: 0, tasksRequeued: 0 };
  for (const change of changes) {
    if (change.source !== 'manual') continue;
    const problem = await carryOut(deps, change);
    if (problem !== null) errors.push(problem);
    else if (change.kind === 'reopened') counts.tasksRequeued++;
    // What these come to, the task's own plan below tells.
    else if (change.kind !== 'blocked' && change.kind !== 'blocker_resolved') counts.tasksSkipped++;
  }
  for (const ref of distinctIssues(changes)) {
    try {
      await reconcileIssue(deps, ref);
    } catch (error) {
      errors.push(errorOf(error, { taskId: null, issue: ref }));
    }
  }
  for (const taskId of new Set(changes.map((change) => change.taskId))) {
    try {
      const steps = await reconcileTask(deps, taskId);
      if (steps.some(isSkip)) counts.tasksSkipped++;
      if (steps.some(isRequeue)) counts.tasksRequeued++;
    } catch (error) {
      errors.push(errorOf(error, { taskId, issue: null }));
    }
  }
  return { changesDetected: changes.length, ...counts, errors };
}

async function changesOf(deps: Deps, ref: IssueRef, tasks: readonly Task[]): Promise<ExternalStateChange[]> {
  const issue = await readIssue(deps, ref);
  if (issue === null) return [];
  const episode = await deps.store.newestEpisode(issue.nodeId);
  const own = tasks.flatMap((task): ExternalStateChange[] => {
    const kind = kindOf(task, issue, episode);
    return kind === null ? [] : [{ taskId: task.id, kind, source: 'github', issue: ref }];
  });
  // While the issue itself has news, what blocks it is left to its own look.
  const waiting = await blockerChanges(deps, issue, own.length === 0 ? tasks : []);
  return [...own, ...waiting.map((change) => ({ ...change, source: 'github' as const }))];
}

/** What of the issue's state the task has not followed yet. */
function kindOf(task: Task, issue: TrackedIssue, episode: CloseEpisode | null): ExternalStateChange['kind'] | null {
  if (issue.presence !== 'present') return isEnded(task.state) ? null : issue.presence;
  if (issue.state === 'closed') {
    const exempt = episode !== null && task.exemptEpisodeId === episode.id;
    const followed = isEnded(task.state) || task.target?.becomes === 'ended' || exempt;
    const reopenMissed = task.target?.becomes === 'requeued' || episode?.state === 'undone';
    if (followed && !reopenMissed) return null;
    return issue.reason === 'completed' || issue.reason === 'unknown' ? 'completed' : 'closed';
  }
  const endedByClose = task.endedByEpisodeId !== null || task.target?.ending.episodeId != null;
  return endedByClose && (episode?.state === 'acted' || episode?.state === 'pending') ? 'reopened' : null;
}

/** null: done. A change that comes too late or twice is an error of its own, and harms nothing. */
async function carryOut(deps: Deps, change: ExternalStateChange): Promise<ReconciliationError | null> {
  const {
    taskId,
    kind,
    actor = 'unknown',
    text = kind === 'blocked' ? 'blocked elsewhere' : 'resolved elsewhere',
  } = change;
  const where = { taskId, issue: change.issue };
  try {
    const answer = await act(deps, taskId, await verbOf(deps, change), { actor, cause: 'api', text });
    if (answer.result === 'accepted') return null;
    const message = answer.result === 'conflict' ? answer.message : `no task has the id ${taskId}`;
    return { ...where, code: answer.result, message };
  } catch (error) {
    return errorOf(error, where);
  }
}

/** What was said to block it was kept as a question. */
async function verbOf({ store }: Deps, { taskId, kind }: ExternalStateChange): Promise<Verb> {
  const task = kind === 'blocker_resolved' ? await store.task(taskId) : null;
  return task !== null && task.blockers.length > 0 ? 'answer' : VERB_OF_KIND[kind];
}

function distinctIssues(changes: readonly ExternalStateChange[]): readonly IssueRef[] {
  const refs = new Map<string, IssueRef>();
  for (const { issue, source } of changes)
    if (issue !== null && source === 'github') refs.set(`${issue.repositoryId}#${issue.number}`, issue);
  return [...refs.values()];
}

function isSkip(step: Step): boolean {
  return step.step === 'stop' || step.step === 'end';
}

function isRequeue(step: Step): boolean {
  return step.step === 'requeue' || (step.step === 'retarget' && step.target.becomes === 'requeued');
}

function errorOf(error: unknown, where: Pick<ReconciliationError, 'taskId' | 'issue'>): ReconciliationError {
  const message = error instanceof Error ? error.message : String(error);
  return { ...where, code: error instanceof GitHubError ? error.code : 'internal', message };
}
