/** What a delivery says, as far as it is used. Reads only the payload: no network, no clock, and it never throws. */
import type {
  IssueCommentCreatedEvent,
  IssuesClosedEvent,
  IssuesReopenedEvent,
  PushEvent,
} from '@octokit/webhooks-types';
import { z } from 'zod';
import type { Hint, InterpretDelivery, RepositoryRef } from '../engine/ports.ts';
import { FILE_PATH } from '../engine/repository-file.ts';
import { commentSchema, toComment } from './comment.ts';
import { idSchema, issueNumberSchema, issueSchema, toSnapshot } from './schemas.ts';

const placeSchema = z.object({ id: idSchema, full_name: z.string().regex(/^[^/]+\/[^/]+$/, 'is no owner/name') });
/** Webhooks of a repository, which no App made, have none. */
const installationSchema = z.object({ id: z.number().int().positive() }).nullish();

const issuesPayloadSchema = z.object({
  action: z.string().min(1),
  issue: issueSchema,
  repository: placeSchema,
  sender: z.object({ login: z.string().min(1) }),
  installation: installationSchema,
});

/** Each edge is told twice: to the repository of the issue that is blocked (`blocked_by_…`), and to that of the other. */
const dependenciesPayloadSchema = z.object({
  action: z.string().min(1),
  blocked_issue: z.object({ number: issueNumberSchema, pull_request: z.unknown().optional() }),
  /** Where it is, told only to the other's repository. */
  blocked_issue_repo: placeSchema.nullish(),
  repository: placeSchema,
  installation: installationSchema,
});

const commentPayloadSchema = z.object({
  action: z.string().min(1),
  issue: z.object({ number: issueNumberSchema, pull_request: z.unknown().optional() }),
  comment: commentSchema,
  repository: placeSchema,
  installation: installationSchema,
});

const paths = z.array(z.string()).nullish();

const pushPayloadSchema = z.object({
  ref: z.string().min(1),
  created: z.boolean(),
  deleted: z.boolean(),
  forced: z.boolean(),
  commits: z.array(z.object({ added: paths, modified: paths, removed: paths })),
  repository: placeSchema.extend({ default_branch: z.string().min(1) }),
  installation: installationSchema,
});

/** What a push tells of its commits, and of the files of each, at most: https://docs.github.com/webhooks/webhook-events-and-payloads#push */
const MOST_COMMITS = 2048;
const MOST_FILES = 3000;

/** Does not compile once GitHub's published types of the events lack what is read here. */
const promised = [
  (event: IssuesClosedEvent | IssuesReopenedEvent): z.input<typeof issuesPayloadSchema> => event,
  (event: IssueCommentCreatedEvent): z.input<typeof commentPayloadSchema> => event,
  (event: PushEvent): z.input<typeof pushPayloadSchema> => event,
];
void promised;

export const interpretDelivery: InterpretDelivery = (event, payload) => {
  if (event === 'issues') return read(issuesPayloadSchema, payload, hintOf);
  if (event === 'issue_comment') return read(commentPayloadSchema, payload, commentHintOf);
  if (event === 'push') return read(pushPayloadSchema, payload, fileHintOf);
  if (event === 'issue_dependencies') return read(dependenciesPayloadSchema, payload, blockersHintOf);
  return { kind: 'ignored' };
};

function read<S extends z.ZodType>(schema: S, payload: unknown, hint: (told: z.infer<S>) => Hint): Hint {
  const parsed = schema.safeParse(payload);
  return parsed.success ? hint(parsed.data) : { kind: 'malformed', problem: problemOf(parsed.error) };
}

function hintOf({ action, issue, repository, sender, installation }: z.infer<typeof issuesPayloadSchema>): Hint {
  const snapshot = toSnapshot(issue, actorOf(action, issue, sender));
  if (snapshot.isPullRequest) return { kind: 'ignored' };
  return {
    kind: 'issue',
    action,
    ref: { repositoryId: repository.id, number: issue.number },
    issue: snapshot,
    repository: refOf(repository, installation),
  };
}

/** An issue of another account is of another installation, which its own delivery tells. */
function blockersHintOf(told: z.infer<typeof dependenciesPayloadSchema>): Hint {
  const { action, blocked_issue, blocked_issue_repo, repository, installation } = told;
  const place = placeOf(action, repository, blocked_issue_repo);
  if (place === null || blocked_issue.pull_request != null) return { kind: 'ignored' };
  return {
    kind: 'blockers',
    ref: { repositoryId: place.id, number: blocked_issue.number },
    repository: refOf(place, installation),
  };
}

/** What an edited comment says now was not said to anybody, and a deleted one says nothing. */
function commentHintOf(told: z.infer<typeof commentPayloadSchema>): Hint {
  const { action, issue, comment, repository, installation } = told;
  if (action !== 'created' || issue.pull_request != null) return { kind: 'ignored' };
  return {
    kind: 'comment',
    ref: { repositoryId: repository.id, number: issue.number },
    comment: { ...toComment(comment), number: issue.number },
    repository: refOf(repository, installation),
  };
}

function fileHintOf({ repository, installation, ...push }: z.infer<typeof pushPayloadSchema>): Hint {
  const isDefault = push.ref === `refs/heads/${repository.default_branch}`;
  if (!isDefault || push.deleted || !mayTouchFile(push)) return { kind: 'ignored' };
  return { kind: 'file', repository: refOf(repository, installation) };
}

/** Also where the commits don't tell all: what a force took away is in none of them, and long lists are cut. */
function mayTouchFile({ created, forced, commits }: Pick<Push, 'created' | 'forced' | 'commits'>): boolean {
  if (created || forced || commits.length === 0 || commits.length >= MOST_COMMITS) return true;
  return commits.some(({ added, modified, removed }) => {
    const files = [...(added ?? []), ...(modified ?? []), ...(removed ?? [])];
    return files.length >= MOST_FILES || files.includes(FILE_PATH);
  });
}

type Push = z.infer<typeof pushPayloadSchema>;
type Place = z.infer<typeof placeSchema>;

function refOf({ id, full_name }: Place, installation: z.infer<typeof installationSchema>): RepositoryRef {
  return { id, fullName: full_name, installationId: installation?.id ?? null };
}

function placeOf(action: string, repository: Place, blocked: Place | null | undefined): Place | null {
  if (action.startsWith('blocked_by_')) return repository;
  if (!action.startsWith('blocking_') || blocked == null) return null;
  return ownerOf(blocked) === ownerOf(repository) ? blocked : null;
}

function ownerOf({ full_name }: Place): string | undefined {
  return full_name.split('/')[0]?.toLowerCase();
}

/** The sender of any other action did not close or reopen it. */
function actorOf(action: string, issue: z.infer<typeof issueSchema>, sender: { login: string }): string | null {
  if (action === 'closed' || action === 'reopened') return sender.login;
  return issue.state === 'closed' ? (issue.closed_by?.login ?? null) : null;
}

/** Paths and what was expected there; never a value. */
function problemOf(error: z.ZodError): string {
  const lines = error.issues.slice(0, 3).map(({ path, message }) => `${path.join('.') || 'payload'}: ${message}`);
  return lines.join('; ').slice(0, 300);
}
