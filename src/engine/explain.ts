/** What a close or reopen of an issue would do now, and why its tasks are not running. Changes nothing but what is known of it. */
import { explainClose, explainReopen, type Hypothesis, reopenedNow } from '../core/explain.ts';
import type { CloseEpisode, IssueRef, TrackedIssue } from '../core/issue.ts';
import { type ShownBlocker, showBlockers } from '../core/report/blockers.ts';
import { age } from '../core/report/text.ts';
import { isEnded, type Task } from '../core/task.ts';
import type { Deps } from './deps.ts';
import { type BlockedTask, explainBlocked } from './explain-blocked.ts';
import { githubWords } from './github-words.ts';
import { observe } from './observe.ts';
import { GitHubError, type RepositoryRef } from './ports.ts';
import { readIssue } from './read-issue.ts';
import { viewBlockersOf } from './view-blockers.ts';
import { whyNotRunning } from './why.ts';

export interface TaskExplanation {
  task: Task;
  waitingOn: string | null;
  ifClosed: { completed: string; notPlanned: string };
  /** null: the issue is open, or no close of it is in force. */
  ifReopened: string | null;
}

export type ExplainResult =
  | {
      result: 'explained';
      repository: RepositoryRef;
      issue: TrackedIssue;
      /** How far what is said can be relied on; null: it was read just now. */
      note: string | null;
      blockers: readonly ShownBlocker[];
      tasks: readonly TaskExplanation[];
      /** Tasks of other issues that wait for this one. */
      blocks: readonly BlockedTask[];
    }
  | { result: 'not_found'; message: string };

/** More tasks of one issue than anybody reads. */
const MAX_TASKS = 100;

/** Throws `GitHubError` where GitHub gives no answer and nothing is known of the issue here. */
export async function explainIssue(deps: Deps, fullName: string, number: number): Promise<ExplainResult> {
  const repository = await deps.store.repositoryByName(fullName);
  if (repository === null) return { result: 'not_found', message: `the repository ${fullName} is not known here` };
  const ref = { repositoryId: repository.id, number };
  const { issue, note } = await lookAt(deps, ref);
  if (issue === null) return { result: 'not_found', message: `there is no issue ${fullName}#${number}` };
  const [blockers, episode, tasks, blocks] = await Promise.all([
    viewBlockersOf(deps, ref),
    deps.store.newestEpisode(issue.nodeId),
    deps.store.tasksOfIssue(ref),
    explainBlocked(deps, issue),
  ]);
  const shown = unfinishedFirst(tasks).slice(0, MAX_TASKS);
  const waiting = await whyNotRunning(deps, shown);
  const explained = shown.map((task) =>
    explainTask(deps, task, { issue, episode, waitingOn: waiting.get(task.id) ?? null }),
  );
  return {
    result: 'explained',
    repository,
    issue,
    note: note ?? (await noteOfGone(deps, repository)),
    blockers: showBlockers({ released: [] }, blockers),
    tasks: await Promise.all(explained),
    blocks,
  };
}

/** Live where GitHub answers, else as it was last known. */
async function lookAt(deps: Deps, ref: IssueRef): Promise<{ issue: TrackedIssue | null; note: string | null }> {
  try {
    const issue = await readIssue(deps, ref);
    return { issue, note: deps.github === null ? 'GitHub is not connected: this is what is known here' : null };
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    const issue = await deps.store.issue(ref);
    if (issue === null) throw error;
    return { issue, note: `${githubWords(error)}; this is its state of ${age(issue.observedAt, deps.clock())} ago` };
  }
}

/** Where the App was taken from a public repository, GitHub goes on to show its issues. */
async function noteOfGone({ store, clock }: Deps, { id, fullName }: RepositoryRef): Promise<string | null> {
  const state = await store.repositoryState(id);
  if (state?.access !== 'gone' || state.accessSince === null) return null;
  return `the App was taken from ${fullName} ${age(state.accessSince, clock())} ago: no close is seen there, and what is left ends soon`;
}

function unfinishedFirst(tasks: readonly Task[]): readonly Task[] {
  const newestFirst = tasks.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  const ended = newestFirst.filter(({ state }) => isEnded(state));
  return [...newestFirst.filter(({ state }) => !isEnded(state)), ...ended];
}

async function explainTask(
  deps: Deps,
  task: Task,
  { issue, episode, waitingOn }: { issue: TrackedIssue; episode: CloseEpisode | null; waitingOn: string | null },
): Promise<TaskExplanation> {
  const now = deps.clock();
  const policy = await deps.policyOf(task.repositoryId);
  const seen = { ...(await observe(deps, task)), issue };
  const reopened = reopenedNow(issue, episode, now);
  return {
    task,
    waitingOn,
    ifClosed: {
      completed: explainClose(seen, 'completed', { policy, now }),
      notPlanned: explainClose(seen, 'not_planned', { policy, now }),
    },
    ifReopened: reopened === null ? null : explainReopen(await observe(supposing(deps, reopened), task), policy, now),
  };
}

/** The same world, but for what is supposed of one issue: whatever else depends on that is then looked up as ever. */
function supposing(deps: Deps, { issue, episode }: Hypothesis): Deps {
  const { store } = deps;
  const supposed: Pick<Deps['store'], 'issue' | 'newestEpisode' | 'episode'> = {
    issue: async (ref) =>
      ref.repositoryId === issue.repositoryId && ref.number === issue.number ? issue : store.issue(ref),
    newestEpisode: async (nodeId) => (nodeId === issue.nodeId ? episode : store.newestEpisode(nodeId)),
    episode: async (id) => (id === episode.id ? episode : store.episode(id)),
  };
  return { ...deps, store: Object.assign(Object.create(store) as Deps['store'], supposed) };
}
