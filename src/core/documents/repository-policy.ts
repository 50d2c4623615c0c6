/** What the repository's file says of closes, reopens, comments and people. */
import { z } from 'zod';
import { DEFAULT_POLICY, PERMISSIONS, PERMITTED, type Permitted, type Policy } from '../policy.ts';
import { strict } from './check.ts';
import { defined } from './defined.ts';
import { MAX_SECONDS } from './fields.ts';

const action = z.enum(['done', 'cancel', 'let_finish', 'ignore']);

/** Of a close by its reason. */
const onClose = strict({
  completed: action.optional().meta({ default: DEFAULT_POLICY.onClose.completed }),
  not_planned: action.optional().meta({ default: DEFAULT_POLICY.onClose.not_planned }),
  duplicate: action.optional().meta({ default: DEFAULT_POLICY.onClose.duplicate }),
  unknown: action
    .optional()
    .meta({ default: DEFAULT_POLICY.onClose.unknown, description: 'Where no reason was given.' }),
});

export const policy = strict({
  on_close: onClose.optional().describe('What a close does to unfinished tasks, by its reason.'),
  on_reopen: z
    .enum(['requeue_stopped', 'requeue_unsuccessful', 'requeue_all', 'ignore'])
    .optional()
    .meta({ default: DEFAULT_POLICY.onReopen }),
  reopen_window_days: z
    .number()
    .min(0)
    .max(3650)
    .optional()
    .meta({ default: DEFAULT_POLICY.reopenWindowDays, description: 'Counted from the close.' }),
  close_delay_seconds: z
    .number()
    .min(0)
    .max(MAX_SECONDS)
    .optional()
    .meta({ default: DEFAULT_POLICY.closeDelaySeconds, description: 'A reopen within it voids the close.' }),
  notify: z.enum(['failures', 'all', 'none']).optional().meta({ default: DEFAULT_POLICY.notify }),
  max_requeues_per_hour: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .meta({ default: DEFAULT_POLICY.maxRequeuesPerHour, description: 'Per issue; beyond it the task is held.' }),
  close_issue_on_done: z
    .boolean()
    .optional()
    .meta({ default: DEFAULT_POLICY.closeIssueOnDone, description: 'Once all tasks of the issue are done.' }),
});

const permission = z.enum(PERMISSIONS);
const verbs = Object.fromEntries(
  PERMITTED.map((verb) => [verb, permission.optional().meta({ default: DEFAULT_POLICY.permissions[verb] })]),
) as Record<Permitted, z.ZodOptional<typeof permission>>;

export const permissions = strict({
  ...verbs,
  author: z
    .array(z.enum(PERMITTED))
    .max(PERMITTED.length)
    .optional()
    .describe("What an issue's author may say of its tasks, whatever their role."),
});

export const commandPrefix = z
  .string()
  .regex(/^(?:[A-Za-z][A-Za-z0-9-]{0,30})?$/, { error: 'empty, or up to 31 letters, digits and -, a letter first' })
  .meta({ default: DEFAULT_POLICY.commandPrefix, description: '"bot" makes it /bot task …' });

interface Given {
  policy?: z.output<typeof policy> | undefined;
  permissions?: z.output<typeof permissions> | undefined;
  command_prefix?: string | undefined;
}

/** With the defaults in what the file leaves out. */
export function toPolicy({ policy: given = {}, permissions: held = {}, command_prefix }: Given): Policy {
  const { author, ...asked } = held;
  return {
    onClose: { ...DEFAULT_POLICY.onClose, ...defined(given.on_close ?? {}) },
    onReopen: given.on_reopen ?? DEFAULT_POLICY.onReopen,
    reopenWindowDays: given.reopen_window_days ?? DEFAULT_POLICY.reopenWindowDays,
    closeDelaySeconds: given.close_delay_seconds ?? DEFAULT_POLICY.closeDelaySeconds,
    notify: given.notify ?? DEFAULT_POLICY.notify,
    maxRequeuesPerHour: given.max_requeues_per_hour ?? DEFAULT_POLICY.maxRequeuesPerHour,
    closeIssueOnDone: given.close_issue_on_done ?? DEFAULT_POLICY.closeIssueOnDone,
    permissions: { ...DEFAULT_POLICY.permissions, ...defined(asked) },
    author: author ?? DEFAULT_POLICY.author,
    commandPrefix: command_prefix ?? DEFAULT_POLICY.commandPrefix,
  };
}
