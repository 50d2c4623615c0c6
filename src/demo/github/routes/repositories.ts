/** Repositories and their collaborators. */
import { noContent, notFound, ok, Refusal } from '../http/answer.ts';
import type { ApiRequest, Route } from '../http/router.ts';
import { renderFullRepository } from '../render/repository.ts';
import { renderUser } from '../render/user.ts';
import type { Site } from '../site.ts';
import { atLeast, isCollaborator, roleOf } from '../state/roles.ts';
import type { Repository, Role, User } from '../state/types.ts';
import { findUser } from '../state/world.ts';
import { visibleRepository } from './lookup.ts';

export const repositoryRoutes: readonly Route[] = [
  {
    method: 'GET',
    operation: '/repos/{owner}/{repo}',
    as: 'token',
    permission: ['metadata', 'read'],
    handle: readRepository,
  },
  {
    method: 'GET',
    operation: '/repos/{owner}/{repo}/collaborators/{username}',
    as: 'token',
    permission: ['metadata', 'read'],
    handle: readCollaborator,
  },
  {
    method: 'GET',
    operation: '/repos/{owner}/{repo}/collaborators/{username}/permission',
    as: 'token',
    permission: ['metadata', 'read'],
    handle: readPermission,
  },
];

function readRepository(site: Site, request: ApiRequest) {
  return ok(renderFullRepository(site, visibleRepository(site, request)));
}

function readCollaborator(site: Site, request: ApiRequest) {
  const repository = visibleRepository(site, request);
  const user = findUser(site.world, request.params.username ?? '');
  if (user === undefined || !isCollaborator(repository, user)) throw notFound();
  return noContent();
}

/** Bots and unknown logins are no users to this endpoint; the role `none` is an answer, not a 404. */
function readPermission(site: Site, request: ApiRequest) {
  const repository = visibleRepository(site, request);
  const login = request.params.username ?? '';
  const user = findUser(site.world, login);
  if (user === undefined || user.type !== 'User') throw new Refusal(404, `${login} is not a user`);
  const { caller } = request;
  if (caller.kind === 'user' && caller.user !== user && !atLeast(roleOf(repository, caller.user).role, 'write')) {
    throw new Refusal(403, 'Must have push access to view collaborator permission.');
  }
  return ok(renderPermission(site, repository, user));
}

function renderPermission(site: Site, repository: Repository, user: User) {
  const { role, roleName } = roleOf(repository, user);
  const may = (wanted: Role) => atLeast(role, wanted);
  const permissions = {
    admin: may('admin'),
    maintain: may('maintain'),
    push: may('write'),
    triage: may('triage'),
    pull: may('read'),
  };
  return {
    permission: legacyPermission(role),
    role_name: roleName,
    user: { ...renderUser(site, user), permissions, role_name: roleName },
  };
}

/** The four names that existed before roles: maintain counts as write, triage as read. */
function legacyPermission(role: Role): string {
  if (role === 'maintain') return 'write';
  return role === 'triage' ? 'read' : role;
}
