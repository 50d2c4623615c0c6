/** Intent first: the run's row, its slot and its number, before any process. */
import type { Batch } from '../core/batch.ts';
import type { Run } from '../core/run.ts';
import type { Task } from '../core/task.ts';
import { taskKey } from './keys.ts';
import { startingEvent } from './new-run.ts';
import type { Write } from './ports.ts';
import { setTask, statusWrites } from './transition/parts.ts';

export function beginRun({ task, run, batch }: { task: Task; run: Run; batch: Batch | null }, now: Date): Write[] {
  const set = {
    state: 'running',
    runNumber: run.number,
    attempt: task.attempt + (run.purpose === 'work' ? 1 : 0),
    target: null,
    notBefore: null,
    notBeforeReason: null,
  } as const;
  return [
    { write: 'run.insert', run },
    ...setTask({ task, run: null }, set, now).writes,
    ...(batch === null ? [] : statusWrites(batch, now)),
    startingEvent(task, run, now),
    { write: 'work.enqueue', key: taskKey(task.id), dueAt: now },
  ];
}
