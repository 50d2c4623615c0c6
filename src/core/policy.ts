/** What a repository's file may say of closes, reopens and people, and the defaults. */
import type { CloseAction, CloseReason } from './issue.ts';

/** GitHub's roles in rising order; `read` means a collaborator, not everybody on a public repository. */
export const PERMISSIONS = ['none', 'read', 'triage', 'write', 'maintain', 'admin'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** What a permission is asked for, by the verb that needs it. */
export const PERMITTED = [
  'run',
  'retry',
  'release',
  'skip',
  'answer',
  'link',
  'unlink',
  'resume',
  'cancel',
  'done',
  'hold',
  'block',
  'logs',
  'status',
  'help',
] as const;
export type Permitted = (typeof PERMITTED)[number];

export interface Policy {
  onClose: Readonly<Record<CloseReason, CloseAction>>;
  onReopen: 'requeue_stopped' | 'requeue_unsuccessful' | 'requeue_all' | 'ignore';
  /** Counted from `closed_at`, by webhook and sweep alike. */
  reopenWindowDays: number;
  /** A reopen within it voids the close. */
  closeDelaySeconds: number;
  /** Which ends of tasks that nobody asked for are told in a comment. */
  notify: 'failures' | 'all' | 'none';
  /** Per issue; beyond it the task is held, and the comment says so. */
  maxRequeuesPerHour: number;
  /** Whether the issue is closed once all its tasks are done. */
  closeIssueOnDone: boolean;
  /** What somebody must hold to say the verb, and for a close, reopen or edit to count as it. */
  permissions: Readonly<Record<Permitted, Permission>>;
  /** What an issue's author may say of its tasks, whatever their role. */
  author: readonly Permitted[];
  /** `bot` makes it `/bot task …`; empty: none. */
  commandPrefix: string;
}

export function atLeast(held: Permission, needed: Permission): boolean {
  return PERMISSIONS.indexOf(held) >= PERMISSIONS.indexOf(needed);
}

export const DEFAULT_POLICY: Policy = Object.freeze({
  onClose: Object.freeze({ completed: 'done', not_planned: 'cancel', duplicate: 'cancel', unknown: 'done' } as const),
  onReopen: 'requeue_stopped',
  reopenWindowDays: 14,
  closeDelaySeconds: 0,
  notify: 'failures',
  maxRequeuesPerHour: 3,
  closeIssueOnDone: false,
  permissions: Object.freeze({
    run: 'write',
    retry: 'write',
    release: 'write',
    skip: 'write',
    answer: 'write',
    link: 'write',
    unlink: 'write',
    resume: 'write',
    cancel: 'triage',
    done: 'triage',
    hold: 'triage',
    block: 'triage',
    logs: 'triage',
    status: 'read',
    help: 'read',
  } as const),
  author: Object.freeze([]),
  commandPrefix: '',
});

/** What an operator asks of every repository's file. */
export type Floor = { readonly [verb in keyof typeof DEFAULT_FLOOR]?: Permission };

/** Where the operator says nothing. */
const DEFAULT_FLOOR = {
  run: 'write',
  retry: 'write',
  done: 'triage',
  cancel: 'triage',
  logs: 'triage',
} as const satisfies Partial<Policy['permissions']>;

/** These start programs: an issue's author, who on a public repository can be anybody, says them only where the operator writes `none`. */
const NEVER_THE_AUTHORS = { run: DEFAULT_FLOOR.run, retry: DEFAULT_FLOOR.retry };

/**
 * The policy with an operator's floor under it: it can only ask for more. What has a floor that the operator wrote, and what starts
 * programs, an issue's author may not say without the role.
 */
export function withFloor(policy: Policy, given: Floor): Policy {
  const floor: Partial<Policy['permissions']> = { ...DEFAULT_FLOOR, ...given };
  const barred: Partial<Policy['permissions']> = { ...NEVER_THE_AUTHORS, ...given };
  const higher = (verb: Permitted): [Permitted, Permission] => {
    const { [verb]: asked = 'none' } = floor;
    return [verb, atLeast(policy.permissions[verb], asked) ? policy.permissions[verb] : asked];
  };
  return {
    ...policy,
    permissions: Object.fromEntries(PERMITTED.map(higher)) as Policy['permissions'],
    author: policy.author.filter((verb) => (barred[verb] ?? 'none') === 'none'),
  };
}
