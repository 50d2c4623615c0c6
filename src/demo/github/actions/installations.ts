/** The app's installations: made when an account's first repository gets the app, and what their owners do with them. */
import { renderRepositoryName } from '../render/repository.ts';
import type { Site } from '../site.ts';
import type { Installation, Permissions, Repository, User } from '../state/types.ts';
import { findInstallationOn, installedRepositories } from '../state/world.ts';
import { announceInstallation, announceRenamedAccount, nameRepositories } from '../webhooks/announce.ts';
import type { Delivery } from '../webhooks/hook.ts';
import { moveRepository } from './repository-life.ts';

export function ensureInstallation(site: Site, account: User): Installation {
  const existing = findInstallationOn(site.world, account);
  if (existing) return existing;
  const { permissions } = site.app;
  const installation = { id: site.world.takeId(), account, createdAt: site.now(), suspendedAt: null, permissions };
  site.world.installations.set(installation.id, installation);
  return installation;
}

export function announceInstalled(site: Site, installation: Installation, sender: User): Delivery {
  const repositories = nameRepositories(installedRepositories(site.world, installation));
  return tell(site, installation, sender, 'created', { repositories, requester: null });
}

/** Its tokens die with it. */
export function uninstall(site: Site, installation: Installation, sender: User): Delivery {
  const repositories = installedRepositories(site.world, installation);
  const delivery = tell(site, installation, sender, 'deleted', { repositories: nameRepositories(repositories) });
  for (const repository of repositories) repository.installed = false;
  for (const [token, issued] of site.tokens.issued) {
    if (issued.installationId === installation.id) site.tokens.issued.delete(token);
  }
  site.world.installations.delete(installation.id);
  return delivery;
}

export function suspend(site: Site, installation: Installation, sender: User): Delivery {
  installation.suspendedAt = site.now();
  return tell(site, installation, sender, 'suspend', {});
}

export function unsuspend(site: Site, installation: Installation, sender: User): Delivery {
  installation.suspendedAt = null;
  return tell(site, installation, sender, 'unsuspend', {});
}

/** The app asks for them from now on; only this account has granted them. */
export function acceptPermissions(
  site: Site,
  installation: Installation,
  sender: User,
  permissions: Permissions,
): Delivery {
  site.app.permissions = permissions;
  installation.permissions = permissions;
  return tell(site, installation, sender, 'new_permissions_accepted', {});
}

/** Its repositories keep answering under their old names, with redirects. */
export function renameAccount(site: Site, installation: Installation, sender: User, login: string): Delivery {
  const { account } = installation;
  const from = account.login;
  for (const repository of site.world.repositories.values()) {
    if (repository.owner === account) moveRepository(site, repository, {});
  }
  site.world.users.delete(from.toLowerCase());
  account.login = login;
  site.world.users.set(login.toLowerCase(), account);
  return announceRenamedAccount(site, installation, sender, from);
}

export function addToInstallation(site: Site, repository: Repository, sender: User): Delivery {
  repository.installed = true;
  return tellOfRepositories(site, repository, sender, 'added');
}

export function removeFromInstallation(site: Site, repository: Repository, sender: User): Delivery {
  const delivery = tellOfRepositories(site, repository, sender, 'removed');
  repository.installed = false;
  return delivery;
}

function tellOfRepositories(site: Site, repository: Repository, sender: User, action: 'added' | 'removed'): Delivery {
  const named = [renderRepositoryName(repository)];
  return announceInstallation(site, {
    event: 'installation_repositories',
    action,
    installation: ensureInstallation(site, repository.owner),
    sender,
    fields: {
      repository_selection: 'selected',
      repositories_added: action === 'added' ? named : [],
      repositories_removed: action === 'removed' ? named : [],
      requester: null,
    },
  });
}

function tell(
  site: Site,
  installation: Installation,
  sender: User,
  action: string,
  fields: Record<string, unknown>,
): Delivery {
  return announceInstallation(site, { event: 'installation', action, installation, sender, fields });
}
