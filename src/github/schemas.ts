/** What Standdown uses of GitHub's answers and payloads, and nothing more. Keys are GitHub's own. */
import { z } from 'zod';
import { dependsOnLines } from '../core/blockers/lines.ts';
import type { CloseReason, IssueSnapshot } from '../core/issue.ts';

/** Octokit hands out bigint for numbers beyond 2^53. */
export const idSchema = z.union([z.number().int().positive(), z.bigint().positive()]).transform(String);

/** As many as a database's plain integer holds. */
export const issueNumberSchema = z.number().int().positive().max(2_147_483_647);

export const instant = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

/** null: a deleted account. */
const account = z.object({ login: z.string().min(1) }).nullish();

/** The same in answers and payloads; `closed_by` comes in answers only. */
export const issueSchema = z
  .object({
    node_id: z.string().min(1),
    number: issueNumberSchema,
    title: z.string(),
    html_url: z.string().min(1),
    state: z.enum(['open', 'closed']),
    state_reason: z.string().nullish(),
    closed_at: instant.nullish(),
    updated_at: instant,
    user: account,
    closed_by: account,
    locked: z.boolean().default(false),
    pull_request: z.unknown().optional(),
    body: z.string().nullish(),
    /** `total_blocked_by` counts closed ones too. GitHub Enterprise Server has it from some version on. */
    issue_dependencies_summary: z.object({ total_blocked_by: z.number().int().nonnegative().max(10_000) }).nullish(),
  })
  .refine((issue) => issue.state === 'open' || issue.closed_at != null, {
    path: ['closed_at'],
    error: 'a closed issue has a time of its close',
  });

export type GitHubIssue = z.infer<typeof issueSchema>;

const REASONS = ['completed', 'not_planned', 'duplicate'] as const satisfies readonly CloseReason[];

/** Why it was closed; GitHub's other reasons are those of an open one. */
export function toReason(told: string | null | undefined): CloseReason {
  return REASONS.find((reason) => reason === told) ?? 'unknown';
}

export function toSnapshot(issue: GitHubIssue, actor: string | null): IssueSnapshot {
  const closed = issue.state === 'closed';
  return {
    nodeId: issue.node_id,
    number: issue.number,
    title: issue.title,
    url: issue.html_url,
    state: issue.state,
    reason: toReason(closed ? issue.state_reason : null),
    closedAt: closed ? (issue.closed_at ?? null) : null,
    updatedAt: issue.updated_at,
    author: issue.user?.login ?? null,
    actor,
    locked: issue.locked,
    isPullRequest: issue.pull_request != null,
    dependsOn: dependsOnOf(issue),
    blockedByCount: issue.issue_dependencies_summary?.total_blocked_by ?? null,
  };
}

/** Its own repository goes without saying, however the line says it. */
function dependsOnOf({ body, html_url }: GitHubIssue): readonly string[] {
  const own = `${html_url.split('/').slice(-4, -2).join('/')}#`.toLowerCase();
  const references = dependsOnLines(body ?? null).map((reference) =>
    reference.toLowerCase().startsWith(own) ? reference.slice(own.length - 1) : reference,
  );
  return [...new Set(references)];
}

export const repositorySchema = z.object({
  id: idSchema,
  full_name: z.string().regex(/^[^/]+\/[^/]+$/),
  default_branch: z.string().min(1).nullish(),
  has_issues: z.boolean().default(true),
  archived: z.boolean().default(false),
  /** Not to be read by everybody. */
  private: z.boolean().default(true),
});

export const installationSchema = z.object({ id: z.number().int().positive(), suspended_at: z.string().nullish() });

/** What one installation is on. */
export const installedSchema = z.object({
  repositories: z.array(repositorySchema.pick({ id: true, full_name: true, archived: true })),
});

export const hookAttemptSchema = z.object({
  id: idSchema,
  guid: z.string().min(1),
  event: z.string().min(1),
  action: z.string().nullish(),
  delivered_at: instant,
  /** `OK`, or why not, in words. */
  status: z.string(),
  /** 0: no answer came. */
  status_code: z.number().nullish(),
});

export const issueEventSchema = z.object({ event: z.string(), actor: account });

export const permissionSchema = z.object({
  /** The legacy base role: admin, write, read or none. */
  permission: z.string(),
  /** The name of the role, which may be a custom one. */
  role_name: z.string().nullish(),
  user: z
    .object({
      permissions: z
        .object({
          admin: z.boolean().default(false),
          maintain: z.boolean().default(false),
          push: z.boolean().default(false),
          triage: z.boolean().default(false),
          pull: z.boolean().default(false),
        })
        .nullish(),
    })
    .nullish(),
});

export const appSchema = z.object({
  id: idSchema,
  slug: z.string().min(1),
  permissions: z.record(z.string(), z.string()).default({}),
});

export const userSchema = z.object({ login: z.string().min(1) });

/** What a close has to have made of the issue. */
export const closedSchema = z.object({ state: z.literal('closed') });

/** What a write made: a comment, a reaction. */
export const createdSchema = z.object({ id: idSchema });

export const commentsSchema = z.array(
  z.object({
    id: idSchema,
    body: z.string().nullish(),
    user: account,
    performed_via_github_app: z.object({ id: idSchema }).nullish(),
  }),
);

/** How GitHub refuses a blob, with 403. */
export const tooLargeSchema = z.object({ errors: z.tuple([z.object({ code: z.literal('too_large') })]) });

const sha = z.string().min(1);

export const branchSchema = z.object({ name: z.string().min(1), commit: z.object({ sha }) });

export const comparisonSchema = z.object({ ahead_by: z.number().int().nonnegative() });

/** A file, or what else is at a path: a list is a directory. */
export const contentsSchema = z.union([
  z.array(z.unknown()),
  z.object({ type: z.enum(['symlink', 'submodule']), sha }),
  z.object({ type: z.literal('file'), sha, encoding: z.literal('none') }),
  z.object({
    type: z.literal('file'),
    sha,
    encoding: z.literal('base64'),
    content: z.string().regex(/^[A-Za-z0-9+/=\s]*$/, 'is no base64'),
  }),
]);

/** `errors` beside a status of 200. */
export const graphqlSchema = z.object({
  data: z.unknown().optional(),
  errors: z.array(z.object({ type: z.string().nullish(), message: z.string() })).optional(),
});

/** GraphQL names an App's account without the `[bot]` that it has everywhere else. */
const actor = z
  .object({ __typename: z.string(), login: z.string().min(1) })
  .transform(({ __typename, login }) => (__typename === 'Bot' && !login.endsWith('[bot]') ? `${login}[bot]` : login))
  .nullable();

export const bodyEditorSchema = z.object({
  repository: z.object({
    databaseId: idSchema,
    issue: z.object({ lastEditedAt: instant.nullable(), editor: actor, author: actor }),
  }),
});

/** An issue that may be of another repository, and says of which. */
export const blockerSchema = issueSchema.and(
  z.object({ repository_url: z.string().regex(/\/repos\/[^/]+\/[^/]+$/, 'is no address of a repository') }),
);
