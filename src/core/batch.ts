/** Tasks that run together under one strategy, limit and failure rule. Its state is derived from theirs. */
import type { Hold } from './task.ts';

export type BatchState = 'running' | 'completed' | 'partial' | 'failed' | 'cancelled';

export interface Batch {
  id: string;
  repositoryId: string;
  name: string;
  strategy: 'serial' | 'parallel';
  maxParallel: number;
  onFailure: 'continue' | 'stop';
  state: BatchState;
  /** Nothing runs and nothing can start, though not all tasks have ended. */
  stuck: boolean;
  /** Nothing of it starts; what runs goes on. */
  hold: Hold | null;
  /** What a person asked of the whole batch, until it is carried out for every task. */
  order: BatchOrder | null;
  /** The issue in whose comment it was started; null: it was not. Its status is told there. */
  issueNumber: number | null;
  createdAt: Date;
  finishedAt: Date | null;
  version: number;
}

interface Asked {
  id: string;
  actor: string;
  cause: 'api' | 'command';
  at: Date;
}

/**
 * - `cancel`: nothing new starts, and what has not started ends; with `now`, what runs is stopped too.
 * - `resume`: what had ended by then without success is queued again; with `force`, also what was done.
 */
export type BatchOrder = Asked & ({ kind: 'cancel'; now: boolean } | { kind: 'resume'; force: boolean });
