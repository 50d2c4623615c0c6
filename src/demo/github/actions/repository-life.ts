/** What becomes of a repository as a whole: another name or owner, read-only or not, seen by everybody or by few, gone. */
import { renderOrganization, renderUser } from '../render/user.ts';
import type { Site } from '../site.ts';
import type { Repository, User } from '../state/types.ts';
import { findInstallationOn, forgetNames, fullName } from '../state/world.ts';
import { announce } from '../webhooks/announce.ts';
import type { Delivery } from '../webhooks/hook.ts';

/** The old name keeps answering, with a redirect, until another repository takes it. Tells nobody. */
export function moveRepository(site: Site, repository: Repository, to: { owner?: User; name?: string }): void {
  site.world.formerNames.set(fullName(repository).toLowerCase(), repository.id);
  repository.owner = to.owner ?? repository.owner;
  repository.name = to.name ?? repository.name;
}

export function renameRepository(site: Site, repository: Repository, sender: User, name: string): Delivery {
  const changes = { repository: { name: { from: repository.name } } };
  moveRepository(site, repository, { name });
  return tell(site, repository, sender, 'renamed', { changes });
}

/**
 * The app comes along only where the new account has it. Only that account is told:
 * https://docs.github.com/webhooks/webhook-events-and-payloads?actionType=transferred#repository
 */
export function transferRepository(site: Site, repository: Repository, sender: User, owner: User): Delivery {
  const from = repository.owner;
  moveRepository(site, repository, { owner });
  repository.installed &&= findInstallationOn(site.world, owner) !== undefined;
  const old =
    from.type === 'Organization' ? { organization: renderOrganization(site, from) } : { user: renderUser(site, from) };
  return tell(site, repository, sender, 'transferred', { changes: { owner: { from: old } } });
}

export function archiveRepository(site: Site, repository: Repository, sender: User, archived: boolean): Delivery {
  repository.archived = archived;
  return tell(site, repository, sender, archived ? 'archived' : 'unarchived');
}

export function hideRepository(site: Site, repository: Repository, sender: User, isPrivate: boolean): Delivery {
  repository.private = isPrivate;
  return tell(site, repository, sender, isPrivate ? 'privatized' : 'publicized');
}

/** From now on it is a 404, under its former names too. */
export function deleteRepository(site: Site, repository: Repository, sender: User): Delivery {
  const delivery = tell(site, repository, sender, 'deleted');
  dropRepository(site, repository);
  return delivery;
}

/** Tells nobody. */
export function dropRepository({ world }: Site, repository: Repository): void {
  world.repositories.delete(repository.id);
  forgetNames(world, repository);
}

function tell(
  site: Site,
  repository: Repository,
  sender: User,
  action: string,
  fields: Record<string, unknown> = {},
): Delivery {
  return announce(site, { event: 'repository', action, repository, sender, fields });
}
