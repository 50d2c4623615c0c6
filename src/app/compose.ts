/** The one place where objects are made and joined. `startApp` gives a running app; its `close` ends it in reverse order. */
import type { OperatorFile, RunnerSettings } from '../core/documents/index.ts';
import type { WritePace } from '../core/pace.ts';
import type { Deps } from '../engine/deps.ts';
import { type Engine, startEngine } from '../engine/engine.ts';
import { SCHEDULE_KEY } from '../engine/keys.ts';
import { makePolicyOf } from '../engine/policies.ts';
import type { Clock, Logger, OnEnqueued } from '../engine/ports.ts';
import { interpretDelivery } from '../github/index.ts';
import { makeWebhookReceiver } from '../github/webhooks.ts';
import { type HttpServer, makeWebApp, type ReceiveWebhook, serveHttp } from '../web/index.ts';
import { makeActions, makeInsights } from './actions.ts';
import { type Adapters, closeAdapters, openAdapters } from './adapters.ts';
import type { Config } from './config/index.ts';
import { askGitHub } from './github-health.ts';
import { makeHealth } from './health.ts';
import { makeNewId } from './new-id.ts';
import type { Settings } from './settings.ts';

export interface AppOptions {
  log: Logger;
  /** Default: the system's clock. */
  now?: Clock;
  env: Readonly<Record<string, string | undefined>>;
  /** The database failed in a way that a running process can't mend. */
  onFatal?: (error: Error) => void;
  /** How fast GitHub is written to; default: a write a second, 75 a minute, 480 an hour. */
  writePace?: Partial<WritePace>;
  /** How often runners are asked about all live runs; default 2. */
  runnerCheckSeconds?: number;
  /** How long what runs goes on once the App was taken from its repository, in ms; default 600,000. */
  goneGraceMs?: number;
  /** Sees and may wrap what was opened, before anything uses it. */
  wrap?: (adapters: Adapters) => Adapters;
}

export interface App {
  /** `http://host:port` as it listens. */
  url: string;
  deps: Deps;
  engine: Engine;
  /** Goes by this operator's file from now on. Gives the paths of what takes a restart. */
  reload(file: OperatorFile, notEnforced?: readonly string[]): Promise<readonly string[]>;
  /** Takes no new work, finishes what is in hand for at most `graceMs`, leaves runs alive. */
  close(graceMs?: number): Promise<void>;
}

const CLOSE_GRACE_MS = 10_000;
const STARTING = { result: 'unavailable', message: 'the app is still starting: try again' } as const;

export async function startApp(config: Config, options: AppOptions): Promise<App> {
  const { log, now = () => new Date(), onFatal = (error) => log.error({ err: error }, 'database failed') } = options;
  let engine: Engine | null = null;
  const onEnqueued: OnEnqueued = (what, dueAt) => engine?.wake(what, dueAt);
  const opened = await openAdapters(config, { log, now, env: options.env, onEnqueued, onFatal });
  const adapters = options.wrap?.(opened) ?? opened;
  const deps: Deps = {
    ...makeDeps(adapters, opened.settings, { log, now, credentials: config.credentials }),
    ...(options.goneGraceMs === undefined ? {} : { goneGraceMs: options.goneGraceMs }),
  };
  const closing = new AbortController();
  let server: HttpServer | null = null;
  let { notEnforced } = config;
  try {
    const health = makeHealth(deps, {
      engine: () => engine,
      githubState: opened.githubState,
      hasWebhooks: config.credentials.mode === 'app',
      accountOf: (name) => accountOf(config.operator.runners[name]),
      notEnforced: () => notEnforced,
      closing: closing.signal,
    });
    const app = makeWebApp({
      actions: makeActions(deps, {
        requestSweep: async () => engine?.requestSweep(),
        claim: async (taskId, claim) => engine?.claim(taskId, claim) ?? STARTING,
      }),
      reads: deps.store,
      insights: makeInsights(deps),
      clock: deps.clock,
      health,
      receiveWebhook: await makeReceiver(config, deps, () => engine?.wake('delivery')),
      apiToken: config.apiToken,
      log,
      closing: closing.signal,
    });
    // Deliveries are kept from here on; the engine looks at them once its first sweep is over.
    const listening = await serveHttp({ app, ...config.http });
    server = listening;
    askGitHub(deps.github, log);
    engine = await startEngine(deps, engineOptions(config, options));
    engine.wake();
    const url = `http://${listening.host}:${listening.port}`;
    log.info({ url, mode: config.credentials.mode }, 'listening');
    return {
      url,
      deps,
      engine,
      async reload(file, idle = []) {
        notEnforced = idle;
        const needRestart = opened.settings.replace(file);
        await deps.store.queue.enqueue([{ key: SCHEDULE_KEY, dueAt: deps.clock() }]);
        return needRestart;
      },
      async close(graceMs = CLOSE_GRACE_MS) {
        closing.abort();
        await Promise.all([listening.close(graceMs), withinMs(graceMs, engine?.stop())]);
        await closeAdapters(opened);
      },
    };
  } catch (error) {
    closing.abort();
    // A server that goes on listening would keep the process, and answer for an app that is not there.
    await server?.close(0);
    await closeAdapters(opened);
    throw error;
  }
}

function engineOptions(config: Config, { writePace, runnerCheckSeconds }: AppOptions) {
  return {
    sweepSeconds: config.sweepIntervalSeconds,
    owner: `app-${process.pid}-${Date.now().toString(36)}`,
    ...(writePace === undefined ? {} : { writePace }),
    ...(runnerCheckSeconds === undefined ? {} : { runnerCheckSeconds }),
  };
}

function makeDeps(
  { store, runners, github }: Adapters,
  settings: Settings,
  { log, now, credentials }: { log: Logger; now: Clock; credentials: Config['credentials'] },
): Deps {
  return {
    store,
    runners,
    github,
    interpret: interpretDelivery,
    policyOf: makePolicyOf(store, settings.permissionsFloor),
    trustedApps: settings.trustedApps,
    limits: settings.limits,
    retention: settings.retention,
    ...(credentials.mode === 'token' ? { configuredRepository: credentials.repository } : {}),
    clock: now,
    newId: makeNewId(now),
    log,
  };
}

/** undefined: it is no account of this machine. */
function accountOf(runner: RunnerSettings | undefined): string | null | undefined {
  return runner?.kind === 'process' ? runner.user : undefined;
}

/** null where no App could send webhooks. */
async function makeReceiver(config: Config, deps: Deps, wake: () => void): Promise<ReceiveWebhook | null> {
  const { credentials, githubApiUrl } = config;
  if (credentials.mode !== 'app') return null;
  const receiver = await makeWebhookReceiver({
    probot: {
      appId: credentials.appId,
      privateKey: credentials.privateKey,
      secret: credentials.webhookSecret,
      baseUrl: githubApiUrl,
      logLevel: 'error',
    },
    inbox: deps.store.inbox,
    now: deps.clock,
    log: deps.log,
  });
  return async (delivery) => {
    const { status, body } = await receiver.receive(delivery);
    // The answer first: GitHub waits for it.
    if (status === 202) setImmediate(wake);
    return { status, body: { message: body } };
  };
}

async function withinMs(ms: number, work: Promise<void> | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, deadline]).finally(() => clearTimeout(timer));
}
