/** Makes the memory, the app and its first installation of one stand-in. */
import { randomBytes } from 'node:crypto';
import { ensureInstallation } from './actions/installations.ts';
import { ensureUser } from './actions/repositories.ts';
import { knownEvents } from './edition.ts';
import { DEFAULT_EVENTS, DEFAULT_PERMISSIONS, type KeyPair, type StandInOptions } from './options.ts';
import type { Site } from './site.ts';
import type { App, Installation, User } from './state/types.ts';
import { makeWorld, type World } from './state/world.ts';
import { type Message, makeHook } from './webhooks/hook.ts';

export interface SiteMaterials {
  site: Site;
  privateKey: string;
  webhookSecret: string;
  account: User;
  installation: Installation;
}

interface Surroundings {
  origin: () => string;
  onMessage: (message: Message) => void;
}

export function makeSite(options: StandInOptions, keys: KeyPair, { origin, onMessage }: Surroundings): SiteMaterials {
  const clock = options.now ?? (() => new Date());
  const exactly = () => clock().getTime();
  const now = () => Math.floor(exactly() / 1000) * 1000;
  const world = makeWorld();
  const account = ensureUser(world, options.account ?? 'acme', 'Organization', now());
  const webhookSecret = options.webhookSecret ?? randomBytes(20).toString('hex');
  const { appSlug: slug = 'standdown', permissions = DEFAULT_PERMISSIONS, edition = 'cloud' } = options;
  const events = knownEvents(edition, options.events ?? DEFAULT_EVENTS);
  const app = makeApp(world, { slug, owner: account, permissions, events, createdAt: now() });
  const { takeId } = world;
  const hook = makeHook({
    id: takeId(),
    target: { id: app.id, type: 'integration' },
    secret: webhookSecret,
    now,
    takeId,
    onMessage,
  });
  hook.to(options.webhookUrl ?? null);
  const site: Site = {
    edition,
    world,
    app,
    publicKey: keys.publicKey,
    apps: new Map([[slug, app]]),
    hook,
    repositoryHooks: new Map(),
    onMessage,
    tokens: { issued: new Map(), personal: new Map() },
    tokenLifetimeSeconds: options.tokenLifetimeSeconds ?? 3_600,
    now,
    exactly,
    origin,
  };
  const { privateKey } = keys;
  return { site, privateKey, webhookSecret, account, installation: ensureInstallation(site, account) };
}

export function makeApp(world: World, identity: Omit<App, 'id' | 'name' | 'clientId' | 'bot'>): App {
  return {
    ...identity,
    id: world.takeId(),
    name: identity.slug,
    clientId: `Iv1.${randomBytes(8).toString('hex')}`,
    bot: ensureUser(world, `${identity.slug}[bot]`, 'Bot', identity.createdAt),
  };
}
