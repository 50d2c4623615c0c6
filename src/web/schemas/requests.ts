/** Queries and bodies of the calls. */
import { z } from 'zod';
import type { Verb } from '../../core/command.ts';
import { strict } from '../../core/documents/check.ts';
import { issueNumber } from '../../core/documents/fields.ts';
import { TASK_STATES } from '../../core/task.ts';
import { cursor, flag, limit, repositoryName, whole } from '../query.ts';
import { BATCH_STATES } from './batch.ts';

const DEFAULT_TAIL_BYTES = 65_536;
const MAX_TAIL_BYTES = 1_048_576;

export const text = z
  .string()
  .trim()
  .min(1)
  .max(10_000)
  // Not every database keeps one.
  .refine((value) => !value.includes('\0'), { error: 'must not contain a NUL character' });
export const nothing = strict({});

export const submitQuery = strict({ dry_run: flag });
export const batchesQuery = strict({
  repository: repositoryName,
  state: z.enum(BATCH_STATES).exactOptional(),
  cursor,
  limit,
});
export const tasksQuery = strict({
  repository: repositoryName,
  issue: z
    .string()
    .regex(/^\d{1,9}$/, { error: 'an issue number' })
    .transform(Number)
    .exactOptional(),
  state: z.enum(TASK_STATES).exactOptional(),
  cursor,
  limit,
});
export const repositoriesQuery = strict({ repository: repositoryName, cursor, limit });
export const logQuery = strict({ tail: whole(1, MAX_TAIL_BYTES, DEFAULT_TAIL_BYTES) });
const after = cursor.describe('The id of the last event that was seen; `latest`: where the journal ends now.');
export const eventsQuery = strict({ after, limit });
export const streamQuery = strict({ after });

export const cancelBody = strict({ now: z.boolean().default(false).describe('Also stop what runs.') });
export const resumeBody = strict({ force: z.boolean().default(false).describe('Also run again what was done.') });
export const reasonBody = strict({ reason: text.optional() });
export const linkBody = strict({ issue: issueNumber });

/** What each verb on a task takes. */
export const VERB_BODIES = {
  cancel: nothing,
  retry: nothing,
  done: nothing,
  skip: nothing,
  hold: reasonBody,
  release: nothing,
  block: strict({ question: text }),
  answer: strict({ text }),
} satisfies Record<Verb, z.ZodType>;
