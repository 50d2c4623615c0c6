/** One task, as REST shows it. */
import { z } from 'zod';
import { CAUSES, TASK_STATES } from '../../core/task.ts';
import { blocker } from './blocker.ts';
import { hold, login, repository, time } from './common.ts';
import { issueState } from './issue-state.ts';
import { run } from './run.ts';

export const task = z
  .strictObject({
    id: z.string(),
    key: z.string().describe('Its name in the batch document.'),
    name: z.string(),
    batch_id: z.string().nullable(),
    repository,
    issue: z.int().nullable(),
    issue_state: issueState.nullable().describe('null: it has no issue, or none that was ever read.'),
    state: z.enum(TASK_STATES),
    cause: z.enum(CAUSES).nullable(),
    actor: login.nullable(),
    waiting_on: z
      .string()
      .nullable()
      .describe('Why it is not running, or why a person has to see to it, in one line; null: it runs, or has ended.'),
    needs: z.array(z.string()).describe('Keys of tasks of the same batch.'),
    runs_on: z.string(),
    attempt: z.int(),
    not_before: time.nullable(),
    hold: hold.nullable(),
    blockers: z.array(blocker),
    released: z
      .array(z.strictObject({ issue: z.string(), actor: login, at: time }))
      .describe('Issues that a person said not to wait for any more.'),
    runs: z.array(run),
    created_at: time,
    updated_at: time,
    finished_at: time.nullable(),
  })
  .describe('One unit of work of a batch.');

export type TaskView = z.output<typeof task>;
