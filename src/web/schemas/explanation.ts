/** What a close or reopen of an issue would do, as REST shows it. */
import { z } from 'zod';
import { TASK_STATES } from '../../core/task.ts';
import { issueBlocker } from './blocker.ts';
import { time } from './common.ts';

const explainedTask = z.strictObject({
  id: z.string(),
  key: z.string(),
  batch_id: z.string().nullable(),
  state: z.enum(TASK_STATES),
  waiting_on: z.string().nullable(),
  if_closed: z.strictObject({ completed: z.string(), not_planned: z.string() }),
  if_reopened: z.string().nullable().describe('null: there is no close that a reopen could undo.'),
});

const blockedTask = z.strictObject({
  id: z.string(),
  key: z.string(),
  batch_id: z.string().nullable(),
  issue: z.string().describe('As owner/name#12.'),
  if_completed: z.string().describe('What it would do to the task if the explained issue were closed as completed.'),
});

export const explanation = z
  .strictObject({
    repository: z.string(),
    issue: z.int(),
    title: z.string(),
    state: z.enum(['open', 'closed', 'deleted', 'transferred']),
    moved_to: z.string().nullable().describe('Web address of a transferred issue, where it can be seen.'),
    seen_at: time.describe('When GitHub was last seen to say so.'),
    note: z
      .string()
      .nullable()
      .describe('Why this may be out of date, or come to nothing; null: it was read from GitHub just now.'),
    blocked_by: z.array(issueBlocker),
    tasks: z.array(explainedTask),
    blocks: z.array(blockedTask).describe('Tasks of other issues that wait for this one.'),
  })
  .describe("Why an issue's tasks are where they are, and what a close or reopen of it would do to them now.");

export type ExplanationView = z.output<typeof explanation>;
