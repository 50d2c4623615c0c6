/** Valid records for store tests; each test names only what it is about. */
import type { Batch } from '../../../src/core/batch.ts';
import type { IssueBlocker } from '../../../src/core/blockers/blocker.ts';
import type { CommandComment } from '../../../src/core/comment.ts';
import type { CloseEpisode, TrackedIssue } from '../../../src/core/issue.ts';
import type { Run } from '../../../src/core/run.ts';
import type { Task } from '../../../src/core/task.ts';
import type { JournalEvent, OutboxItem, RepositoryRef, Write } from '../../../src/engine/ports.ts';

export const T0 = new Date('2026-03-01T12:00:00.123Z');

export const repository: RepositoryRef = { id: '1001', fullName: 'Acme/Widgets', installationId: 77 };
export const putRepository: Write = { write: 'repository.put', repository };

export function makeIssue(given: Partial<TrackedIssue> = {}): TrackedIssue {
  return {
    repositoryId: repository.id,
    number: 12,
    nodeId: 'I_12',
    title: 'Train the ranker 🚂',
    url: 'https://github.com/Acme/Widgets/issues/12',
    state: 'open',
    reason: 'unknown',
    closedAt: null,
    updatedAt: T0,
    author: 'ada',
    actor: null,
    locked: false,
    isPullRequest: false,
    presence: 'present',
    movedTo: null,
    readDue: false,
    dependsOn: [],
    blockedByCount: null,
    blockersDue: false,
    observedAt: T0,
    version: 1,
    ...given,
  };
}

export function makeEpisode(given: Partial<CloseEpisode> = {}): CloseEpisode {
  return {
    id: 'episode-1',
    repositoryId: repository.id,
    number: 12,
    nodeId: 'I_12',
    closedAt: T0,
    reason: 'completed',
    actor: 'ada',
    authority: 'granted',
    action: 'done',
    state: 'acted',
    learnedAt: T0,
    reopen: null,
    ...given,
  };
}

/** `acme/tools#7` blocks the issue of the other records. */
export function makeBlocker(given: Partial<IssueBlocker> = {}): IssueBlocker {
  return {
    repositoryId: repository.id,
    number: 12,
    source: 'dependency',
    label: 'acme/tools#7',
    blocker: { repositoryId: '2002', number: 7 },
    state: 'active',
    addedBy: null,
    removedBy: null,
    at: T0,
    ...given,
  };
}

export function makeBatch(given: Partial<Batch> = {}): Batch {
  return {
    id: 'batch-1',
    repositoryId: repository.id,
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
    ...given,
  };
}

export function makeTask(given: Partial<Task> = {}): Task {
  return {
    id: 'task-1',
    key: given.id ?? 'task-1',
    name: 'Train',
    batchId: null,
    repositoryId: repository.id,
    issueNumber: 12,
    spec: {
      runsOn: 'local',
      run: ['python3', 'train.py', '--lr', '0.1'],
      env: { PYTHONUNBUFFERED: '1' },
      envFrom: [],
      timeoutMinutes: 1.5,
      stallMinutes: 0,
      graceSeconds: null,
      retry: { attempts: 3, backoffSeconds: 30 },
      workingDirectory: null,
    },
    position: 0,
    needs: ['fetch'],
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
    ...given,
  };
}

export function makeRun(given: Partial<Run> = {}): Run {
  return {
    id: 'run-1',
    taskId: 'task-1',
    number: 1,
    generation: 1,
    purpose: 'work',
    runner: 'local',
    state: 'starting',
    cause: null,
    reason: null,
    failureClass: null,
    exitCode: null,
    signal: null,
    containment: null,
    createdAt: T0,
    startedAt: null,
    cancelRequestedAt: null,
    termAt: null,
    killAt: null,
    survivors: [],
    endedAt: null,
    goneAt: null,
    branchBefore: null,
    ...given,
  };
}

export function makeEvent(given: Partial<JournalEvent> = {}): JournalEvent {
  return {
    type: 'TASK_STARTED',
    at: T0,
    repositoryId: repository.id,
    issueNumber: 12,
    batchId: null,
    taskId: 'task-1',
    runId: null,
    data: {},
    ...given,
  };
}

export function makeComment(given: Partial<CommandComment> = {}): CommandComment {
  return {
    id: '900',
    repositoryId: repository.id,
    number: 12,
    author: 'ada',
    isBot: false,
    app: null,
    body: '/task cancel',
    createdAt: T0,
    learnedAt: T0,
    source: 'webhook',
    state: 'due',
    permission: null,
    commands: [{ line: '/task cancel', said: { of: 'task', verb: 'cancel', task: null }, tasks: null, outcome: null }],
    dropped: 0,
    version: 1,
    ...given,
  };
}

export function append(given: Partial<JournalEvent> = {}): Write {
  return { write: 'event.append', event: makeEvent(given) };
}

export function putBlocker(given: Partial<IssueBlocker> = {}): Write {
  return { write: 'blocker.put', blocker: makeBlocker(given) };
}

export function insertTask(given: Partial<Task> = {}): Write {
  return { write: 'task.insert', task: makeTask(given) };
}

export function insertRun(given: Partial<Run> = {}): Write {
  return { write: 'run.insert', run: makeRun(given) };
}

export function insertBatch(given: Partial<Batch> = {}): Write {
  return { write: 'batch.insert', batch: makeBatch(given), document: { name: 'nightly' } };
}

export function insertEpisode(given: Partial<CloseEpisode> = {}): Write {
  return { write: 'episode.insert', episode: makeEpisode(given) };
}

/** A message owed for `number`, with an id and key of its own unless told. */
export function owe(id: string, given: Partial<OutboxItem> = {}): Write {
  const { key = `command:${id}`, kind = 'outcome', repositoryId = repository.id, number = 12 } = given;
  const { dueAt = T0, createdAt = T0 } = given;
  return { write: 'outbox.owe', item: { id, key, kind, repositoryId, number, dueAt, createdAt } };
}
