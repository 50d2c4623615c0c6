/** What a stand-in can be told when it starts; everything has a default. */
import type { Check } from './check.ts';
import type { Edition } from './edition.ts';
import type { Permissions } from './state/types.ts';

export interface KeyPair {
  publicKey: string;
  privateKey: string;
}

export interface StandInOptions {
  /** Default `cloud`: github.com's features and limits. */
  edition?: Edition;
  /** GitHub's clock; it is floored to whole seconds. Default: this machine's. */
  now?: () => Date;
  /** Holds everything that is asked, answered and sent against a description. Default: nothing is checked. */
  check?: Check;
  /** Default 0: a free one. */
  port?: number;
  /** The organisation that the app is installed on from the beginning. Default `acme`. */
  account?: string;
  /** Default `standdown`; its comments are by `standdown[bot]`. */
  appSlug?: string;
  /** What the app may do. Default: write issues, read contents and metadata. */
  permissions?: Permissions;
  /** What the app is subscribed to. Default: `issues`, `issue_dependencies`, `issue_comment`, `push`, `repository`. */
  events?: readonly string[];
  /** Where webhooks go. Default: nowhere, until `webhooks.to(url)`. */
  webhookUrl?: string;
  webhookSecret?: string;
  /** The app's keys (PEM). Default: a pair of its own; making one takes about 0.1 s. */
  keys?: KeyPair;
  /** Lifetime of installation tokens. Default 3,600. */
  tokenLifetimeSeconds?: number;
}

export const DEFAULT_PERMISSIONS: Permissions = { contents: 'read', issues: 'write', metadata: 'read' };
export const DEFAULT_EVENTS: readonly string[] = [
  'issues',
  'issue_dependencies',
  'issue_comment',
  'push',
  'repository',
];
