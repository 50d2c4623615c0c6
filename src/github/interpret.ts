/** What a delivery says, as far as it is used. Reads only the payload: no network, no clock, and it never throws. */
import type {
  IssueCommentCreatedEvent,
  IssuesClosedEvent,
  IssuesEvent,
  IssuesReopenedEvent,
  PushEvent,
} from '@octokit/webhooks-types';
import { z } from 'zod';
import type { Hint, InterpretDelivery } from '../engine/ports.ts';
import { FILE_PATH } from '../engine/repository-file.ts';
import { commentSchema, toComment } from './comment.ts';
import { interpretAccess } from './interpret-access.ts';
import { anyInstallationSchema, onlyOf, type Place, placeSchema, read, refOf } from './payload.ts';
import { issueNumberSchema, issueSchema, toSnapshot } from './schemas.ts';

/** Of all others nothing is used: what they change of an issue is no matter here. */
const ISSUE_ACTIONS = [
  'closed',
  'reopened',
  'deleted',
  'transferred',
  'locked',
  'unlocked',
  'edited',
] as const satisfies readonly IssuesEvent['action'][];

const issuesPayloadSchema = z.object({
  action: z.string().min(1),
  issue: issueSchema,
  repository: placeSchema,
  sender: z.object({ login: z.string().min(1) }),
  installation: anyInstallationSchema,
});

/** Each edge is told twice: to the repository of the issue that is blocked (`blocked_by_…`), and to that of the other. */
const dependenciesPayloadSchema = z.object({
  action: z.string().min(1),
  blocked_issue: z.object({ number: issueNumberSchema, pull_request: z.unknown().optional() }),
  /** Where it is, told only to the other's repository. */
  blocked_issue_repo: placeSchema.nullish(),
  repository: placeSchema,
  installation: anyInstallationSchema,
});

const commentPayloadSchema = z.object({
  issue: z.object({ number: issueNumberSchema, pull_request: z.unknown().optional() }),
  comment: commentSchema,
  repository: placeSchema,
  installation: anyInstallationSchema,
});

const paths = z.array(z.string()).nullish();

const pushPayloadSchema = z.object({
  ref: z.string().min(1),
  created: z.boolean(),
  deleted: z.boolean(),
  forced: z.boolean(),
  commits: z.array(z.object({ added: paths, modified: paths, removed: paths })),
  repository: placeSchema.extend({ default_branch: z.string().min(1) }),
  installation: anyInstallationSchema,
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
  if (event === 'issues') {
    return onlyOf(ISSUE_ACTIONS, payload, () => read(issuesPayloadSchema, payload, hintOf));
  }
  // What an edited comment says now was not said to anybody, and a deleted one says nothing.
  if (event === 'issue_comment') {
    return onlyOf(['created'], payload, () => read(commentPayloadSchema, payload, commentHintOf));
  }
  if (event === 'push') return read(pushPayloadSchema, payload, fileHintOf);
  if (event === 'issue_dependencies') return read(dependenciesPayloadSchema, payload, blockersHintOf);
  return interpretAccess(event, payload);
};

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

function commentHintOf(told: z.infer<typeof commentPayloadSchema>): Hint {
  const { issue, comment, repository, installation } = told;
  if (issue.pull_request != null) return { kind: 'ignored' };
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
