/** From a batch document to its rows: everything is checked first, then all is written or nothing. */
import type { Batch } from '../core/batch.ts';
import type { BatchDocument, DraftBatch, Problem, TaskEntry } from '../core/documents/index.ts';
import type { Task } from '../core/task.ts';
import { isOutOfReach } from './access/index.ts';
import { issueProblems, placeProblems, readIssuesOf } from './check-batch.ts';
import type { Deps } from './deps.ts';
import { findRepository } from './find-repository.ts';
import { githubWords } from './github-words.ts';
import { taskEvent } from './journal.ts';
import { accessKey, batchKey, issueKey, SCHEDULE_KEY } from './keys.ts';
import { liveBatch } from './live-batch.ts';
import { newTask } from './new-task.ts';
import { GitHubError, type RepositoryRef, type Write } from './ports.ts';
import { resolveDraft } from './resolve-batch.ts';
import { supersede } from './supersede.ts';

export interface SubmitOptions {
  /** Checks everything and writes nothing. */
  dryRun: boolean;
  actor: string;
  /** The issue in whose comment it was started. Default: none. */
  issueNumber?: number | null;
  /** Written together with the batch; where a guard of it fails, there is no batch. */
  also?: (batch: Batch) => readonly Write[];
}

export type SubmitResult =
  | { result: 'created'; batch: Batch; tasks: readonly Task[] }
  /** Nothing was written. `supersedes`: the stuck batch whose place it would take. */
  | { result: 'planned'; batch: Batch; tasks: readonly Task[]; supersedes: string | null }
  | { result: 'invalid'; problems: readonly Problem[] }
  | { result: 'conflict'; message: string; batchId: string }
  /** GitHub gave no answer, or no access: nothing is known to be wrong with the document, and nothing was written. */
  | { result: 'unavailable'; message: string };

export async function submitBatch(deps: Deps, draft: DraftBatch, options: SubmitOptions): Promise<SubmitResult> {
  try {
    const repository = await findRepository(deps, draft.repository);
    if (repository === null) {
      const way =
        deps.github === null
          ? 'GitHub is not connected to look for it'
          : 'the App has to be installed there, or GITHUB_REPO to name it';
      const message = `${draft.repository} is not known: ${way}`;
      return { result: 'invalid', problems: [{ path: 'repository', message }] };
    }
    return (await conflictOf(deps, repository, draft.name)) ?? (await submitTo(deps, repository, { draft, options }));
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    return { result: 'unavailable', message: githubWords(error) };
  }
}

/** Throws `GitHubError` where an issue can't be read. */
async function submitTo(
  deps: Deps,
  repository: RepositoryRef,
  { draft, options }: { draft: DraftBatch; options: SubmitOptions },
): Promise<SubmitResult> {
  const issues = await readIssuesOf(deps, repository, draft);
  const ofIssues = issueProblems(deps, repository, { draft, issues });
  const resolved = await resolveDraft(deps, repository, { draft, issues });
  if (resolved.result === 'unreadable') return { result: 'unavailable', message: resolved.words };
  if (resolved.result === 'invalid') return { result: 'invalid', problems: [...resolved.problems, ...ofIssues] };
  const { document } = resolved;
  const problems = [...placeProblems(deps, document), ...ofIssues];
  if (problems.length > 0) return { result: 'invalid', problems };
  return write(deps, document, repository, options);
}

async function conflictOf(deps: Deps, repository: RepositoryRef, name: string): Promise<SubmitResult | null> {
  const live = await liveBatch(deps, { repositoryId: repository.id, name });
  // One that a person holds is not given up: its tasks are to go on some day.
  if (live === null || (live.stuck && live.hold === null)) return null;
  const way = live.hold === null ? 'running' : 'on hold';
  const message = `batch ${name} of ${repository.fullName} is ${way} as ${live.id}: cancel it first`;
  return { result: 'conflict', message, batchId: live.id };
}

async function write(
  deps: Deps,
  document: BatchDocument,
  repository: RepositoryRef,
  { dryRun, actor, issueNumber = null, also }: SubmitOptions,
): Promise<SubmitResult> {
  const now = deps.clock();
  const batch = { ...newBatch(deps.newId('batch'), document, repository, now), issueNumber };
  const tasks = document.tasks.map((entry, position) =>
    taskOfEntry(deps.newId('task'), entry, { batch, position, now }),
  );
  if (dryRun) {
    const live = await liveBatch(deps, batch);
    return { result: 'planned', batch, tasks, supersedes: live?.id ?? null };
  }
  const superseded = await supersede(deps, repository, { name: document.name, actor, now });
  const committed = await deps.store.commit([
    ...superseded,
    { write: 'batch.insert', batch, document },
    batchCreated(batch, actor, now),
    ...tasks.flatMap((task): Write[] => [{ write: 'task.insert', task }, taskEvent('TASK_CREATED', now, task)]),
    { write: 'work.enqueue', key: batchKey(batch.id), dueAt: now },
    { write: 'work.enqueue', key: SCHEDULE_KEY, dueAt: now },
    // An issue that moved between the check and this commit is looked at again.
    ...lookAtIssues(tasks, now),
    ...(await lookAtAccess(deps, repository, now)),
    ...(also?.(batch) ?? []),
  ]);
  if (committed) return { result: 'created', batch, tasks };
  const taken = await conflictOf(deps, repository, document.name);
  return taken ?? { result: 'unavailable', message: `batch ${document.name} was changed meanwhile: try again` };
}

function newBatch(id: string, document: BatchDocument, repository: RepositoryRef, now: Date): Batch {
  const { name, strategy, maxParallel, onFailure } = document;
  const state = { state: 'running' as const, stuck: false, hold: null, order: null, issueNumber: null };
  const times = { createdAt: now, finishedAt: null, version: 1 };
  return { id, repositoryId: repository.id, name, strategy, maxParallel, onFailure, ...state, ...times };
}

function taskOfEntry(
  id: string,
  { issue: issueNumber, ...entry }: TaskEntry,
  { batch, position, now }: { batch: Batch; position: number; now: Date },
): Task {
  return newTask({ ...entry, id, batchId: batch.id, repositoryId: batch.repositoryId, issueNumber, position }, now);
}

function batchCreated(batch: Batch, actor: string, at: Date): Write {
  const { id, repositoryId, issueNumber, name, strategy, maxParallel } = batch;
  const place = { repositoryId, issueNumber, batchId: id, taskId: null, runId: null };
  const data = { name, strategy, max_parallel: maxParallel, actor };
  return { write: 'event.append', event: { type: 'BATCH_CREATED', at, ...place, data } };
}

/** Where it could not be reached lately: its tasks may start, or have to end, by what GitHub says now. */
async function lookAtAccess({ store }: Deps, { id }: RepositoryRef, dueAt: Date): Promise<Write[]> {
  const isDue = await isOutOfReach({ store }, id);
  return isDue ? [{ write: 'work.enqueue', key: accessKey(id), dueAt }] : [];
}

function lookAtIssues(tasks: readonly Task[], dueAt: Date): Write[] {
  const keys = new Set(
    tasks.flatMap(({ repositoryId, issueNumber }) =>
      issueNumber === null ? [] : [issueKey({ repositoryId, number: issueNumber })],
    ),
  );
  return [...keys].map((key) => ({ write: 'work.enqueue', key, dueAt }));
}
