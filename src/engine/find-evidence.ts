/**
 * A branch as evidence of what a lost run did: commits that it holds and its base does not. They count only where they came after the
 * run began, so that what a branch held before is never taken for the run's work.
 */
import type { Evidence } from '../core/evidence.ts';
import type { TaskObservation } from '../core/plan/observation.ts';
import type { BranchBefore, Run } from '../core/run.ts';
import type { Task } from '../core/task.ts';
import type { Deps } from './deps.ts';
import { githubWords } from './github-words.ts';
import { type BranchReading, GitHubError } from './ports.ts';
import { withinMs } from './within-ms.ts';

/** A start waits no longer for it: the run goes without. */
const BEFORE_MS = 5_000;
const FIND_MS = 10_000;

export interface FoundEvidence {
  runId: string;
  evidence: Evidence;
}

type Asked = Pick<Deps, 'github' | 'store' | 'log'>;

/** To be asked right before a work run of the task begins. null: the task names no branch. */
export async function readBranchBefore(deps: Asked, task: Task): Promise<BranchBefore | null> {
  if (!task.spec.evidence) return null;
  const { branch } = task.spec.evidence;
  const repository = await deps.store.repository(task.repositoryId);
  if (repository === null || deps.github?.readBranchHead === undefined) return { found: 'unread' };
  try {
    const head = await withinMs(BEFORE_MS, deps.github.readBranchHead(repository, branch));
    return head === null ? { found: 'none' } : { found: 'head', head };
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    deps.log.warn({ task: task.id, issue: task.issueNumber, code: error.code }, 'branch unreadable before start');
    return { found: 'unread' };
  }
}

/** Of what the task's newest run has left. Waits for GitHub, 10 s at most. null: it has no run. */
export async function findEvidence(
  deps: Asked,
  { task, run }: Pick<TaskObservation, 'task' | 'run'>,
): Promise<FoundEvidence | null> {
  return run === null ? null : { runId: run.id, evidence: await evidenceOf(deps, task, run) };
}

async function evidenceOf(deps: Asked, task: Task, run: Run): Promise<Evidence> {
  if (!task.spec.evidence) return none('its task names no branch');
  const { branch, base } = task.spec.evidence;
  const before = run.branchBefore;
  if (before === null || before.found === 'unread') {
    return none(`where the branch ${branch} was when the run began is not known`);
  }
  const repository = await deps.store.repository(task.repositoryId);
  if (repository === null || deps.github?.readBranch === undefined) {
    return { found: 'unreadable', why: 'no branches can be read here', retryable: false };
  }
  try {
    const reading = await withinMs(FIND_MS, deps.github.readBranch(repository, branch, base));
    return judge(branch, before, reading);
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    deps.log.warn({ task: task.id, run: run.id, code: error.code }, 'branch unreadable');
    // A suspended App is heard again once it is let in; without the permission it never is.
    const retryable = error.code === 'retryable' || error.code === 'throttled' || error.status === 401;
    return { found: 'unreadable', why: githubWords(error), retryable };
  }
}

function judge(branch: string, before: BranchBefore, reading: BranchReading | null): Evidence {
  if (reading === null) return none(`there is no branch ${branch}`);
  const { head, base, aheadBy } = reading;
  if (before.found === 'head' && before.head === head) {
    return none(`the branch ${branch} is where it was when the run began`);
  }
  if (aheadBy === 0) return none(`the branch ${branch} has no commit that ${base} has not`);
  return { found: 'commits', branch, base, aheadBy };
}

function none(why: string): Evidence {
  return { found: 'none', why };
}
