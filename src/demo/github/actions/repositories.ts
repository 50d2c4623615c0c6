/** Accounts, repositories and their people. */
import type { Site } from '../site.ts';
import { addCommit } from '../state/commits.ts';
import { makeRecency } from '../state/recency.ts';
import type { Repository, Role, User } from '../state/types.ts';
import { findUser, type World } from '../state/world.ts';

/** `now` in epoch milliseconds. An account that exists is kept as it is. */
export function ensureUser(world: World, login: string, type: User['type'], now: number): User {
  const existing = findUser(world, login);
  if (existing) return existing;
  const user: User = { id: world.takeId(), login, type, createdAt: now };
  world.users.set(login.toLowerCase(), user);
  return user;
}

export function createRepository(site: Site, owner: User, name: string, isPrivate: boolean): Repository {
  const repository: Repository = {
    id: site.world.takeId(),
    owner,
    name,
    private: isPrivate,
    archived: false,
    defaultBranch: 'main',
    installed: false,
    createdAt: site.now(),
    pushedAt: site.now(),
    collaborators: new Map(),
    issues: new Map(),
    gone: new Map(),
    comments: new Map(),
    threads: new Map(),
    recentIssues: makeRecency(),
    recentComments: makeRecency(),
    files: new Map(),
    commits: new Map(),
    head: '',
    branches: new Map(),
    nextNumber: 1,
  };
  const first = { parent: null, message: 'Begin', author: owner, at: site.now() };
  repository.head = addCommit(repository, `${owner.login}/${name}`, first).sha;
  site.world.repositories.set(repository.id, repository);
  return repository;
}

export function setRole(repository: Repository, user: User, role: Role, roleName: string): void {
  repository.collaborators.set(user.login.toLowerCase(), { role, roleName });
}
