/**
 * Standdown's engine by itself: reconciliation and job control without Probot, Prisma or a web server. Give it a store, runners
 * and (optionally) GitHub, and it keeps tasks true to what is seen.
 */
export type { Batch, BatchState } from '../core/batch.ts';
export { VERBS, type Verb } from '../core/command.ts';
export { type DraftBatch, type Problem, parseBatchDocument } from '../core/documents/index.ts';
export type { CloseEpisode, CloseReason, IssueRef, IssueSnapshot, TrackedIssue } from '../core/issue.ts';
export { DEFAULT_POLICY, type Permission, type Policy } from '../core/policy.ts';
export type { Probe, Run, RunState } from '../core/run.ts';
export type { Limits } from '../core/schedule.ts';
export type { Cause, Task, TaskState } from '../core/task.ts';
export { type ActInput, type ActResult, act, linkTask } from './act.ts';
export type { Claim, ClaimResult } from './attend/index.ts';
export { type BatchResult, cancelBatch, holdBatch, releaseBatch, resumeBatch } from './batch-orders.ts';
export {
  applyChanges,
  type CheckResult,
  checkAllActive,
  checkTask,
  type ExternalStateChange,
  type ReconciliationError,
  type ReconciliationResult,
} from './changes.ts';
export type { Deps } from './deps.ts';
export { type Engine, type EngineOptions, type EngineStatus, startEngine } from './engine.ts';
export type { IssueProblem } from './issue-problems.ts';
export type { LeftoversSeen } from './orphans/index.ts';
export * from './ports.ts';
export { type SubmitResult, submitBatch } from './submit-batch.ts';
export { type SweepResult, sweep } from './sweep/index.ts';
