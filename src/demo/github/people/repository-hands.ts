/** What the owner of a repository does in its settings. Each is told by the `repository` event of that name. */
import {
  archiveRepository,
  deleteRepository,
  hideRepository,
  renameRepository,
  transferRepository,
} from '../actions/repository-life.ts';
import type { Delivery } from '../webhooks/hook.ts';
import type { By, HandsContext } from './issue-hands.ts';

export interface RepositoryHands {
  /** The old name redirects. */
  rename: (name: string, how: By) => Delivery;
  /** To another account, an organization if it is new. Where that has no installation, the app loses it. The old name redirects. */
  transfer: (account: string, how: By) => Delivery;
  /** Refuses all writes. */
  archive: (how: By) => Delivery;
  unarchive: (how: By) => Delivery;
  privatize: (how: By) => Delivery;
  publicize: (how: By) => Delivery;
  delete: (how: By) => Delivery;
}

export function makeRepositoryHands(context: HandsContext, name: string): RepositoryHands {
  const { site, user, organization, repository } = context;
  return {
    rename: (to, { by }) => renameRepository(site, repository(name), user(by), to),
    transfer: (account, { by }) => transferRepository(site, repository(name), user(by), organization(account)),
    archive: ({ by }) => archiveRepository(site, repository(name), user(by), true),
    unarchive: ({ by }) => archiveRepository(site, repository(name), user(by), false),
    privatize: ({ by }) => hideRepository(site, repository(name), user(by), true),
    publicize: ({ by }) => hideRepository(site, repository(name), user(by), false),
    delete: ({ by }) => deleteRepository(site, repository(name), user(by)),
  };
}
