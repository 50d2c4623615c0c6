/** Everything that one running stand-in consists of, handed to routes, actions and renderers. */
import type { Edition } from './edition.ts';
import type { Access, App, Permissions, User } from './state/types.ts';
import type { World } from './state/world.ts';
import type { Hook, Message } from './webhooks/hook.ts';

export interface IssuedToken {
  installationId: number;
  expiresAt: number;
  permissions: Permissions;
  /** null: every repository of the installation. */
  repositoryIds: readonly number[] | null;
}

interface Tokens {
  issued: Map<string, IssuedToken>;
  personal: Map<string, User>;
}

export interface RepositoryHook {
  events: readonly string[];
  hook: Hook;
}

export interface Site {
  edition: Edition;
  world: World;
  /** The app under test. */
  app: App;
  publicKey: string;
  /** By slug, others among them. */
  apps: Map<string, App>;
  hook: Hook;
  /** By repository id: hooks that its people made, beside the app's. */
  repositoryHooks: Map<number, RepositoryHook[]>;
  /** Sees every message that a hook would carry. */
  onMessage: (message: Message) => void;
  tokens: Tokens;
  tokenLifetimeSeconds: number;
  /** The present, in whole seconds, as epoch milliseconds. */
  now: () => number;
  /** The same, but as exact as the clock is. */
  exactly: () => number;
  /** `http://127.0.0.1:PORT`, where pages would be; the API lies below `/api/v3`. */
  origin: () => string;
}

export type Caller =
  | { kind: 'app' }
  | { kind: 'installation'; token: IssuedToken; user: User }
  | { kind: 'user'; user: User };

/** An event comes only to an app that may read what it tells. */
const NEEDED_TO_HEAR: Readonly<Record<string, string>> = {
  issues: 'issues',
  issue_comment: 'issues',
  issue_dependencies: 'issues',
  push: 'contents',
};

export function mayHear({ app }: Site, event: string): boolean {
  const needed = NEEDED_TO_HEAR[event];
  return app.events.includes(event) && (needed === undefined || mayUse(app.permissions, needed, 'read'));
}

export function mayUse(permissions: Permissions, name: string, access: Access): boolean {
  const granted = permissions[name];
  return granted === 'write' || granted === access;
}
