/** The stand-in's memory and how things are found in it. It knows nothing of HTTP, rendering or webhooks. */
import type { Installation, Place, Repository, User } from './types.ts';

export interface World {
  /** By lower-case login. */
  users: Map<string, User>;
  repositories: Map<number, Repository>;
  /** By id, wherever they are; those of deleted repositories stay. */
  issues: Map<number, Place>;
  /** Ids of the issues that an issue blocks, by its own. */
  blocking: Map<number, Set<number>>;
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
    issues: new Map(),
    blocking: new Map(),
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

export function forgetNames({ formerNames }: World, { id }: Repository): void {
  for (const [name, named] of formerNames) if (named === id) formerNames.delete(name);
}

export function findInstallation(world: World, repository: Repository): Installation | undefined {
  return repository.installed ? findInstallationOn(world, repository.owner) : undefined;
}

export function findInstallationOn(world: World, account: User): Installation | undefined {
  return [...world.installations.values()].find((installation) => installation.account === account);
}

export function installedRepositories(world: World, installation: Installation): Repository[] {
  return [...world.repositories.values()].filter(
    (repository) => repository.installed && repository.owner === installation.account,
  );
}
