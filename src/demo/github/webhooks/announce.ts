/** Turns a change into the webhook that tells of it: the payload as of now, to whom it concerns. */
import { renderInstallation } from '../render/app.ts';
import { renderRepository, renderRepositoryName } from '../render/repository.ts';
import { nodeId } from '../render/urls.ts';
import { renderOrganization, renderUser } from '../render/user.ts';
import { mayHear, type Site } from '../site.ts';
import type { Installation, Repository, User } from '../state/types.ts';
import { findInstallation } from '../state/world.ts';
import type { Delivery, Message } from './hook.ts';

export interface RepositoryChange {
  event: string;
  action: string | null;
  repository: Repository;
  sender: User;
  /** What this event carries beside repository, sender and installation. */
  fields: Record<string, unknown>;
}

/** The app's delivery is returned; each of the repository's own hooks sends one of its own, under another GUID. */
export function announce(site: Site, change: RepositoryChange): Delivery {
  const { event, action, repository, sender } = change;
  const installation = findInstallation(site.world, repository);
  const payload = {
    ...(action === null ? {} : { action }),
    repository: renderRepository(site, repository),
    ...(repository.owner.type === 'Organization' ? { organization: renderOrganization(site, repository.owner) } : {}),
    sender: renderUser(site, sender),
    ...change.fields,
  };
  const message = { event, action, payload, installationId: null, repositoryId: repository.id };
  for (const { events, hook } of site.repositoryHooks.get(repository.id) ?? []) {
    hook.emit(message, events.includes(event));
  }
  const active = installation !== undefined && installation.suspendedAt === null && mayHear(site, event);
  return site.hook.emit(installation === undefined ? message : toInstallation(message, installation), active);
}

function toInstallation(message: Message, { id }: Installation): Message {
  const installation = { id, node_id: nodeId('MDIz', id) };
  return { ...message, payload: { ...message.payload, installation }, installationId: id };
}

export interface InstallationChange {
  event: 'installation' | 'installation_repositories';
  action: string;
  installation: Installation;
  sender: User;
  fields: Record<string, unknown>;
}

/** Every app hears of its installations, subscribed or not. */
export function announceInstallation(site: Site, change: InstallationChange): Delivery {
  const { event, action, installation, sender } = change;
  const payload = {
    action,
    installation: renderInstallation(site, installation),
    sender: renderUser(site, sender),
    ...change.fields,
  };
  return site.hook.emit({ event, action, payload, installationId: installation.id, repositoryId: null }, true);
}

/** Unlike the others of its kind it names the installation by its id alone, and has to be subscribed to. */
export function announceRenamedAccount(site: Site, installation: Installation, sender: User, from: string): Delivery {
  const { id, account, suspendedAt } = installation;
  const event = 'installation_target';
  const payload = {
    action: 'renamed',
    account: renderUser(site, account),
    changes: { login: { from } },
    target_type: account.type,
    installation: { id, node_id: nodeId('MDIz', id) },
    ...(account.type === 'Organization' ? { organization: renderOrganization(site, account) } : {}),
    sender: renderUser(site, sender),
  };
  const active = suspendedAt === null && mayHear(site, event);
  return site.hook.emit({ event, action: 'renamed', payload, installationId: id, repositoryId: null }, active);
}

export function nameRepositories(repositories: readonly Repository[]) {
  return repositories.map(renderRepositoryName);
}
