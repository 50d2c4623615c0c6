/** Comments on issues, and reactions to them. */
import { addComment, addReaction, deleteComment, editComment, issueOf } from '../actions/comments.ts';
import type { Actor } from '../actions/issues.ts';
import { created, noContent, notFound, ok, Refusal } from '../http/answer.ts';
import { answerPage } from '../http/pagination.ts';
import type { ApiRequest, Route } from '../http/router.ts';
import { renderComment, renderReaction } from '../render/comment.ts';
import type { Site } from '../site.ts';
import { commentsOf } from '../state/issues.ts';
import { atLeast, roleOf } from '../state/roles.ts';
import type { Comment, Issue, ReactionContent, Repository } from '../state/types.ts';
import { readFields, readOneOf, readText } from './body.ts';
import { readSince, since, sorted } from './listing.ts';
import { actorIn, visibleComment, visibleIssue, visibleRepository } from './lookup.ts';

const COMMENTS = '/repos/{owner}/{repo}/issues/comments';
const COMMENT = `${COMMENTS}/{comment_id}`;
const REACTIONS = `${COMMENT}/reactions`;
const ISSUE_COMMENTS = '/repos/{owner}/{repo}/issues/{issue_number}/comments';
const CONTENTS: readonly ReactionContent[] = ['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes'];
const reads = { as: 'token', permission: ['issues', 'read'] } as const;
const writes = { as: 'token', permission: ['issues', 'write'] } as const;
const creates = { ...writes, createsContent: true } as const;

export const commentRoutes: readonly Route[] = [
  { method: 'GET', operation: COMMENTS, ...reads, handle: listRepositoryComments },
  { method: 'GET', operation: COMMENT, ...reads, handle: readComment },
  { method: 'PATCH', operation: COMMENT, ...writes, handle: changeComment },
  { method: 'DELETE', operation: COMMENT, ...writes, handle: removeComment },
  { method: 'GET', operation: ISSUE_COMMENTS, ...reads, handle: listIssueComments },
  { method: 'POST', operation: ISSUE_COMMENTS, ...creates, handle: createComment },
  { method: 'GET', operation: REACTIONS, ...reads, handle: listReactions },
  { method: 'POST', operation: REACTIONS, ...creates, handle: createReaction },
  { method: 'DELETE', operation: `${REACTIONS}/{reaction_id}`, ...writes, handle: removeReaction },
];

/** GitHub ignores `direction` without `sort`. */
function listRepositoryComments(site: Site, request: ApiRequest) {
  const repository = visibleRepository(site, request);
  const sort = request.query.get('sort');
  const direction = sort === null ? 'asc' : (request.query.get('direction') ?? 'desc');
  const found = sorted(since(request, repository.recentComments), sort ?? 'created', direction);
  return answerPage(site, request, found, (comment) => renderComment(site, repository, comment));
}

function listIssueComments(site: Site, request: ApiRequest) {
  const { repository, issue } = visibleIssue(site, request);
  const earliest = readSince(request);
  const found = sorted(
    commentsOf(repository, issue.number).filter(({ updatedAt }) => updatedAt >= earliest),
    'created',
    'asc',
  );
  return answerPage(site, request, found, (comment) => renderComment(site, repository, comment));
}

function createComment(site: Site, request: ApiRequest) {
  const { repository, issue } = visibleIssue(site, request);
  const actor = actorIn(site, request, repository);
  refuseIfLocked(repository, issue, actor);
  const body = readText(readFields(request.body, 'IssueComment'), 'body', 'IssueComment');
  const { comment } = addComment(site, { repository, issue }, actor, body);
  const answer = renderComment(site, repository, comment);
  return created(answer, answer.url);
}

/**
 * A lock keeps out everybody without the role to write, and every app, which has none.
 * https://github.com/probot/stale/issues/25
 */
function refuseIfLocked(repository: Repository, issue: Issue, actor: Actor): void {
  if (!issue.locked || atLeast(roleOf(repository, actor.user).role, 'write')) return;
  throw new Refusal(403, 'Unable to create comment because issue is locked.');
}

function readComment(site: Site, request: ApiRequest) {
  const { repository, comment } = visibleComment(site, request);
  return ok(renderComment(site, repository, comment));
}

function changeComment(site: Site, request: ApiRequest) {
  const place = visibleComment(site, request);
  const actor = actorIn(site, request, place.repository);
  refuseStranger(place.repository, place.comment, actor);
  editComment(site, place, actor, readText(readFields(request.body, 'IssueComment'), 'body', 'IssueComment'));
  return ok(renderComment(site, place.repository, place.comment));
}

function removeComment(site: Site, request: ApiRequest) {
  const place = visibleComment(site, request);
  const actor = actorIn(site, request, place.repository);
  refuseStranger(place.repository, place.comment, actor);
  deleteComment(site, place, actor);
  return noContent();
}

/** Another's comment is changed by those who write to the repository, as which an app with `issues: write` counts. */
function refuseStranger(repository: Repository, comment: Comment, actor: Actor): void {
  if (comment.author === actor.user || actor.via !== null || atLeast(roleOf(repository, actor.user).role, 'write'))
    return;
  throw new Refusal(403, 'Must have admin rights to Repository.');
}

function listReactions(site: Site, request: ApiRequest) {
  const { comment } = visibleComment(site, request);
  const content = request.query.get('content');
  const found = comment.reactions.filter((reaction) => content === null || reaction.content === content);
  return answerPage(site, request, found, (reaction) => renderReaction(site, reaction));
}

function createReaction(site: Site, request: ApiRequest) {
  const { repository, comment } = visibleComment(site, request);
  const actor = actorIn(site, request, repository);
  // It keeps everybody from reacting, whoever may comment.
  if (issueOf({ repository, comment }).locked) throw new Refusal(403, 'Issue is locked');
  const fields = readFields(request.body, 'Reaction');
  const content = readOneOf(fields.content, CONTENTS, { resource: 'Reaction', field: 'content' });
  const { reaction, created: isNew } = addReaction(site, comment, actor.user, content);
  return isNew ? created(renderReaction(site, reaction)) : ok(renderReaction(site, reaction));
}

function removeReaction(site: Site, request: ApiRequest) {
  const { repository, comment } = visibleComment(site, request);
  const actor = actorIn(site, request, repository);
  const id = Number(request.params.reaction_id);
  const index = comment.reactions.findIndex((reaction) => reaction.id === id && reaction.by === actor.user);
  if (index < 0) throw notFound();
  comment.reactions.splice(index, 1);
  return noContent();
}
