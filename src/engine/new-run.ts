/** A run as it begins: its row is there before any process. */
import type { BranchBefore, Run } from '../core/run.ts';
import type { Task } from '../core/task.ts';
import { taskEvent } from './journal.ts';
import type { Write } from './ports.ts';

export interface NewRun {
  task: Task;
  purpose: Run['purpose'];
  /** Default: nobody looked. */
  branchBefore?: BranchBefore | null;
}

export function newRun(id: string, { task, purpose, branchBefore = null }: NewRun, now: Date): Run {
  const ends = {
    cause: null,
    reason: null,
    failureClass: null,
    exitCode: null,
    signal: null,
    endedAt: null,
    goneAt: null,
  };
  const times = { createdAt: now, startedAt: null, cancelRequestedAt: null, termAt: null, killAt: null };
  return {
    id,
    taskId: task.id,
    number: task.runNumber + 1,
    generation: task.generation,
    purpose,
    runner: task.spec.runsOn,
    state: 'starting',
    containment: null,
    survivors: [],
    branchBefore,
    ...ends,
    ...times,
  };
}

export function startingEvent(task: Task, run: Run, now: Date): Write {
  const { number, purpose, runner } = run;
  return taskEvent('RUN_STARTING', now, task, { run, data: { number, purpose, runner } });
}
