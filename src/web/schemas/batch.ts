/** Batches, as REST shows them: in lists without their tasks. */
import { z } from 'zod';
import type { BatchState } from '../../core/batch.ts';
import { OUTCOMES } from '../../core/report/counts.ts';
import { TASK_STATES } from '../../core/task.ts';
import { hold, login, repository, time } from './common.ts';
import { task } from './task.ts';

export const BATCH_STATES = [
  'running',
  'completed',
  'partial',
  'failed',
  'cancelled',
] as const satisfies readonly BatchState[];

const asked = { actor: login, at: time };
const order = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('cancel'), now: z.boolean(), ...asked }),
    z.strictObject({ kind: z.literal('resume'), force: z.boolean(), ...asked }),
  ])
  .nullable()
  .describe('What was asked of the whole batch and is still being carried out.');

export const batchSummary = z
  .strictObject({
    id: z.string(),
    repository,
    name: z.string(),
    state: z.enum(BATCH_STATES),
    stuck: z.boolean().describe('Nothing of it runs or can start, though not all has ended.'),
    strategy: z.enum(['serial', 'parallel']),
    max_parallel: z.int(),
    on_failure: z.enum(['continue', 'stop']),
    hold: hold.nullable(),
    order,
    created_at: time,
    finished_at: time.nullable(),
    counts: z.record(z.enum(TASK_STATES), z.int()).describe('Tasks by state.'),
    outcomes: z.record(z.enum(OUTCOMES), z.int()).describe('Tasks that have ended, by why.'),
  })
  .describe('Tasks that run together.');

export const batch = batchSummary
  .extend({
    next_steps: z.array(z.string()).describe('For a stuck batch: commands that would move it.'),
    tasks: z.array(task),
  })
  .describe('Tasks that run together, with all of them.');

export const plannedBatch = batch
  .extend({ supersedes: z.string().nullable().describe('The stuck batch of that name whose place it would take.') })
  .describe('A batch as it would be written: its ids and those of its tasks are never used.');

export type BatchSummary = z.output<typeof batchSummary>;
export type BatchView = z.output<typeof batch>;
export type PlannedBatchView = z.output<typeof plannedBatch>;
