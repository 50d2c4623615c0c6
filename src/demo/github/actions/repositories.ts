/** Accounts, repositories, their people and their files. */
import { createHash } from 'node:crypto';
import { renderRepository } from '../render/repository.ts';
import { isoSeconds, repositoryPage } from '../render/urls.ts';
import { renderUser } from '../render/user.ts';
import type { Site } from '../site.ts';
import { makeRecency } from '../state/recency.ts';
import type { Repository, Role, User } from '../state/types.ts';
import { findUser, type World } from '../state/world.ts';
import { announce } from '../webhooks/announce.ts';
import type { Delivery } from '../webhooks/hook.ts';

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
    head: sha1(`${owner.login}/${name}`),
    nextNumber: 1,
  };
  site.world.repositories.set(repository.id, repository);
  return repository;
}

export function setRole(repository: Repository, user: User, role: Role, roleName: string): void {
  repository.collaborators.set(user.login.toLowerCase(), { role, roleName });
}

/** One commit on the default branch: `text: null` removes the file. */
export function pushFile(
  site: Site,
  repository: Repository,
  sender: User,
  file: { path: string; text: string | Buffer | null },
): Delivery {
  const kind = file.text === null ? 'removed' : repository.files.has(file.path) ? 'modified' : 'added';
  if (file.text === null) repository.files.delete(file.path);
  else repository.files.set(file.path, Buffer.isBuffer(file.text) ? file.text : Buffer.from(file.text));
  const before = repository.head;
  repository.head = sha1(`${before} ${file.path} ${file.text}`);
  repository.pushedAt = site.now();
  return announce(site, {
    event: 'push',
    action: null,
    repository,
    sender,
    fields: renderPush(site, repository, sender, { before, path: file.path, kind }),
  });
}

interface Pushed {
  before: string;
  path: string;
  kind: 'added' | 'modified' | 'removed';
}

function renderPush(site: Site, repository: Repository, sender: User, { before, path, kind }: Pushed) {
  const person = { name: sender.login, email: `${sender.login}@users.noreply.example`, username: sender.login };
  const page = repositoryPage(site, repository);
  const commit = {
    id: repository.head,
    tree_id: sha1(`tree ${repository.head}`),
    distinct: true,
    message: `${kind === 'removed' ? 'Remove' : 'Write'} ${path}`,
    timestamp: isoSeconds(repository.pushedAt),
    url: `${page}/commit/${repository.head}`,
    author: person,
    committer: person,
    added: kind === 'added' ? [path] : [],
    modified: kind === 'modified' ? [path] : [],
    removed: kind === 'removed' ? [path] : [],
  };
  return {
    ref: `refs/heads/${repository.defaultBranch}`,
    before,
    after: repository.head,
    base_ref: null,
    created: false,
    deleted: false,
    forced: false,
    compare: `${page}/compare/${before.slice(0, 12)}...${repository.head.slice(0, 12)}`,
    commits: [commit],
    head_commit: commit,
    pusher: { name: sender.login, email: person.email },
    repository: renderPushedRepository(site, repository),
  };
}

/** This event alone gives some of the repository's times as epoch seconds. */
function renderPushedRepository(site: Site, repository: Repository) {
  const owner = renderUser(site, repository.owner);
  return {
    ...renderRepository(site, repository),
    owner: { ...owner, name: repository.owner.login, email: null },
    url: repositoryPage(site, repository),
    created_at: repository.createdAt / 1000,
    pushed_at: repository.pushedAt / 1000,
    stargazers: 0,
    master_branch: repository.defaultBranch,
  };
}

function sha1(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}
