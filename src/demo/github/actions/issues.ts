/** What happens to issues, whoever does it: the state changes, and the webhook tells. Authority is checked elsewhere. */
import { renderIssue, renderLabel, renderListedIssue } from '../render/issue.ts';
import { renderRepository } from '../render/repository.ts';
import type { Site } from '../site.ts';
import { commentsOf, linkBlocker, placeComment, placeIssue, removeIssue, touchIssue } from '../state/issues.ts';
import type { App, CloseReason, Issue, IssueEvent, LockReason, Place, Repository, User } from '../state/types.ts';
import { announce } from '../webhooks/announce.ts';
import type { Delivery } from '../webhooks/hook.ts';

export interface Actor {
  user: User;
  via: App | null;
}

export interface NewIssue {
  title: string;
  body?: string | null;
  labels?: readonly string[];
  isPullRequest?: boolean;
  /** Default: the next free number. */
  number?: number;
}

export function openIssue(
  site: Site,
  repository: Repository,
  actor: Actor,
  wanted: NewIssue,
): Place & { delivery: Delivery } {
  const place = placeNewIssue(site, repository, actor, wanted);
  return { ...place, delivery: tell(site, place, actor, 'opened') };
}

/** Tells nobody. */
export function placeNewIssue(site: Site, repository: Repository, actor: Actor, wanted: NewIssue): Place {
  const number = wanted.number ?? repository.nextNumber;
  if (repository.issues.has(number) || repository.gone.has(number)) throw new Error(`#${number} is taken`);
  repository.nextNumber = Math.max(repository.nextNumber, number + 1);
  const issue = makeIssue(site, { ...wanted, repositoryId: repository.id, number, actor });
  placeIssue(site.world, { repository, issue });
  return { repository, issue };
}

function makeIssue(site: Site, wanted: NewIssue & { repositoryId: number; number: number; actor: Actor }): Issue {
  return {
    id: site.world.takeId(),
    repositoryId: wanted.repositoryId,
    number: wanted.number,
    title: wanted.title,
    body: wanted.body ?? null,
    author: wanted.actor.user,
    edited: null,
    via: wanted.actor.via,
    state: 'open',
    stateReason: null,
    closedAt: null,
    closedBy: null,
    createdAt: site.now(),
    updatedAt: site.now(),
    locked: false,
    lockReason: null,
    isPullRequest: wanted.isPullRequest ?? false,
    labels: [...(wanted.labels ?? [])],
    blockedBy: [],
    events: [],
  };
}

/** `reason: null` closes without one, as old clients and commits do. A closed issue closed again only changes its reason. */
export function closeIssue(site: Site, place: Place, actor: Actor, reason: CloseReason | null): Delivery {
  const { issue } = place;
  if (issue.state === 'open') {
    issue.closedAt = site.now();
    issue.closedBy = actor.user;
  }
  issue.state = 'closed';
  issue.stateReason = reason;
  note(site, place, actor, 'closed', { state_reason: reason });
  return tell(site, place, actor, 'closed');
}

export function reopenIssue(site: Site, place: Place, actor: Actor): Delivery {
  const { issue } = place;
  issue.state = 'open';
  issue.stateReason = 'reopened';
  issue.closedAt = null;
  issue.closedBy = null;
  note(site, place, actor, 'reopened', { state_reason: null });
  return tell(site, place, actor, 'reopened');
}

export function editIssue(
  site: Site,
  place: Place,
  actor: Actor,
  text: { title?: string; body?: string | null },
): Delivery {
  const { issue } = place;
  const changes: Record<string, { from: string }> = {};
  if (text.title !== undefined && text.title !== issue.title) {
    changes.title = { from: issue.title };
    note(site, place, actor, 'renamed', { rename: { from: issue.title, to: text.title } });
    issue.title = text.title;
  }
  if (text.body !== undefined && text.body !== issue.body) {
    changes.body = { from: issue.body ?? '' };
    issue.body = text.body;
    issue.edited = { by: actor.user, at: site.now() };
  }
  touchIssue(place, site.now());
  return tell(site, place, actor, 'edited', { changes });
}

export function lockIssue(site: Site, place: Place, actor: Actor, reason: LockReason | null): Delivery {
  place.issue.locked = true;
  place.issue.lockReason = reason;
  note(site, place, actor, 'locked', { lock_reason: reason });
  return tell(site, place, actor, 'locked');
}

export function unlockIssue(site: Site, place: Place, actor: Actor): Delivery {
  place.issue.locked = false;
  place.issue.lockReason = null;
  note(site, place, actor, 'unlocked', { lock_reason: null });
  return tell(site, place, actor, 'unlocked');
}

export function labelIssue(site: Site, place: Place, actor: Actor, name: string): Delivery {
  place.issue.labels.push(name);
  return tellOfLabel(site, place, actor, 'labeled', name);
}

export function unlabelIssue(site: Site, place: Place, actor: Actor, name: string): Delivery {
  place.issue.labels = place.issue.labels.filter((label) => label !== name);
  return tellOfLabel(site, place, actor, 'unlabeled', name);
}

function tellOfLabel(site: Site, place: Place, actor: Actor, action: 'labeled' | 'unlabeled', name: string): Delivery {
  note(site, place, actor, action, { label: { name, color: 'ededed' } });
  return tell(site, place, actor, action, { label: renderLabel(site, place.repository, name) });
}

/**
 * Closes and locks it, which is all that the issue itself shows; only its events tell why. Which reason it is closed with is
 * documented nowhere: here without one. Returns what is told of the close.
 * https://github.com/dessant/lock-threads/issues/24, https://github.com/github/docs/issues/20908
 */
export function convertIssue(site: Site, place: Place, actor: Actor): Delivery {
  note(site, place, actor, 'converted_to_discussion', {});
  const delivery = closeIssue(site, place, actor, null);
  lockIssue(site, place, actor, null);
  return delivery;
}

/** The payload shows the issue as it last was; from now on GitHub answers 410. */
export function deleteIssue(site: Site, { repository, issue }: Place, actor: Actor): Delivery {
  const delivery = tell(site, { repository, issue }, actor, 'deleted');
  removeIssue(site.world, { repository, issue });
  repository.gone.set(issue.number, { kind: 'deleted' });
  return delivery;
}

/** The issue gets a new id and number over there, and its comments go with it; the old place answers 301. */
export function transferIssue(site: Site, place: Place, actor: Actor, to: Repository): Place & { delivery: Delivery } {
  const { repository, issue } = place;
  const moved = placeMoved(site, place, to);
  note(site, moved, actor, 'transferred', {});
  repository.gone.set(issue.number, { kind: 'transferred', repositoryId: to.id, number: moved.issue.number });
  const changes = { new_issue: renderIssue(site, to, moved.issue), new_repository: renderRepository(site, to) };
  const delivery = tell(site, place, actor, 'transferred', { changes });
  const origin = {
    old_issue: renderIssue(site, repository, issue),
    old_repository: renderRepository(site, repository),
  };
  tell(site, moved, actor, 'opened', { changes: origin });
  for (const comment of commentsOf(repository, issue.number)) {
    placeComment(to, { ...comment, issueNumber: moved.issue.number });
  }
  removeIssue(site.world, place);
  return { ...moved, delivery };
}

function placeMoved(site: Site, { issue }: Place, to: Repository): Place {
  const place = {
    repository: to,
    issue: { ...issue, id: site.world.takeId(), repositoryId: to.id, number: to.nextNumber, blockedBy: [] },
  };
  to.nextNumber += 1;
  placeIssue(site.world, place);
  for (const id of issue.blockedBy) linkBlocker(site.world, place.issue, id);
  return place;
}

function note(site: Site, place: Place, actor: Actor, event: IssueEvent['event'], detail: IssueEvent['detail']): void {
  touchIssue(place, site.now());
  record(site, place.issue, actor, { event, detail });
}

/** Writes down what happened without a new version of the issue. */
export function record(
  site: Site,
  issue: Issue,
  actor: Actor,
  { event, detail }: Pick<IssueEvent, 'event' | 'detail'>,
): void {
  issue.events.push({
    id: site.world.takeId(),
    event,
    actor: actor.user,
    createdAt: site.now(),
    via: actor.via,
    detail,
  });
}

/** A pull request's own events are `pull_request`, which nobody here is subscribed to. */
function tell(site: Site, place: Place, actor: Actor, action: string, fields: Record<string, unknown> = {}): Delivery {
  const { repository, issue } = place;
  return announce(site, {
    event: issue.isPullRequest ? 'pull_request' : 'issues',
    action,
    repository,
    sender: actor.user,
    fields: { issue: renderListedIssue(site, repository, issue), ...fields },
  });
}
