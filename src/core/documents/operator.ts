/** The operator's file: which runners exist and who may use them, limits, floors of permission, and how long things are kept. */
import { z } from 'zod';
import { ATTENDED } from '../attended.ts';
import { isLoopbackName } from '../loopback.ts';
import { type Floor, PERMISSIONS } from '../policy.ts';
import { asMapping, check, protoKeys, strict } from './check.ts';
import { envName, MAX_MINUTES, MAX_SECONDS, name } from './fields.ts';
import type { Locate, Parsed } from './problem.ts';

/** Programs on this machine, started and stopped by this app. */
export interface ProcessRunner {
  kind: 'process';
  /** Patterns for `matchesRepository`. */
  repositories: readonly string[];
  /** Working directories must lie below it; null: the data directory. */
  root: string | null;
  /** The account that runs use; null: the app's own. */
  user: string | null;
  /** What templates may ask for by `env_from`. */
  passEnv: readonly string[];
  maxRunning: number | null;
  graceSeconds: number;
}

/** Programs on another machine, started and stopped by its agent. */
export interface AgentRunner {
  kind: 'agent';
  repositories: readonly string[];
  /** `https://host:port`, or `http://` to this machine. */
  url: string;
  /** The variable that holds its token. */
  tokenEnv: string;
  /** Path of the authority that its certificate is from, in PEM; null: those that Node.js trusts. */
  caFile: string | null;
  /** What templates may ask for by `env_from`, as far as the agent passes it. */
  passEnv: readonly string[];
  maxRunning: number | null;
  graceSeconds: number;
}

export type RunnerSettings = ProcessRunner | AgentRunner;

export interface OperatorFile {
  runners: Readonly<Record<string, RunnerSettings>>;
  limits: {
    maxRunning: number;
    maxRunningPerRepository: number;
    massStop: number;
    maxDataAgeSeconds: number;
    unreachableMinutes: number;
  };
  /** Only what the file names; for the rest see `DEFAULT_FLOOR`. */
  permissionsFloor: Floor;
  /** Slugs of other Apps whose comments may command. */
  trustedApps: readonly string[];
  retention: { deliveriesDays: number; logsDays: number; eventsDays: number };
}

const LATER_KINDS = ['github_actions', 'slurm', 'kubernetes'] as const;

const pattern = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}\/[A-Za-z0-9._*-]{1,100}$/, {
  error:
    'owner/name or owner/* ("*" for all repositories is refused for this kind: whoever can push to them could run programs here)',
});

/** Of every kind that runs programs of its own. */
const shared = {
  repositories: z.array(pattern).min(1),
  pass_env: z.array(envName).default([]),
  max_running: z.int().min(1).optional(),
  grace_seconds: z.number().min(0).max(3600).default(10),
};

const processRunner = strict({
  kind: z.literal('process'),
  repositories: shared.repositories,
  root: z.string().startsWith('/', { error: 'an absolute path' }).optional(),
  user: z
    .string()
    .regex(/^[a-z_][a-z0-9_-]{0,31}$/, { error: 'the name of an account' })
    .optional(),
  pass_env: shared.pass_env,
  max_running: shared.max_running,
  grace_seconds: shared.grace_seconds,
}).transform(
  (given): ProcessRunner => ({
    kind: given.kind,
    repositories: given.repositories,
    root: given.root ?? null,
    user: given.user ?? null,
    passEnv: given.pass_env,
    maxRunning: given.max_running ?? null,
    graceSeconds: given.grace_seconds,
  }),
);

/** The token goes there: in the clear, only to where nobody else listens. */
const agentUrl = z.string().refine(isAgentUrl, {
  error: 'must be https://host:port, or http:// to this machine, without user, path or query',
});

function isAgentUrl(text: string): boolean {
  const [, scheme, host = ''] = /^(https?):\/\/(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+)(?::\d{1,5})?\/?$/.exec(text) ?? [];
  return URL.canParse(text) && (scheme === 'https' || (scheme === 'http' && isLoopbackName(host)));
}

const agentRunner = strict({
  kind: z.literal('agent'),
  repositories: shared.repositories,
  url: agentUrl,
  token_env: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, { error: 'the name of a variable' }),
  ca_file: z.string().startsWith('/', { error: 'an absolute path' }).optional(),
  pass_env: shared.pass_env,
  max_running: shared.max_running,
  grace_seconds: shared.grace_seconds,
}).transform(
  (given): AgentRunner => ({
    kind: given.kind,
    repositories: given.repositories,
    url: given.url,
    tokenEnv: given.token_env,
    caFile: given.ca_file ?? null,
    passEnv: given.pass_env,
    maxRunning: given.max_running ?? null,
    graceSeconds: given.grace_seconds,
  }),
);

/** Their other keys are not judged: the kind alone is the problem. */
const laterRunner = z
  .looseObject({ kind: z.enum(LATER_KINDS) })
  .superRefine((given, context) => {
    const message = `the kind "${given.kind}" is not available in this version; accepted: process, agent`;
    context.addIssue({ code: 'custom', path: ['kind'], message });
  })
  .transform((): RunnerSettings => z.NEVER);

const runner = z.discriminatedUnion('kind', [processRunner, agentRunner, laterRunner], {
  error: (issue) => (issue.code === 'invalid_union' ? 'process or agent' : 'a mapping with a kind'),
});

const limits = strict({
  max_running: z.int().min(1).default(64),
  max_running_per_repository: z.int().min(1).default(16),
  mass_stop: z.int().min(1).default(50),
  max_data_age_seconds: z.number().gt(0).max(MAX_SECONDS).default(600),
  unreachable_minutes: z.number().gt(0).max(MAX_MINUTES).default(60),
}).transform((given) => ({
  maxRunning: given.max_running,
  maxRunningPerRepository: given.max_running_per_repository,
  massStop: given.mass_stop,
  maxDataAgeSeconds: given.max_data_age_seconds,
  unreachableMinutes: given.unreachable_minutes,
}));

const permission = z.enum(PERMISSIONS);

const permissionsFloor = strict({
  run: permission.exactOptional().describe('Default: write.'),
  retry: permission.exactOptional().describe('Default: write.'),
  done: permission.exactOptional().describe('Default: triage.'),
  cancel: permission.exactOptional().describe('Default: triage.'),
  logs: permission.exactOptional().describe('Default: triage.'),
}) satisfies z.ZodType<Floor>;

const days = z.int().min(1).max(3650);

const retention = strict({
  deliveries_days: days.default(14),
  logs_days: days.default(30),
  events_days: days.default(365),
}).transform((given) => ({
  deliveriesDays: given.deliveries_days,
  logsDays: given.logs_days,
  eventsDays: given.events_days,
}));

const RESERVED = `"${ATTENDED}" is no runner to configure: it is there by itself, for tasks that only people run; another name is accepted`;

const operatorFile = strict({
  runners: z
    .record(name, runner)
    .superRefine((given, context) => {
      if (Object.hasOwn(given, ATTENDED)) context.addIssue({ code: 'custom', path: [ATTENDED], message: RESERVED });
    })
    .default({}),
  limits: limits.prefault({}),
  permissions_floor: permissionsFloor.default({}),
  trusted_apps: z.array(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,99}$/, { error: "an App's slug" })).default([]),
  retention: retention.prefault({}),
}).transform(
  (given): OperatorFile => ({
    runners: given.runners,
    limits: given.limits,
    permissionsFloor: given.permissions_floor,
    trustedApps: given.trusted_apps,
    retention: given.retention,
  }),
);

/** An empty file is a file without runners: all defaults. Never throws. */
export function parseOperatorFile(value: unknown, locate?: Locate): Parsed<OperatorFile> {
  const shape = check(operatorFile, value ?? {}, locate);
  const named = protoKeys(asMapping(value)?.runners, ['runners'], locate);
  if (shape.ok && named.length === 0) return shape;
  return { ok: false, problems: [...(shape.ok ? [] : shape.problems), ...named] };
}
