/** The fields of the app's answers that the command line uses. Everything else passes through to `--json`. */
import { z } from 'zod';
import { CliError, EXIT } from './exit.ts';

const hold = z.looseObject({ reason: z.string().nullable() });

const run = z.looseObject({
  id: z.string(),
  number: z.number(),
  purpose: z.string(),
  state: z.string(),
  cause: z.string().nullable(),
  reason: z.string().nullable(),
  exit_code: z.number().nullable(),
  signal: z.string().nullable(),
  /** Since when its runner gives no answer; an earlier version of the app tells nothing of it. */
  silent_since: z.string().nullish(),
  started_at: z.string().nullable(),
  cancel_requested_at: z.string().nullable(),
});

const question = z.looseObject({ kind: z.literal('question'), question: z.string(), actor: z.string() });

const issueBlocker = z.looseObject({
  issue: z.string(),
  source: z.string(),
  status: z.string(),
  actor: z.string().nullable(),
  needs: z.enum(['close', 'release']).nullable(),
});

const blocker = z.discriminatedUnion('kind', [question, issueBlocker.extend({ kind: z.literal('issue') })]);

/** Why what is known of issues can't be made newer. */
const lookProblem = z.looseObject({ code: z.string(), message: z.string(), since: z.string() });

const issueState = z.looseObject({
  state: z.string(),
  reason: z.string().nullable(),
  locked: z.boolean(),
  presence: z.string(),
  moved_to: z.string().nullable(),
  data_age_seconds: z.number(),
  /** An earlier version of the app tells nothing of it. */
  access: z.string().default('ok'),
  access_since: z.string().nullish(),
  problem: lookProblem.nullable(),
});

export const taskView = z.looseObject({
  id: z.string(),
  key: z.string(),
  name: z.string(),
  repository: z.string().nullable(),
  issue: z.number().nullable(),
  /** An earlier version of the app tells nothing of it. */
  issue_state: issueState.nullish(),
  state: z.string(),
  cause: z.string().nullable(),
  actor: z.string().nullable(),
  waiting_on: z.string().nullable(),
  not_before: z.string().nullable(),
  hold: hold.nullable(),
  blockers: z.array(blocker),
  runs: z.array(run),
});

export const attendedView = z.looseObject({
  run_id: z.string(),
  grace_seconds: z.number(),
  env: z.record(z.string(), z.string()),
});

export const attendedNewsView = z.looseObject({
  state: z.enum(['running', 'stopping', 'over']),
  signal: z.enum(['TERM', 'KILL']).nullable(),
  why: z.string().nullable(),
});

const counts = z.record(z.string(), z.number());

export const batchListView = z.looseObject({
  id: z.string(),
  repository: z.string().nullable(),
  name: z.string(),
  state: z.string(),
  stuck: z.boolean(),
  on_failure: z.enum(['continue', 'stop']),
  hold: hold.extend({ actor: z.string(), at: z.string() }).nullable(),
  order: z.looseObject({ kind: z.enum(['cancel', 'resume']), actor: z.string() }).nullable(),
  counts,
  outcomes: counts,
});

export const batchView = batchListView.extend({
  tasks: z.array(taskView),
  /** Commands that would move a stuck batch. */
  next_steps: z.array(z.string()),
});

/** The stuck batch whose place it would take. */
export const plannedView = batchView.extend({ supersedes: z.string().nullable() });

export const eventView = z.looseObject({
  id: z.string(),
  type: z.string(),
  at: z.string(),
  batch_id: z.string().nullable(),
  run_id: z.string().nullable(),
  data: z.record(z.string(), z.unknown()),
});

export const holdView = hold.extend({
  scope: z.enum(['all', 'repository', 'runner']),
  repository: z.string().nullish(),
  runner: z.string().nullish(),
  actor: z.string(),
  age_seconds: z.number(),
});

export const repositoryView = z.looseObject({
  full_name: z.string(),
  access: z.string(),
  access_since: z.string().nullable(),
  verified_at: z.string().nullable(),
  data_age_seconds: z.number().nullable(),
  problem: lookProblem.nullable(),
});

export const explanationView = z.looseObject({
  repository: z.string(),
  issue: z.number(),
  state: z.string(),
  title: z.string(),
  moved_to: z.string().nullish(),
  /** Why it may be out of date; null: it is not. */
  note: z.string().nullable(),
  blocked_by: z.array(issueBlocker),
  tasks: z.array(
    z.looseObject({
      id: z.string(),
      key: z.string(),
      state: z.string(),
      waiting_on: z.string().nullable(),
      if_closed: z.looseObject({ completed: z.string(), not_planned: z.string() }),
      if_reopened: z.string().nullable(),
    }),
  ),
  blocks: z.array(z.looseObject({ id: z.string(), key: z.string(), issue: z.string(), if_completed: z.string() })),
});

export type RunView = z.output<typeof run>;
export type TaskView = z.output<typeof taskView>;
export type BatchSummary = z.output<typeof batchListView>;
export type BatchView = z.output<typeof batchView>;
export type PlannedView = z.output<typeof plannedView>;
export type EventView = z.output<typeof eventView>;
export type HoldView = z.output<typeof holdView>;
export type IssueBlockerView = z.output<typeof issueBlocker>;
export type IssueStateView = z.output<typeof issueState>;
export type RepositoryView = z.output<typeof repositoryView>;
export type ExplanationView = z.output<typeof explanationView>;

export function pageOf<S extends z.ZodType>(item: S) {
  return z.looseObject({ items: z.array(item), next: z.string().nullable() });
}

/** An answer of another shape comes from another program, or another version of the app. */
export function understand<S extends z.ZodType>(schema: S, answer: unknown): z.output<S> {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new CliError(EXIT.unreachable, 'unreachable', 'the app answered, but not as this version of Standdown expects');
}
