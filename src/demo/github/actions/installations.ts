/** The app's installations: made when an account's first repository gets the app, and what their owners do with them. */
import { renderRepositoryName } from '../render/repository.ts';
import type { Site } from '../site.ts';
import type { Installation, Repository, User } from '../state/types.ts';
import { installedRepositories } from '../state/world.ts';
import { announceInstallation, nameRepositories } from '../webhooks/announce.ts';
import type { Delivery } from '../webhooks/hook.ts';

export function ensureInstallation(site: Site, account: User): Installation {
  const { installations } = site.world;
  const existing = [...installations.values()].find((installation) => installation.account === account);
  if (existing) return existing;
  const installation = { id: site.world.takeId(), account, createdAt: site.now(), suspendedAt: null };
  installations.set(installation.id, installation);
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
