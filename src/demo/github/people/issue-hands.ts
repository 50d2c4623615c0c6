/** What people do to one issue in the browser. Nobody's authority is asked for: they could, or they would not have done it. */
import { addComment, deleteComment, editComment } from '../actions/comments.ts';
import { addDependency, removeDependency } from '../actions/dependencies.ts';
import {
  type Actor,
  closeIssue,
  convertIssue,
  deleteIssue,
  editIssue,
  labelIssue,
  lockIssue,
  reopenIssue,
  transferIssue,
  unlabelIssue,
  unlockIssue,
} from '../actions/issues.ts';
import type { Site } from '../site.ts';
import type { CloseReason, LockReason, Place, Repository, User } from '../state/types.ts';
import type { Delivery } from '../webhooks/hook.ts';

export interface By {
  /** A login; made known if it is not. */
  by: string;
}

export type Through = By & {
  /** Slug of the app through which a person does it. A known app's own bot always acts through it. */
  via?: string;
};

type Other = By & {
  /** Default: the same. */
  repository?: string;
  number: number;
};

export interface IssueHands {
  readonly number: number;
  /** `reason: null`: closed without one. Default `completed`. */
  close: (how: Through & { reason?: CloseReason | null }) => Delivery;
  reopen: (how: By) => Delivery;
  edit: (how: By & { title?: string; body?: string | null }) => Delivery;
  comment: (how: Through & { body: string }) => { id: number; delivery: Delivery };
  editComment: (id: number, how: Through & { body: string }) => Delivery;
  deleteComment: (id: number, how: By) => Delivery;
  lock: (how: By & { reason?: LockReason | null }) => Delivery;
  unlock: (how: By) => Delivery;
  label: (how: By & { name: string }) => Delivery;
  unlabel: (how: By & { name: string }) => Delivery;
  /** Into a discussion, as which it is not to be found here. */
  convert: (how: By) => Delivery;
  delete: (how: By) => Delivery;
  /** Returns the number that it has over there. */
  transfer: (to: string, how: By) => { number: number; delivery: Delivery };
  /** This issue waits for that one. */
  blockBy: (other: Other) => Delivery;
  unblockBy: (other: Other) => Delivery;
}

export interface HandsContext {
  site: Site;
  user: (login: string) => User;
  organization: (login: string) => User;
  repository: (name: string) => Repository;
}

export function makeIssueHands(context: HandsContext, repositoryName: string, number: number): IssueHands {
  const { site } = context;
  const actor = (how: Through): Actor => actorOf(context, how);
  const place = (): Place => placeOf(context.repository(repositoryName), number);
  const commentPlace = (id: number) => {
    const { repository } = place();
    const comment = repository.comments.get(id);
    if (comment === undefined) throw new Error(`${repositoryName} has no comment ${id}`);
    return { repository, comment };
  };
  const dependency = ({ repository = repositoryName, number: blocking }: Other) => ({
    blocked: place(),
    blocker: placeOf(context.repository(repository), blocking),
  });
  return {
    number,
    close: (how) => closeIssue(site, place(), actor(how), how.reason === undefined ? 'completed' : how.reason),
    reopen: (how) => reopenIssue(site, place(), actor(how)),
    edit: ({ by, ...text }) => editIssue(site, place(), actor({ by }), text),
    comment: (how) => {
      const { comment, delivery } = addComment(site, place(), actor(how), how.body);
      return { id: comment.id, delivery };
    },
    editComment: (id, how) => editComment(site, commentPlace(id), actor(how), how.body),
    deleteComment: (id, how) => deleteComment(site, commentPlace(id), actor(how)),
    lock: (how) => lockIssue(site, place(), actor(how), how.reason ?? null),
    unlock: (how) => unlockIssue(site, place(), actor(how)),
    label: (how) => labelIssue(site, place(), actor(how), how.name),
    unlabel: (how) => unlabelIssue(site, place(), actor(how), how.name),
    convert: (how) => convertIssue(site, place(), actor(how)),
    delete: (how) => deleteIssue(site, place(), actor(how)),
    transfer: (to, how) => {
      const moved = transferIssue(site, place(), actor(how), context.repository(to));
      return { number: moved.issue.number, delivery: moved.delivery };
    },
    blockBy: (other) => addDependency(site, dependency(other), actor(other)),
    unblockBy: (other) => removeDependency(site, dependency(other), actor(other)),
  };
}

export function actorOf({ site, user }: HandsContext, { by, via }: Through): Actor {
  const own = /^(.+)\[bot\]$/.exec(by)?.[1];
  const app = site.apps.get(via ?? own ?? '') ?? null;
  if (via !== undefined && app === null) throw new Error(`the stand-in GitHub has no app ${via}`);
  return { user: user(by), via: app };
}

function placeOf(repository: Repository, number: number): Place {
  const issue = repository.issues.get(number);
  if (issue === undefined) throw new Error(`${repository.name} has no issue #${number}`);
  return { repository, issue };
}
