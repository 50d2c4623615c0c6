/** What an account's owner does with the app: install it on repositories, take it away, suspend it. */
import {
  addToInstallation,
  announceInstalled,
  ensureInstallation,
  removeFromInstallation,
  suspend,
  uninstall,
  unsuspend,
} from '../actions/installations.ts';
import type { Installation } from '../state/types.ts';
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
  addRepository: (repository: string, how: By) => Delivery;
  removeRepository: (repository: string, how: By) => Delivery;
}

export function makeInstallationHands(context: HandsContext, firstAccount: string): InstallationHands {
  const { site, user, repository } = context;
  const installationOf = ({ account = firstAccount }: Of): Installation => ensureInstallation(site, user(account));
  return {
    install: (how) => {
      for (const name of how.repositories ?? []) repository(name).installed = true;
      return announceInstalled(site, installationOf(how), user(how.by));
    },
    uninstall: (how) => uninstall(site, installationOf(how), user(how.by)),
    suspend: (how) => suspend(site, installationOf(how), user(how.by)),
    unsuspend: (how) => unsuspend(site, installationOf(how), user(how.by)),
    addRepository: (name, { by }) => addToInstallation(site, repository(name), user(by)),
    removeRepository: (name, { by }) => removeFromInstallation(site, repository(name), user(by)),
  };
}
