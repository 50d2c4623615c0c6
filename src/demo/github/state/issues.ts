/** Where issues and comments are, and how they are found: by id, by what blocks them, and by their last change. */
import type { Comment, Issue, Place, Repository } from './types.ts';
import type { World } from './world.ts';

export function placeIssue(world: World, { repository, issue }: Place): void {
  repository.issues.set(issue.number, issue);
  repository.recentIssues.touch(issue);
  world.issues.set(issue.id, { repository, issue });
}

export function removeIssue(world: World, { repository, issue }: Place): void {
  for (const comment of commentsOf(repository, issue.number)) removeComment(repository, comment);
  repository.issues.delete(issue.number);
  repository.recentIssues.drop(issue);
  world.issues.delete(issue.id);
}

/** It counts as updated at that time. */
export function touchIssue({ repository, issue }: Place, at: number): void {
  issue.updatedAt = at;
  repository.recentIssues.touch(issue);
}

export function findIssueById(world: World, id: number): Place | undefined {
  const found = world.issues.get(id);
  return found && world.repositories.has(found.repository.id) ? found : undefined;
}

export function placeComment(repository: Repository, comment: Comment): void {
  repository.comments.set(comment.id, comment);
  repository.recentComments.touch(comment);
  const thread = repository.threads.get(comment.issueNumber);
  if (thread) thread.push(comment);
  else repository.threads.set(comment.issueNumber, [comment]);
}

export function removeComment(repository: Repository, comment: Comment): void {
  repository.comments.delete(comment.id);
  repository.recentComments.drop(comment);
  const left = commentsOf(repository, comment.issueNumber).filter((other) => other !== comment);
  repository.threads.set(comment.issueNumber, left);
}

export function touchComment(repository: Repository, comment: Comment, at: number): void {
  comment.updatedAt = at;
  repository.recentComments.touch(comment);
}

/** Oldest first. */
export function commentsOf(repository: Repository, issueNumber: number): readonly Comment[] {
  return repository.threads.get(issueNumber) ?? [];
}

export function linkBlocker(world: World, blocked: Issue, blockerId: number): void {
  blocked.blockedBy.push(blockerId);
  const ids = world.blocking.get(blockerId) ?? new Set<number>();
  world.blocking.set(blockerId, ids.add(blocked.id));
}

export function unlinkBlocker(world: World, blocked: Issue, blockerId: number): void {
  blocked.blockedBy = blocked.blockedBy.filter((id) => id !== blockerId);
  world.blocking.get(blockerId)?.delete(blocked.id);
}

/** What is gone blocks nothing any more. */
export function blockersOf(world: World, issue: Issue): Place[] {
  return issue.blockedBy.flatMap((id) => findIssueById(world, id) ?? []);
}

export function blockedBy(world: World, issue: Issue): Place[] {
  return [...(world.blocking.get(issue.id) ?? [])].flatMap((id) => findIssueById(world, id) ?? []);
}
