/** The stand-in's memory and how things are found in it. It knows nothing of HTTP, rendering or webhooks. */
import type { Installation, Issue, Repository, User } from './types.ts';

export interface World {
  /** By lower-case login. */
  users: Map<string, User>;
  repositories: Map<number, Repository>;
  /** Former `owner/name`s, in lower case, and the repository that bore them. */
  formerNames: Map<string, number>;
  installations: Map<number, Installation>;
  takeId: () => number;
}

export function makeWorld(): World {
  let last = 41_000;
  return {
    users: new Map(),
    repositories: new Map(),
    formerNames: new Map(),
    installations: new Map(),
    takeId: () => {
      last += 1;
      return last;
    },
  };
}

export function fullName(repository: Repository): string {
  return `${repository.owner.login}/${repository.name}`;
}

/** GitHub compares logins and names without regard to case. */
export function findUser(world: World, login: string): User | undefined {
  return world.users.get(login.toLowerCase());
}

export function findRepository(world: World, name: string): Repository | undefined {
  const wanted = name.toLowerCase();
  return [...world.repositories.values()].find((repository) => fullName(repository).toLowerCase() === wanted);
}

interface FoundIssue {
  repository: Repository;
  issue: Issue;
}

/** Where issues were seen last, by their ids: none is looked for twice in a large world. */
const seen = new WeakMap<World, Map<number, FoundIssue>>();

export function findIssueById(world: World, id: number): FoundIssue | undefined {
  const index = seen.get(world) ?? new Map<number, FoundIssue>();
  seen.set(world, index);
  if (!isThere(world, index.get(id), id)) {
    for (const repository of world.repositories.values()) {
      for (const issue of repository.issues.values()) index.set(issue.id, { repository, issue });
    }
  }
  const found = index.get(id);
  return isThere(world, found, id) ? found : undefined;
}

function isThere(world: World, found: FoundIssue | undefined, id: number): found is FoundIssue {
  if (found === undefined || !world.repositories.has(found.repository.id)) return false;
  return found.repository.issues.get(found.issue.number)?.id === id;
}

export function findInstallation(world: World, repository: Repository): Installation | undefined {
  if (!repository.installed) return undefined;
  return [...world.installations.values()].find((installation) => installation.account === repository.owner);
}

export function installedRepositories(world: World, installation: Installation): Repository[] {
  return [...world.repositories.values()].filter(
    (repository) => repository.installed && repository.owner === installation.account,
  );
}

export function commentsOf(repository: Repository, issueNumber: number) {
  return [...repository.comments.values()].filter((comment) => comment.issueNumber === issueNumber);
}
