/** Who may do what in a repository, as GitHub's roles rank it. */
import type { Collaborator, Issue, Repository, Role, User } from './types.ts';

const RANK: readonly Role[] = ['none', 'read', 'triage', 'write', 'maintain', 'admin'];

/** A public repository is read by everybody; an account owns its own repositories. */
export function roleOf(repository: Repository, user: User): Collaborator {
  if (repository.owner === user) return { role: 'admin', roleName: 'admin' };
  const given = repository.collaborators.get(user.login.toLowerCase());
  if (given && given.role !== 'none') return given;
  const role = repository.private ? 'none' : 'read';
  return { role, roleName: role };
}

export function atLeast(role: Role, wanted: Role): boolean {
  return RANK.indexOf(role) >= RANK.indexOf(wanted);
}

export function isCollaborator(repository: Repository, user: User): boolean {
  const given = repository.collaborators.get(user.login.toLowerCase());
  return repository.owner === user || (given !== undefined && given.role !== 'none');
}

export function canTriage(repository: Repository, issue: Issue, user: User): boolean {
  return issue.author === user || atLeast(roleOf(repository, user).role, 'triage');
}

/** How GitHub labels an author's relation to a repository; it grants nothing. */
export function authorAssociation(repository: Repository, author: User): 'OWNER' | 'COLLABORATOR' | 'NONE' {
  if (repository.owner === author) return 'OWNER';
  return isCollaborator(repository, author) ? 'COLLABORATOR' : 'NONE';
}
