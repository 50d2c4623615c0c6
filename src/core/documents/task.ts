/** A task as documents write it: its fields, what they are where they are left out, and the spec that it becomes. */
import { z } from 'zod';
import { ATTENDED } from '../attended.ts';
import { DEFAULT_ENVIRONMENT_ATTEMPTS } from '../failure.ts';
import { strict } from './check.ts';
import { defined } from './defined.ts';
import {
  argv,
  branchName,
  directory,
  env,
  envName,
  issueNumber,
  MAX_MINUTES,
  MAX_SECONDS,
  name,
  title,
} from './fields.ts';
import { type Inputs, inputs, toInputs, values } from './input.ts';
import type { Finding } from './problem.ts';
import type { EvidenceSpec, TaskSpec, VerifySpec } from './spec.ts';

/** What a task says itself; what is not there comes from its template, or is the default. */
export interface OwnSpec extends Partial<Omit<TaskSpec, 'template' | 'retry'>> {
  retry?: Partial<TaskSpec['retry']>;
}

/** Of everything but `runs_on` and `run`, which have none. */
const DEFAULTS: Omit<TaskSpec, 'runsOn' | 'run' | 'template'> = {
  env: {},
  envFrom: [],
  timeoutMinutes: null,
  stallMinutes: 0,
  graceSeconds: null,
  retry: { attempts: 1, backoffSeconds: 30 },
  workingDirectory: null,
};

const retry = strict({
  attempts: z.int().min(1).max(100).optional().meta({
    default: DEFAULTS.retry.attempts,
    description: 'Runs in all, the first included; those that their environment ended are not counted.',
  }),
  environment_attempts: z.int().min(1).max(100).optional().meta({
    default: DEFAULT_ENVIRONMENT_ATTEMPTS,
    description: 'So many runs that their environment ended fail the task.',
  }),
  backoff_seconds: z
    .number()
    .min(0)
    .max(MAX_SECONDS)
    .optional()
    .meta({ default: DEFAULTS.retry.backoffSeconds, description: 'Pause before the second run; it grows.' }),
});

const minutes = z.number().max(MAX_MINUTES);

const verify = strict({
  run: argv.describe('An argv, as that of the task.'),
  env: env.optional().describe("Over the task's own; values may hold expressions."),
  timeout_minutes: minutes.gt(0).nullish().describe("Default: the task's."),
});

const evidence = strict({
  branch: branchName.describe('The branch that the task pushes to; may hold expressions.'),
  base: branchName
    .nullish()
    .describe("What it is compared with; may hold expressions. Default: the repository's default branch."),
});

/** What a template and a batch's task have in common, but for its name and the program's. */
const shared = {
  inputs: inputs.optional().describe('Values that expressions in run, env, verify and evidence may name.'),
  env: env.optional().describe("Beside the runner's own; values may hold expressions."),
  env_from: z.array(envName).max(100).optional().describe("Names of the operator's pass_env."),
  timeout_minutes: minutes.gt(0).nullish().describe('Default: no limit.'),
  stall_minutes: minutes
    .min(0)
    .optional()
    .meta({ default: DEFAULTS.stallMinutes, description: 'No output for this long; 0 is off.' }),
  grace_seconds: z.number().min(0).max(3600).nullish().describe("Between TERM and KILL; default: the runner's."),
  retry: retry.optional(),
  working_directory: directory.nullish().describe("Below the runner's root; default: the task's own directory."),
  priority: z.int().min(-1000).max(1000).optional().meta({ default: 0, description: 'Higher starts first.' }),
  overlap: z.enum(['never', 'allowed']).optional().meta({
    default: 'never',
    description:
      'Whether it may run again by itself where a run was lost and nobody saw it end: two may then be alive.',
  }),
  verify: verify
    .nullish()
    .describe('A second stage, in the same directory: once the run has succeeded, it decides. null: none.'),
  evidence: evidence
    .nullish()
    .describe('What is looked at before a run that nobody knows anything of counts as failed. null: nothing.'),
};

const label = title.optional().describe('For people; default: its key.');
const runsOn = name.describe(`A runner of the operator's file; ${ATTENDED}: only people run it.`);
const run = argv.describe(
  `An argv, never a shell line; items may hold expressions. Needed, unless runs_on is ${ATTENDED}.`,
);
const onlyPeople = { properties: { runs_on: { const: ATTENDED } } };

/** `run` may be left out where only people run it: `missingProgram` tells where it may not. */
export const template = strict({ name: label, runs_on: runsOn, run: run.optional(), ...shared }).meta({
  anyOf: [{ required: ['run'] }, onlyPeople],
});

/** `runs_on` and `run` may come from the template that it uses: `missingProgram` tells where they don't. */
export const task = strict({
  issue: issueNumber.nullish(),
  needs: z.array(name).max(1000).default([]).describe('Keys of tasks of this batch that must be done before.'),
  uses: name.optional().describe("A template of the repository's file; the task's own fields win."),
  with: values.optional().describe('Values for the inputs.'),
  name: label,
  runs_on: runsOn.optional(),
  run: run.optional(),
  ...shared,
}).meta({
  anyOf: [{ required: ['uses'] }, { required: ['runs_on', 'run'] }, { required: ['runs_on'], ...onlyPeople }],
});

/** Of a task that names none. */
export const NO_PROGRAM = 'is missing: must be a list of strings, the program first, never a shell line';

/** Of what a task has to say where it uses no template: what it does not, as the schema of a template tells it. */
export function missingProgram(entry: Readonly<Record<string, unknown>>): { key: string; message: string }[] {
  if (entry.uses !== undefined) return [];
  const accepted = {
    runs_on: 'is missing: must be a string, unless the task uses a template',
    run: `${NO_PROGRAM}, unless the task uses a template`,
  };
  return Object.entries(accepted)
    .filter(([key]) => entry[key] === undefined && !(key === 'run' && entry.runs_on === ATTENDED))
    .map(([key, message]) => ({ key, message }));
}

/** Of a template as it is written. */
export function missingRun(entry: Readonly<Record<string, unknown>>): Finding[] {
  return entry.run === undefined && entry.runs_on !== ATTENDED ? [{ keys: ['run'], message: NO_PROGRAM }] : [];
}

/** Only what was given. */
export function toOwnSpec(given: z.output<typeof task> | z.output<typeof template>): OwnSpec {
  return defined({
    runsOn: given.runs_on,
    run: given.run,
    env: given.env,
    envFrom: given.env_from,
    timeoutMinutes: given.timeout_minutes,
    stallMinutes: given.stall_minutes,
    graceSeconds: given.grace_seconds,
    retry:
      given.retry &&
      defined({
        attempts: given.retry.attempts,
        backoffSeconds: given.retry.backoff_seconds,
        environmentAttempts: given.retry.environment_attempts,
      }),
    workingDirectory: given.working_directory,
    overlap: given.overlap,
    verify: given.verify && toVerify(given.verify),
    evidence: given.evidence && toEvidence(given.evidence),
  });
}

function toVerify(given: z.output<typeof verify>): VerifySpec {
  return { run: given.run, env: given.env ?? {}, timeoutMinutes: given.timeout_minutes ?? null };
}

function toEvidence({ branch, base }: z.output<typeof evidence>): EvidenceSpec {
  return { branch, base: base ?? null };
}

export function ownInputs(given: z.output<typeof task> | z.output<typeof template>): Inputs {
  return toInputs(given.inputs ?? {});
}

/** A spec that names its program and its runner, whatever else it leaves out. */
export type NamedSpec = OwnSpec & Pick<TaskSpec, 'runsOn' | 'run'>;

/** With the defaults in what it leaves out. */
export function complete(own: NamedSpec): TaskSpec {
  return { ...DEFAULTS, ...own, retry: { ...DEFAULTS.retry, ...own.retry } };
}

/** A task's own fields win over its template's: those of `retry` and variables of `env` one by one, others as a whole. */
export function override(base: TaskSpec, own: OwnSpec): TaskSpec {
  return { ...base, ...own, env: { ...base.env, ...own.env }, retry: { ...base.retry, ...own.retry } };
}
