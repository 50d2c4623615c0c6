/** What the web asks of the rest: actions to take, things to read, and how it stands with the app. */
import type { Attendant, AttendedEnd } from '../core/attended.ts';
import type { Batch } from '../core/batch.ts';
import type { Verb } from '../core/command.ts';
import type { Problem } from '../core/documents/index.ts';
import type { ScopedHold } from '../core/hold.ts';
import type { Task } from '../core/task.ts';
import type { ClaimResult, EndResult, FollowResult, Session } from '../engine/attend/index.ts';
import type { BatchResult } from '../engine/batch-orders.ts';
import type { ExplainResult } from '../engine/explain.ts';
import type { Clock, Logger, Queries, RepositoryRef, StoreReads } from '../engine/ports.ts';
import type { TaskNow } from '../engine/why.ts';

/** Whoever holds the token: the web knows no persons. */
export const API_ACTOR = 'api';

interface Submitted {
  batch: Batch;
  tasks: readonly Task[];
  repository: RepositoryRef;
}

export interface Planned extends Submitted {
  /** The stuck batch whose place it would take. */
  supersedes: string | null;
}

type SubmitResult =
  | ({ result: 'created' } & Submitted)
  | ({ result: 'planned' } & Planned)
  | { result: 'invalid'; problems: readonly Problem[] }
  | { result: 'conflict'; message: string; batchId: string }
  /** GitHub gave no answer, or no access: nothing is known to be wrong with the document, and nothing was written. */
  | { result: 'unavailable'; message: string };

export type TaskResult =
  | { result: 'accepted'; task: Task }
  | { result: 'conflict'; message: string; code?: 'issue_closed'; batchId?: string }
  | { result: 'not_found' };

/** What nothing is to be started of, by the names that callers know. */
export type HoldRequest =
  | { scope: 'all' }
  | { scope: 'repository'; repository: string }
  | { scope: 'runner'; runner: string };

/** `unknown`: there is no such repository or runner. */
export type HoldResult = { result: 'held'; hold: ScopedHold } | { result: 'unknown'; problem: Problem };
export type ReleaseResult = { result: 'released' | 'none' } | { result: 'unknown'; problem: Problem };

export interface Actions {
  /** `planned` is the answer to a dry run: nothing was written. */
  submitBatch(document: unknown, options: { dryRun: boolean; actor: string }): Promise<SubmitResult>;
  cancelBatch(id: string, input: { now: boolean; actor: string }): Promise<BatchResult>;
  resumeBatch(id: string, input: { force: boolean; actor: string }): Promise<BatchResult>;
  holdBatch(id: string, input: { reason: string | null; actor: string }): Promise<BatchResult>;
  releaseBatch(id: string, input: { actor: string }): Promise<BatchResult>;
  setHold(scope: HoldRequest, input: { reason: string | null; actor: string }): Promise<HoldResult>;
  releaseHold(scope: HoldRequest, input: { actor: string }): Promise<ReleaseResult>;
  /** `text` is the reason of a hold, the question of a block, the answer to one. */
  act(taskId: string, verb: Verb, input: { actor: string; text?: string }): Promise<TaskResult>;
  link(taskId: string, issueNumber: number, actor: string): Promise<TaskResult>;
  unlink(taskId: string, actor: string): Promise<TaskResult>;
  /** Somebody runs the task themselves, from now on; not where `ended` tells that nobody waits for the answer. */
  attend(taskId: string, claim: { session: string; attendant: Attendant }, ended: AbortSignal): Promise<ClaimResult>;
  /** Waits for something to tell, as long as `ended` lets it. */
  followAttended(session: Session, wait: { waitMs: number; ended: AbortSignal }): Promise<FollowResult>;
  endAttended(session: Session, end: Omit<AttendedEnd, 'at'> & { agoMs: number }): Promise<EndResult>;
  sweep(): Promise<void>;
  /** The end of the newest run's output; null: no such task. */
  taskLog(taskId: string, bytes: number): Promise<string | null>;
}

export type Reads = Pick<
  StoreReads,
  'task' | 'batch' | 'run' | 'tasksOfBatch' | 'issuesOf' | 'repositoryByName' | 'liveRuns' | 'holds' | 'countMissed'
> & {
  readonly queries: Queries;
};

/** What takes more than a read: why things are as they are. */
export interface Insights {
  lookAtTasks(tasks: readonly Task[]): Promise<ReadonlyMap<string, TaskNow>>;
  /** The same of a batch that is not written. */
  lookAtPlanned(batch: Batch, tasks: readonly Task[]): Promise<ReadonlyMap<string, TaskNow>>;
  /** Since when a runner gives no answer; null: it answers. */
  silentSince(runner: string): Date | null;
  explainIssue(repository: string, number: number): Promise<ExplainResult>;
}

export interface Health {
  live(): boolean;
  /** How many issues or tasks the last sweep could not reconcile. */
  sweepErrors(): number;
  /** Whether deliveries can be accepted and kept now; the body also tells how GitHub and the runners are. */
  ready(): Promise<{ ok: boolean; body: object }>;
}

/** Takes one delivery in. The body is the text that GitHub signed, byte by byte. */
export type ReceiveWebhook = (delivery: {
  id: string;
  event: string;
  signature: string;
  body: string;
}) => Promise<{ status: number; body: object }>;

export interface WebDeps {
  actions: Actions;
  reads: Reads;
  insights: Insights;
  clock: Clock;
  health: Health;
  /** null: no App, so there is nothing that could send webhooks. */
  receiveWebhook: ReceiveWebhook | null;
  /** null: writes are off, and reads answer this machine only. */
  apiToken: string | null;
  log: Logger;
  /** Ends event streams when it aborts. */
  closing?: AbortSignal;
  /** How often an event stream looks for news, in ms; default 1000. */
  streamPollMs?: number;
}
