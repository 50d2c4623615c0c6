/** What `/readyz` says, as far as it is looked at. What an app of another version leaves out is not judged. */
import { z } from 'zod';

const time = z.coerce.date().nullable();

const failing = { code: z.string(), message: z.string(), since: z.coerce.date() };

const sweep = z.looseObject({
  done_at_start: z.boolean(),
  errors: z.number(),
  /** With news that can't be read. */
  issues: z.array(z.looseObject({ issue: z.string(), ...failing })).default([]),
});

const data = z.looseObject({
  repositories: z.number(),
  oldest_repository: z.string().nullable(),
  age_seconds: z.number().nullable(),
  problems: z.array(z.looseObject({ repository: z.string(), ...failing })),
  problems_in_all: z.number(),
  out_of_reach: z
    .array(z.looseObject({ repository: z.string(), access: z.string(), since: z.coerce.date() }))
    .default([]),
  out_of_reach_in_all: z.number().default(0),
});

const webhooks = z.looseObject({
  missed: z.number(),
  recovered: z.number(),
  given_up: z.number(),
  oldest_missed_at: time,
  last_given_up_at: time,
  looked_at: time,
  /** Why GitHub doesn't tell of them; null: it does. */
  problem: z.string().nullable(),
});

const runner = z.looseObject({
  state: z.string(),
  kind: z.string().optional(),
  containment: z.string().optional(),
  /** The account of its runs; null: the app's own. */
  user: z.string().nullish(),
  notes: z.array(z.string()).default([]),
  /** False: it has not answered yet since the app started. */
  heard: z.boolean().default(true),
  /** Since when it gives no answer, and why. */
  silent_since: z.coerce.date().optional(),
  silent_because: z.string().optional(),
  /** Runs that it may still have. */
  runs_left_alone: z.number().default(0),
  needs_person: z.boolean().default(false),
  /** Runs of ours that have ended here, and of which something lives there: they are being ended. */
  orphans: z.array(z.looseObject({ run_id: z.string(), since: z.coerce.date() })).default([]),
  orphans_in_all: z.number().default(0),
  /** Living runs that are not known here. */
  unknown_runs: z.array(z.string()).default([]),
  unknown_runs_in_all: z.number().default(0),
});

export const readyView = z.looseObject({
  status: z.string(),
  database: z.string(),
  github: z.string(),
  sweep: sweep.optional(),
  data: data.nullish(),
  webhooks: webhooks.nullish(),
  runners: z.record(z.string(), runner),
  not_enforced: z.array(z.string()).default([]),
});

export type ReadyView = z.output<typeof readyView>;
export type IssueDataView = z.output<typeof data>;
export type WebhooksView = z.output<typeof webhooks>;
export type RunnerView = z.output<typeof runner>;
