/** What happens to comments and their reactions. A comment changes its issue's `updated_at`; a reaction does not. */
import { renderComment } from '../render/comment.ts';
import { renderListedIssue } from '../render/issue.ts';
import type { Site } from '../site.ts';
import { placeComment, removeComment, touchComment, touchIssue } from '../state/issues.ts';
import type { Comment, Issue, Place, Reaction, ReactionContent, Repository, User } from '../state/types.ts';
import { announce } from '../webhooks/announce.ts';
import type { Delivery } from '../webhooks/hook.ts';
import type { Actor } from './issues.ts';

export interface CommentPlace {
  repository: Repository;
  comment: Comment;
}

export function addComment(
  site: Site,
  place: Place,
  actor: Actor,
  body: string,
): CommentPlace & { delivery: Delivery } {
  const { repository, issue } = place;
  const comment: Comment = {
    id: site.world.takeId(),
    issueNumber: issue.number,
    author: actor.user,
    body,
    via: actor.via,
    createdAt: site.now(),
    updatedAt: site.now(),
    reactions: [],
  };
  placeComment(repository, comment);
  touchIssue(place, site.now());
  return { repository, comment, delivery: tell(site, { repository, comment }, actor, 'created') };
}

export function editComment(site: Site, place: CommentPlace, actor: Actor, body: string): Delivery {
  const from = place.comment.body;
  place.comment.body = body;
  touchComment(place.repository, place.comment, site.now());
  touchIssue({ ...place, issue: issueOf(place) }, site.now());
  return tell(site, place, actor, 'edited', { changes: { body: { from } } });
}

export function deleteComment(site: Site, place: CommentPlace, actor: Actor): Delivery {
  removeComment(place.repository, place.comment);
  touchIssue({ ...place, issue: issueOf(place) }, site.now());
  return tell(site, place, actor, 'deleted');
}

/** The same reaction by the same person exists once. */
export function addReaction(
  site: Site,
  comment: Comment,
  by: User,
  content: ReactionContent,
): { reaction: Reaction; created: boolean } {
  const existing = comment.reactions.find((reaction) => reaction.by === by && reaction.content === content);
  if (existing) return { reaction: existing, created: false };
  const reaction = { id: site.world.takeId(), by, content, createdAt: site.now() };
  comment.reactions.push(reaction);
  return { reaction, created: true };
}

export function issueOf({ repository, comment }: CommentPlace): Issue {
  const issue = repository.issues.get(comment.issueNumber);
  if (issue === undefined) throw new Error(`comment ${comment.id} has no issue`);
  return issue;
}

function tell(
  site: Site,
  place: CommentPlace,
  actor: Actor,
  action: string,
  fields: Record<string, unknown> = {},
): Delivery {
  const { repository, comment } = place;
  return announce(site, {
    event: 'issue_comment',
    action,
    repository,
    sender: actor.user,
    fields: {
      issue: renderListedIssue(site, repository, issueOf(place)),
      comment: renderComment(site, repository, comment),
      ...fields,
    },
  });
}
