/** Plain objects of the core for tests: everything has a default, a test names only what it is about. */
import type { Batch } from '../../src/core/batch.ts';
import type { IssueBlocker } from '../../src/core/blockers/blocker.ts';
import { NO_RUNS } from '../../src/core/failure.ts';
import type { CloseEpisode, TrackedIssue } from '../../src/core/issue.ts';
import type { BatchMember, BatchNow } from '../../src/core/plan/batch.ts';
import type { TaskObservation } from '../../src/core/plan/observation.ts';
import type { Probe, Run } from '../../src/core/run.ts';
import type { Task } from '../../src/core/task.ts';

export const T0 = new Date('2026-03-01T12:00:00Z');

export function at(seconds: number): Date {
  return new Date(T0.getTime() + seconds * 1_000);
}

export function aTask(set: Partial<Task> = {}): Task {
  return {
    id: 'task_1',
    key: 'train',
    name: 'train',
    batchId: 'batch_1',
    repositoryId: '1',
    issueNumber: 12,
    spec: {
      runsOn: 'local',
      run: ['true'],
      env: {},
      envFrom: [],
      timeoutMinutes: null,
      stallMinutes: 0,
      graceSeconds: null,
      retry: { attempts: 1, backoffSeconds: 30 },
      workingDirectory: null,
    },
    position: 0,
    needs: [],
    priority: 0,
    state: 'ready',
    cause: null,
    actor: null,
    target: null,
    hold: null,
    blockers: [],
    released: [],
    generation: 1,
    attempt: 0,
    runNumber: 0,
    requeueReason: null,
    endedByEpisodeId: null,
    exemptEpisodeId: null,
    reopenSeenEpisodeId: null,
    notBefore: null,
    notBeforeReason: null,
    notBeforeTold: false,
    needsDue: false,
    createdAt: T0,
    updatedAt: T0,
    finishedAt: null,
    version: 1,
    ...set,
  };
}

export function aBatch(set: Partial<Batch> = {}): Batch {
  return {
    id: 'batch_1',
    repositoryId: '1',
    name: 'nightly',
    strategy: 'parallel',
    maxParallel: 4,
    onFailure: 'continue',
    state: 'running',
    stuck: false,
    hold: null,
    order: null,
    issueNumber: null,
    createdAt: T0,
    finishedAt: null,
    version: 1,
    ...set,
  };
}

/** The task as its batch looks at it. */
export type Needing = BatchMember & Pick<Task, 'needs'>;

export function aMember(task: Task): Needing {
  const { id, key, state, cause, needs, target } = task;
  return { id, key, state, cause, needs, stopping: target !== null };
}

/** The batch's tasks as its plan sees them when all of them may have to move. */
export function aLookAt(tasks: readonly Needing[], replaced = false): BatchNow {
  const counts = tasks.map(({ state, cause }) => ({ state, cause, count: 1 }));
  const startable = tasks.some(({ state }) => state === 'ready');
  const needsOf = ({ id }: BatchMember) => {
    const keys = tasks.find((task) => task.id === id)?.needs ?? [];
    return tasks.filter(({ key }) => keys.includes(key)).map((task) => task.id);
  };
  const needs = new Map(tasks.map((task) => [task.id, task]));
  return { outline: { counts, startable }, tasks, needsOf, needs, settled: true, replaced };
}

export function aRun(set: Partial<Run> = {}): Run {
  return {
    id: 'run_1',
    taskId: 'task_1',
    number: 1,
    generation: 1,
    purpose: 'work',
    runner: 'local',
    state: 'running',
    cause: null,
    reason: null,
    failureClass: null,
    exitCode: null,
    signal: null,
    containment: 'pidns',
    createdAt: T0,
    startedAt: T0,
    cancelRequestedAt: null,
    termAt: null,
    killAt: null,
    survivors: [],
    endedAt: null,
    goneAt: null,
    branchBefore: null,
    ...set,
  };
}

export function anIssue(set: Partial<TrackedIssue> = {}): TrackedIssue {
  return {
    repositoryId: '1',
    number: 12,
    nodeId: 'I_12',
    title: 'Train the ranker',
    url: 'https://github.example/acme/widgets/issues/12',
    state: 'open',
    reason: 'unknown',
    closedAt: null,
    updatedAt: T0,
    author: 'ann',
    actor: null,
    locked: false,
    isPullRequest: false,
    dependsOn: [],
    blockedByCount: 0,
    presence: 'present',
    movedTo: null,
    readDue: false,
    blockersDue: false,
    observedAt: T0,
    version: 1,
    ...set,
  };
}

export function aClosedIssue(set: Partial<TrackedIssue> = {}): TrackedIssue {
  return anIssue({ state: 'closed', reason: 'completed', closedAt: at(10), updatedAt: at(10), actor: 'ann', ...set });
}

export function anEpisode(set: Partial<CloseEpisode> = {}): CloseEpisode {
  return {
    id: 'episode_1',
    repositoryId: '1',
    number: 12,
    nodeId: 'I_12',
    closedAt: at(10),
    reason: 'completed',
    actor: 'ann',
    authority: 'granted',
    action: 'done',
    state: 'acted',
    learnedAt: at(10),
    reopen: null,
    ...set,
  };
}

/** Issue 12 is blocked by issue 5. */
export function anEdge(set: Partial<IssueBlocker> = {}): IssueBlocker {
  return {
    repositoryId: '1',
    number: 12,
    source: 'dependency',
    label: 'acme/widgets#5',
    blocker: { repositoryId: '1', number: 5 },
    state: 'active',
    addedBy: null,
    removedBy: null,
    at: T0,
    ...set,
  };
}

export function aRunningProbe(set: Partial<Extract<Probe, { state: 'running' }>> = {}): Probe {
  return { state: 'running', startedAt: T0, lastOutputAt: null, containment: 'pidns', ...set };
}

export function anExit(set: Partial<Extract<Probe, { state: 'exited' }>> = {}): Probe {
  return {
    state: 'exited',
    exitCode: 0,
    signal: null,
    startedAt: T0,
    endedAt: at(20),
    survivors: [],
    containment: 'pidns',
    ...set,
  };
}

export function anObservation(set: Partial<TaskObservation> = {}): TaskObservation {
  return {
    task: aTask(),
    run: null,
    probe: null,
    issue: anIssue(),
    episode: null,
    endingEpisode: null,
    graceSeconds: 10,
    blockers: [],
    barred: null,
    requeuesWithinHour: 0,
    tally: NO_RUNS,
    isHeldBack: false,
    evidence: null,
    isUninstalled: false,
    ...set,
  };
}
