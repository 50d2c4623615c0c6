import type { TrackedIssue } from '../../core/issue.ts';
import type { Issue } from '../generated/sqlite/client.ts';
import { fromJsonOrNull, pickGiven, toJson } from './columns.ts';

export function toIssueRow(issue: TrackedIssue): Issue {
  return {
    repositoryId: issue.repositoryId,
    number: issue.number,
    nodeId: issue.nodeId,
    title: issue.title,
    url: issue.url,
    state: issue.state,
    reason: issue.reason,
    closedAt: issue.closedAt,
    updatedAt: issue.updatedAt,
    author: issue.author,
    actor: issue.actor,
    locked: issue.locked,
    isPullRequest: issue.isPullRequest,
    presence: issue.presence,
    movedTo: issue.movedTo,
    readDue: issue.readDue,
    dependsOn: toJson(issue.dependsOn),
    blockedByCount: issue.blockedByCount,
    blockersDue: issue.blockersDue,
    observedAt: issue.observedAt,
    version: issue.version,
  };
}

export function toIssueChange(set: Partial<Omit<TrackedIssue, 'version'>>): Partial<Issue> {
  return pickGiven(toIssueRow(set as TrackedIssue), set);
}

export function fromIssueRow(row: Issue): TrackedIssue {
  return {
    ...row,
    state: row.state as TrackedIssue['state'],
    reason: row.reason as TrackedIssue['reason'],
    presence: row.presence as TrackedIssue['presence'],
    dependsOn: fromJsonOrNull<string[]>(row.dependsOn) ?? [],
    blockersDue: row.blockersDue ?? true,
  };
}
