/**
 * Which issue waits for which. GitHub tells both repositories, the waiting one's and the blocking one's, and writes it into
 * both timelines, but neither issue counts as updated.
 */
import { renderIssue, renderIssueReference } from '../render/issue.ts';
import { renderRepository } from '../render/repository.ts';
import type { Site } from '../site.ts';
import { linkBlocker, unlinkBlocker } from '../state/issues.ts';
import type { Place } from '../state/types.ts';
import { announce } from '../webhooks/announce.ts';
import type { Delivery } from '../webhooks/hook.ts';
import { type Actor, record } from './issues.ts';

export interface Dependency {
  blocked: Place;
  blocker: Place;
}

export function addDependency(site: Site, dependency: Dependency, actor: Actor): Delivery {
  linkBlocker(site.world, dependency.blocked.issue, dependency.blocker.issue.id);
  return tell(site, dependency, actor, 'added');
}

export function removeDependency(site: Site, dependency: Dependency, actor: Actor): Delivery {
  unlinkBlocker(site.world, dependency.blocked.issue, dependency.blocker.issue.id);
  return tell(site, dependency, actor, 'removed');
}

/** Returns what the waiting issue's repository hears. */
function tell(site: Site, { blocked, blocker }: Dependency, actor: Actor, what: 'added' | 'removed'): Delivery {
  record(site, blocked.issue, actor, {
    event: `blocked_by_${what}`,
    detail: { blocked_by: renderIssueReference(site, blocker.repository, blocker.issue) },
  });
  record(site, blocker.issue, actor, {
    event: `blocking_${what}`,
    detail: { blocking: renderIssueReference(site, blocked.repository, blocked.issue) },
  });
  const event = 'issue_dependencies';
  const sender = actor.user;
  const both = {
    blocked_issue_id: blocked.issue.id,
    blocked_issue: renderIssue(site, blocked.repository, blocked.issue),
    blocking_issue_id: blocker.issue.id,
    blocking_issue: renderIssue(site, blocker.repository, blocker.issue),
  };
  announce(site, {
    event,
    action: `blocking_${what}`,
    repository: blocker.repository,
    sender,
    fields: { ...both, blocked_issue_repo: renderRepository(site, blocked.repository) },
  });
  return announce(site, {
    event,
    action: `blocked_by_${what}`,
    repository: blocked.repository,
    sender,
    fields: { ...both, blocking_issue_repo: renderRepository(site, blocker.repository) },
  });
}
