/** Issues, their events and their timeline. */
import { type Actor, closeIssue, editIssue, openIssue, reopenIssue } from '../actions/issues.ts';
import { created, ok, Refusal } from '../http/answer.ts';
import { answerPage } from '../http/pagination.ts';
import type { ApiRequest, Route } from '../http/router.ts';
import { renderComment } from '../render/comment.ts';
import { renderIssue, renderIssueEvent, renderListedIssue } from '../render/issue.ts';
import type { Site } from '../site.ts';
import { commentsOf } from '../state/issues.ts';
import { canTriage } from '../state/roles.ts';
import type { CloseReason, Place } from '../state/types.ts';
import { type Fields, readFields, readOneOf, readOptionalText, readText } from './body.ts';
import { since, sorted } from './listing.ts';
import { actorIn, visibleIssue, visibleRepository } from './lookup.ts';

const ISSUE = '/repos/{owner}/{repo}/issues/{issue_number}';
const reads = { as: 'token', permission: ['issues', 'read'] } as const;
const writes = { as: 'token', permission: ['issues', 'write'] } as const;
const creates = { ...writes, createsContent: true } as const;
const UNKNOWN_FILTERS = ['milestone', 'assignee', 'type', 'mentioned', 'issue_field_values'];
const UNKNOWN_FIELDS = ['assignee', 'assignees', 'milestone', 'type', 'issue_field_values'];

export const issueRoutes: readonly Route[] = [
  { method: 'GET', operation: '/repos/{owner}/{repo}/issues', ...reads, handle: listIssues, ignores: UNKNOWN_FILTERS },
  {
    method: 'POST',
    operation: '/repos/{owner}/{repo}/issues',
    ...creates,
    handle: createIssue,
    ignores: UNKNOWN_FIELDS,
  },
  { method: 'GET', operation: ISSUE, ...reads, handle: readIssue },
  {
    method: 'PATCH',
    operation: ISSUE,
    ...writes,
    handle: changeIssue,
    ignores: [...UNKNOWN_FIELDS, 'labels', 'duplicate_issue_id'],
  },
  { method: 'GET', operation: `${ISSUE}/events`, ...reads, handle: listEvents },
  { method: 'GET', operation: `${ISSUE}/timeline`, ...reads, handle: listTimeline },
];

/** Pull requests are issues here. Who closed an issue is promised by no listing, only by the issue itself. */
function listIssues(site: Site, request: ApiRequest) {
  const repository = visibleRepository(site, request);
  const { query } = request;
  const state = query.get('state') ?? 'open';
  const labels = query.get('labels')?.split(',') ?? [];
  const creator = query.get('creator')?.toLowerCase();
  const wanted = since(request, repository.recentIssues)
    .filter((issue) => state === 'all' || issue.state === state)
    .filter((issue) => labels.every((label) => issue.labels.includes(label)))
    .filter((issue) => creator === undefined || issue.author.login.toLowerCase() === creator);
  const found = sorted(wanted, query.get('sort') ?? 'created', query.get('direction') ?? 'desc');
  return answerPage(site, request, found, (issue) => renderListedIssue(site, repository, issue));
}

function createIssue(site: Site, request: ApiRequest) {
  const repository = visibleRepository(site, request);
  const actor = actorIn(site, request, repository);
  const fields = readFields(request.body, 'Issue');
  const title = readText(fields, 'title', 'Issue');
  const body = readOptionalText(fields, 'body', 'Issue') ?? null;
  const labels = Array.isArray(fields.labels) ? fields.labels.map(String) : [];
  const { issue } = openIssue(site, repository, actor, { title, body, labels });
  const answer = renderIssue(site, repository, issue);
  return created(answer, answer.url);
}

function readIssue(site: Site, request: ApiRequest) {
  const { repository, issue } = visibleIssue(site, request);
  return ok(renderIssue(site, repository, issue));
}

function changeIssue(site: Site, request: ApiRequest) {
  const place = visibleIssue(site, request);
  const actor = actorIn(site, request, place.repository);
  if (actor.via === null && !canTriage(place.repository, place.issue, actor.user)) {
    throw new Refusal(403, 'Must have admin rights to Repository.');
  }
  const fields = readFields(request.body, 'Issue');
  changeText(site, place, actor, fields);
  changeState(site, place, actor, fields);
  return ok(renderIssue(site, place.repository, place.issue));
}

function changeText(site: Site, place: Place, actor: Actor, fields: Fields): void {
  const title = fields.title === undefined ? undefined : readText(fields, 'title', 'Issue');
  const body = readOptionalText(fields, 'body', 'Issue');
  if (title === undefined && body === undefined) return;
  editIssue(site, place, actor, { ...(title === undefined ? {} : { title }), ...(body === undefined ? {} : { body }) });
}

/** Closing what is closed and opening what is open changes nothing, a reason neither, and tells nobody. */
function changeState(site: Site, place: Place, actor: Actor, fields: Fields): void {
  if (fields.state === undefined) return;
  const state = readOneOf(fields.state, ['open', 'closed'], { resource: 'Issue', field: 'state' });
  if (state === 'open') {
    if (place.issue.state === 'closed') reopenIssue(site, place, actor);
    return;
  }
  const reason = readReason(fields.state_reason);
  if (place.issue.state === 'open') closeIssue(site, place, actor, reason);
}

function readReason(value: unknown): CloseReason {
  const where = { resource: 'Issue', field: 'state_reason' };
  return readOneOf(value ?? 'completed', ['completed', 'not_planned', 'duplicate'], where);
}

function listEvents(site: Site, request: ApiRequest) {
  const { repository, issue } = visibleIssue(site, request);
  return answerPage(site, request, issue.events, (event) => renderIssueEvent(site, repository, event));
}

/** Events and comments as they happened. */
function listTimeline(site: Site, request: ApiRequest) {
  const { repository, issue } = visibleIssue(site, request);
  const events = issue.events.map((event) => ({ event, at: event.createdAt, id: event.id }));
  const comments = commentsOf(repository, issue.number).map((comment) => ({
    comment,
    at: comment.createdAt,
    id: comment.id,
  }));
  const entries = [...events, ...comments].sort((a, b) => a.at - b.at || a.id - b.id);
  return answerPage(site, request, entries, (entry) => {
    if ('event' in entry) return renderIssueEvent(site, repository, entry.event);
    const comment = renderComment(site, repository, entry.comment);
    return { ...comment, event: 'commented', actor: comment.user };
  });
}
