/** Queries and bodies of the calls. */
import { z } from 'zod';
import { MAX_SURVIVORS } from '../../core/attended.ts';
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
const session = z
  .string()
  .regex(/^[A-Za-z0-9_-]{16,64}$/, { error: '16 to 64 letters, digits, - or _' })
  .describe('Made by whoever attends, and known to nobody else: the same one again means the same run.');
/** Shorter than who asks waits for an answer. */
const MAX_WAIT_SECONDS = 20;
const digits = z.string().regex(/^\d{1,20}$/, { error: 'digits' });
/** A run that somebody attends asks for news with it. */
export const newsQuery = strict({
  session,
  wait_seconds: whole(0, MAX_WAIT_SECONDS, MAX_WAIT_SECONDS).describe(
    'How long the answer may wait for something to tell.',
  ),
});
export const attendBody = strict({
  session,
  host: z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, { error: 'the name of a machine' })
    .describe('Where the attending process is.'),
  boot: z
    .string()
    .regex(/^[0-9a-f-]{36}$/, { error: 'an id as /proc/sys/kernel/random/boot_id has it' })
    .describe('`/proc/sys/kernel/random/boot_id` there.'),
  pid_namespace: digits.describe('The number of `/proc/self/ns/pid` there.'),
  pid: z.int().min(1).max(4_194_304),
  start: digits.describe('Field 22 of `/proc/PID/stat`.'),
});
/** A year: what is older was never told. */
const MAX_AGO_SECONDS = 31_622_400;
export const attendedEndBody = strict({
  session,
  exit_code: z.int().min(0).max(255).nullable().default(null),
  signal: z
    .string()
    .regex(/^(?!SIG)[A-Z][A-Z0-9+-]{1,15}$/, { error: 'the name of a signal without SIG, e.g. TERM' })
    .nullable()
    .default(null),
  survivors: z.array(z.int().min(1).max(4_194_304)).max(MAX_SURVIVORS).default([]).describe('Pids that outlived KILL.'),
  killed: z.boolean().nullable().default(null).describe('Whether KILL was sent; null: as it was ordered.'),
  ended_seconds_ago: z.number().min(0).max(MAX_AGO_SECONDS).default(0),
}).refine(({ exit_code: code, signal }) => (code === null) !== (signal === null), {
  error: 'must hold an exit_code or a signal, and not both',
});
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
