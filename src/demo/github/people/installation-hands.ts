/** What an account's owner does with the app: install it on repositories, take it away, suspend it. */
import {
  acceptPermissions,
  addToInstallation,
  announceInstalled,
  ensureInstallation,
  removeFromInstallation,
  renameAccount,
  suspend,
  uninstall,
  unsuspend,
} from '../actions/installations.ts';
import type { Installation, Permissions, User } from '../state/types.ts';
import type { Delivery } from '../webhooks/hook.ts';
import type { By, HandsContext } from './issue-hands.ts';

type Of = By & {
  /** Default: the first account. */
  account?: string;
};

export interface InstallationHands {
  /** Sends `installation.created`; after an uninstall it is another installation, of the repositories that are named. */
  install: (how: Of & { repositories?: readonly string[] }) => Delivery;
  /** Its tokens stop working at once. */
  uninstall: (how: Of) => Delivery;
  suspend: (how: Of) => Delivery;
  unsuspend: (how: Of) => Delivery;
  /** From now on the app asks for these, and the account grants them. */
  acceptPermissions: (how: Of & { permissions: Permissions }) => Delivery;
  /** The account itself gets another login. */
  renameAccount: (login: string, how: Of) => Delivery;
  addRepository: (repository: string, how: By) => Delivery;
  removeRepository: (repository: string, how: By) => Delivery;
}

export function makeInstallationHands(context: HandsContext, firstAccount: User): InstallationHands {
  const { site, user, organization, repository } = context;
  const installationOf = ({ account }: Of): Installation =>
    ensureInstallation(site, account === undefined ? firstAccount : organization(account));
  return {
    install: (how) => {
      for (const name of how.repositories ?? []) repository(name).installed = true;
      return announceInstalled(site, installationOf(how), user(how.by));
    },
    uninstall: (how) => uninstall(site, installationOf(how), user(how.by)),
    suspend: (how) => suspend(site, installationOf(how), user(how.by)),
    unsuspend: (how) => unsuspend(site, installationOf(how), user(how.by)),
    acceptPermissions: (how) => acceptPermissions(site, installationOf(how), user(how.by), how.permissions),
    renameAccount: (login, how) => renameAccount(site, installationOf(how), user(how.by), login),
    addRepository: (name, { by }) => addToInstallation(site, repository(name), user(by)),
    removeRepository: (name, { by }) => removeFromInstallation(site, repository(name), user(by)),
  };
}
