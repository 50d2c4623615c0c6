/** What an issue is blocked by and what it blocks, wherever those issues are. */
import { addDependency, removeDependency } from '../actions/dependencies.ts';
import { created, notFound, ok, Refusal, validationFailed } from '../http/answer.ts';
import { answerPage } from '../http/pagination.ts';
import type { ApiRequest, Route } from '../http/router.ts';
import { renderListedIssue } from '../render/issue.ts';
import type { Site } from '../site.ts';
import { blockedBy, blockersOf, findIssueById } from '../state/issues.ts';
import { canTriage } from '../state/roles.ts';
import type { Place } from '../state/types.ts';
import { readFields } from './body.ts';
import { actorIn, isVisible, visibleIssue } from './lookup.ts';

const ISSUE = '/repos/{owner}/{repo}/issues/{issue_number}';
const BLOCKED_BY = `${ISSUE}/dependencies/blocked_by`;
const reads = { as: 'token', permission: ['issues', 'read'] } as const;
const writes = { as: 'token', permission: ['issues', 'write'] } as const;
/** https://docs.github.com/issues/tracking-your-work-with-issues/using-issues/creating-issue-dependencies */
const MOST = 50;

export const dependencyRoutes: readonly Route[] = [
  { method: 'GET', operation: BLOCKED_BY, ...reads, handle: listBlockers },
  { method: 'POST', operation: BLOCKED_BY, ...writes, createsContent: true, handle: addBlocker },
  { method: 'DELETE', operation: `${BLOCKED_BY}/{issue_id}`, ...writes, handle: removeBlocker },
  { method: 'GET', operation: `${ISSUE}/dependencies/blocking`, ...reads, handle: listBlocked },
];

function listBlockers(site: Site, request: ApiRequest) {
  const { issue } = visibleIssue(site, request);
  return answerIssues(site, request, blockersOf(site.world, issue));
}

function listBlocked(site: Site, request: ApiRequest) {
  const { issue } = visibleIssue(site, request);
  return answerIssues(site, request, blockedBy(site.world, issue));
}

function addBlocker(site: Site, request: ApiRequest) {
  const blocked = visibleIssue(site, request);
  const actor = changerOf(site, request, blocked);
  const blocker = visibleBlocker(site, request, readFields(request.body, 'IssueDependency').issue_id);
  const { blockedBy, id } = blocked.issue;
  const possible = blocker.issue.id !== id && !blockedBy.includes(blocker.issue.id) && blockedBy.length < MOST;
  if (!possible) throw validationFailed({ resource: 'IssueDependency', field: 'issue_id', code: 'invalid' });
  addDependency(site, { blocked, blocker }, actor);
  return created(renderListedIssue(site, blocked.repository, blocked.issue));
}

function removeBlocker(site: Site, request: ApiRequest) {
  const blocked = visibleIssue(site, request);
  const actor = changerOf(site, request, blocked);
  const blocker = visibleBlocker(site, request, Number(request.params.issue_id));
  if (!blocked.issue.blockedBy.includes(blocker.issue.id)) throw notFound();
  removeDependency(site, { blocked, blocker }, actor);
  return ok(renderListedIssue(site, blocked.repository, blocked.issue));
}

function changerOf(site: Site, request: ApiRequest, { repository, issue }: Place) {
  const actor = actorIn(site, request, repository);
  if (actor.via !== null || canTriage(repository, issue, actor.user)) return actor;
  throw new Refusal(403, 'Must have triage rights to Repository.');
}

/** By its id, which is not its number. */
function visibleBlocker(site: Site, { caller }: ApiRequest, id: unknown): Place {
  const place = typeof id === 'number' ? findIssueById(site.world, id) : undefined;
  if (place === undefined || !isVisible(site, caller, place.repository)) throw notFound();
  return place;
}

function answerIssues(site: Site, request: ApiRequest, places: readonly Place[]) {
  const visible = places.filter(({ repository }) => isVisible(site, request.caller, repository));
  return answerPage(site, request, visible, ({ repository, issue }) => renderListedIssue(site, repository, issue));
}
