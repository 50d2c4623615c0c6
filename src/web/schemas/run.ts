/** One run, as REST shows it. */
import { z } from 'zod';
import type { Containment, RunState } from '../../core/run.ts';
import { CAUSES } from '../../core/task.ts';
import { time } from './common.ts';

const RUN_STATES = [
  'starting',
  'running',
  'stopping',
  'succeeded',
  'failed',
  'cancelled',
  'lost',
] as const satisfies readonly RunState[];
const CONTAINMENTS = ['cgroup', 'pidns', 'scan'] as const satisfies readonly Containment[];

export const run = z
  .strictObject({
    id: z.string(),
    number: z.int().describe('1, 2, 3 … per task.'),
    purpose: z.enum(['work', 'verify']),
    runner: z.string(),
    state: z.enum(RUN_STATES),
    cause: z.enum(CAUSES).nullable(),
    reason: z.string().nullable(),
    failure_class: z.enum(['work', 'environment']).nullable(),
    exit_code: z.int().nullable(),
    signal: z.string().nullable().describe('Without SIG, e.g. TERM.'),
    containment: z.enum(CONTAINMENTS).nullable().describe('How far a stop of it reaches; scan: best effort.'),
    survivors: z.array(z.int()).describe('Pids that were seen alive after KILL.'),
    silent_since: time
      .nullable()
      .describe('Since when its runner gives no answer, so that its state is as it was; null: it answers.'),
    started_at: time.nullable(),
    cancel_requested_at: time.nullable(),
    term_at: time.nullable(),
    kill_at: time.nullable(),
    ended_at: time.nullable(),
    gone_at: time.nullable().describe('When its runner was seen to have no live process of it.'),
  })
  .describe('One attempt at a task.');

export type RunView = z.output<typeof run>;
