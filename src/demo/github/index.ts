/**
 * A stand-in GitHub: stateful, over real HTTP, mounted as GitHub Enterprise Server is (`/api/v3`), with App authentication,
 * webhooks and troubles on demand. The demo and the tests run the app against it; it proves nothing about GitHub beyond
 * what it is checked against.
 */
import { ensureUser } from './actions/repositories.ts';
import { makeKeyPair } from './auth/keys.ts';
import { checkNothing, type Violation } from './check.ts';
import { makeFaultBook } from './faults.ts';
import type { Api } from './http/api.ts';
import { makeContentLimit } from './http/content-limit.ts';
import { makeMeter } from './http/rate-limit.ts';
import { type Listening, listen, type RequestLogEntry } from './http/server.ts';
import { makeSite, type SiteMaterials } from './make-site.ts';
import type { StandInOptions } from './options.ts';
import { makeInstallationHands } from './people/installation-hands.ts';
import { type HandsContext, makeIssueHands } from './people/issue-hands.ts';
import { makeRepositoryHands } from './people/repository-hands.ts';
import { makeSetUpHands } from './people/set-up-hands.ts';
import { makeRoutes } from './routes/index.ts';
import type { Site } from './site.ts';
import type { StandInGitHub } from './stand-in.ts';
import { commentsOf } from './state/issues.ts';
import { findRepository } from './state/world.ts';
import type { Message } from './webhooks/hook.ts';
import { ping } from './webhooks/ping.ts';

export type { Check, SeenAnswer, SeenRequest, SeenWebhook } from './check.ts';
export type { Fault } from './faults.ts';
export type { KeyPair, StandInOptions } from './options.ts';
export type { StandInGitHub } from './stand-in.ts';
export type { Delivery } from './webhooks/hook.ts';

/** Listens on 127.0.0.1; close it to free the port and to end what is on its way. */
export async function startStandInGitHub(options: StandInOptions = {}): Promise<StandInGitHub> {
  const check = options.check ?? checkNothing;
  const violations: Violation[] = [];
  const listening: { current?: Listening } = {};
  const materials = makeSite(options, options.keys ?? (await makeKeyPair()), {
    origin: () => listening.current?.origin ?? 'http://127.0.0.1',
    onMessage: ({ event, action, payload }: Message) => {
      const where = `webhook ${event}${action === null ? '' : `.${action}`}`;
      for (const problem of check.webhook({ event, action, payload })) violations.push({ where, problem });
    },
  });
  const { site } = materials;
  const meter = makeMeter(site.now);
  const api: Api = {
    site,
    route: makeRoutes(meter, site.edition),
    meter,
    countContent: makeContentLimit(site.exactly),
    faults: makeFaultBook(),
    check,
    violations,
  };
  const log: RequestLogEntry[] = [];
  listening.current = await listen(api, log, options.port ?? 0);
  return makeStandIn(materials, { api, log, listening: listening.current });
}

interface Running {
  api: Api;
  log: RequestLogEntry[];
  listening: Listening;
}

function makeStandIn(materials: SiteMaterials, { api, log, listening }: Running): StandInGitHub {
  const { site } = materials;
  const context = makeContext(site);
  const { emit: _emit, id: _id, end: _end, deliveries, ...webhooks } = site.hook;
  return {
    ...describe(materials, listening),
    ...makeSetUpHands(context, materials.account),
    issue: (repository, number) => makeIssueHands(context, repository, number),
    repository: (name) => makeRepositoryHands(context, name),
    installation: makeInstallationHands(context, materials.account),
    findIssue: (repository, number) => context.repository(repository).issues.get(number),
    comments: (repository, number) => commentsOf(context.repository(repository), number),
    now: () => new Date(site.now()),
    requests: () => log,
    deliveries,
    violations: () => api.violations,
    webhooks: { ...webhooks, ping: () => ping(site) },
    faults: { add: api.faults.add, clear: api.faults.clear },
    rateLimit: api.meter,
    close: async () => {
      api.faults.clear();
      await listening.close();
      const own = [...site.repositoryHooks.values()].flat().map(({ hook }) => hook);
      await Promise.all([site.hook, ...own].map((hook) => hook.end()));
    },
  };
}

function describe({ site, privateKey, webhookSecret, installation }: SiteMaterials, { origin }: Listening) {
  return {
    url: origin,
    host: new URL(origin).host,
    apiUrl: `${origin}/api/v3`,
    appId: site.app.id,
    appSlug: site.app.slug,
    privateKey,
    webhookSecret,
    installationId: installation.id,
  };
}

function makeContext(site: Site): HandsContext {
  return {
    site,
    user: (login) => ensureUser(site.world, login, login.endsWith('[bot]') ? 'Bot' : 'User', site.now()),
    organization: (login) => ensureUser(site.world, login, 'Organization', site.now()),
    repository: (name) => {
      const repository = findRepository(site.world, name);
      if (repository === undefined) throw new Error(`the stand-in GitHub has no repository ${name}`);
      return repository;
    },
  };
}
