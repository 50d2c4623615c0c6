/** Issues, pull requests among them, and their events as GitHub writes them. */
import type { Site } from '../site.ts';
import { blockedBy, blockersOf, commentsOf } from '../state/issues.ts';
import { authorAssociation } from '../state/roles.ts';
import type { Issue, IssueEvent, Reaction, Repository } from '../state/types.ts';

import { renderVia } from './app.ts';
import { renderRepository } from './repository.ts';
import { apiUrl, isoSeconds, nodeId, repositoryApiUrl, repositoryPage } from './urls.ts';
import { renderUser } from './user.ts';

export function renderIssue(site: Site, repository: Repository, issue: Issue) {
  return { ...renderListedIssue(site, repository, issue), ...renderClosedBy(site, issue) };
}

/** As listings and webhooks show it: without `closed_by`. */
export function renderListedIssue(site: Site, repository: Repository, issue: Issue) {
  const url = `${repositoryApiUrl(site, repository)}/issues/${issue.number}`;
  const page = `${repositoryPage(site, repository)}/${issue.isPullRequest ? 'pull' : 'issues'}/${issue.number}`;
  return {
    ...renderLinks(site, repository, url, page),
    id: issue.id,
    node_id: nodeId(issue.isPullRequest ? 'PR' : 'I', issue.id),
    number: issue.number,
    title: issue.title,
    body: issue.body,
    user: renderUser(site, issue.author),
    labels: issue.labels.map((name) => renderLabel(site, repository, name)),
    state: issue.state,
    state_reason: issue.stateReason,
    locked: issue.locked,
    active_lock_reason: issue.lockReason,
    assignee: null,
    assignees: [],
    milestone: null,
    comments: commentsOf(repository, issue.number).length,
    created_at: isoSeconds(issue.createdAt),
    updated_at: isoSeconds(issue.updatedAt),
    closed_at: issue.closedAt === null ? null : isoSeconds(issue.closedAt),
    author_association: authorAssociation(repository, issue.author),
    reactions: renderReactionRollup(`${url}/reactions`, []),
    performed_via_github_app: renderVia(site, issue.via),
    sub_issues_summary: { total: 0, completed: 0, percent_completed: 0 },
    ...(site.edition === 'enterprise' ? {} : { issue_dependencies_summary: summarizeDependencies(site, issue) }),
    ...(issue.isPullRequest ? renderPullRequestLinks(repositoryApiUrl(site, repository), issue, page) : {}),
  };
}

/** How the event of another issue names this one. */
export function renderIssueReference(site: Site, repository: Repository, issue: Issue) {
  return {
    number: issue.number,
    title: issue.title,
    state: issue.state,
    state_reason: issue.stateReason,
    repository: renderRepository(site, repository),
    issue_type: null,
  };
}

function renderClosedBy(site: Site, issue: Issue) {
  return { closed_by: issue.closedBy === null ? null : renderUser(site, issue.closedBy) };
}

function renderLinks(site: Site, repository: Repository, url: string, page: string) {
  return {
    url,
    repository_url: repositoryApiUrl(site, repository),
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    timeline_url: `${url}/timeline`,
    html_url: page,
  };
}

function renderPullRequestLinks(repositoryUrl: string, issue: Issue, page: string) {
  return {
    draft: false,
    pull_request: {
      url: `${repositoryUrl}/pulls/${issue.number}`,
      html_url: page,
      diff_url: `${page}.diff`,
      patch_url: `${page}.patch`,
      merged_at: null,
    },
  };
}

export function renderLabel(site: Site, repository: Repository, name: string) {
  const id = [...name].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) % 2 ** 31, repository.id);
  return {
    id,
    node_id: nodeId('LA', id),
    url: `${repositoryApiUrl(site, repository)}/labels/${encodeURIComponent(name)}`,
    name,
    color: 'ededed',
    default: false,
    description: null,
  };
}

function summarizeDependencies(site: Site, issue: Issue) {
  const blockers = blockersOf(site.world, issue);
  const blocking = blockedBy(site.world, issue);
  return {
    blocked_by: blockers.filter((blocker) => blocker.issue.state === 'open').length,
    total_blocked_by: blockers.length,
    blocking: issue.state === 'open' ? blocking.length : 0,
    total_blocking: blocking.length,
  };
}

export function renderReactionRollup(url: string, reactions: readonly Reaction[]) {
  const count = (content: string) => reactions.filter((reaction) => reaction.content === content).length;
  return {
    url,
    total_count: reactions.length,
    '+1': count('+1'),
    '-1': count('-1'),
    laugh: count('laugh'),
    hooray: count('hooray'),
    confused: count('confused'),
    heart: count('heart'),
    rocket: count('rocket'),
    eyes: count('eyes'),
  };
}

export function renderIssueEvent(site: Site, repository: Repository, event: IssueEvent) {
  return {
    id: event.id,
    node_id: nodeId('EV', event.id),
    url: apiUrl(site, `/repos/${repository.owner.login}/${repository.name}/issues/events/${event.id}`),
    actor: renderUser(site, event.actor),
    event: event.event,
    commit_id: null,
    commit_url: null,
    created_at: isoSeconds(event.createdAt),
    performed_via_github_app: renderVia(site, event.via),
    ...event.detail,
  };
}
