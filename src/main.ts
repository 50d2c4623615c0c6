/** The app as a process: configuration in, exit code out. Without credentials it shows the set-up page instead. */
import { readFileSync } from 'node:fs';
import { type App, startApp } from './app/compose.ts';
import { type Config, ConfigError, readConfig, readOperatorFile, secretsOf } from './app/config/index.ts';
import { untilSignalled } from './app/lifecycle.ts';
import { makeLogger } from './app/log.ts';
import { explainedFailure } from './app/start-failure.ts';
import { StartRefused } from './engine/ports.ts';
import { serveSetup } from './github/setup.ts';
import { startWebhookProxy } from './github/webhook-proxy.ts';
import { migrate } from './store/index.ts';
import { WEBHOOK_PATH } from './web/index.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Throws `ConfigError` before anything is opened, and `StartRefused` where it can't start for a reason that was foreseen. */
export async function serve(env: Env): Promise<number> {
  const config = readConfig(env, readTextFile);
  const log = makeLogger(config.log, secretsOf(config));
  for (const warning of config.warnings) log.warn({ warning }, 'configuration');
  const failure: { report: (error: Error) => void } = { report: () => process.exit(1) };
  const starting = config.credentials.mode === 'setup' ? startSetup(config, log) : startReal(config, log, env, failure);
  const lifecycle = untilSignalled(starting, log);
  failure.report = lifecycle.fail;
  try {
    await starting;
  } catch (error) {
    const failed = explainedFailure(error as Error, config);
    if (failed instanceof StartRefused) throw failed;
    log.error({ err: failed }, 'not started');
    return 1;
  }
  return lifecycle.done;
}

type Log = ReturnType<typeof makeLogger>;

async function startReal(config: Config, log: Log, env: Env, failure: { report(error: Error): void }): Promise<App> {
  const starting = startApp(config, { log, env, onFatal: (error) => failure.report(error) });
  // Before it listens: without a listener the signal would end the process.
  process.on('SIGHUP', () => void reload(starting, env, log));
  const app = await starting;
  adviseOnToken(config, log);
  adviseOnRunners(config, log);
  const { credentials } = config;
  if (credentials.mode !== 'app' || credentials.webhookProxyUrl === null) return app;
  const target = `${app.url}${WEBHOOK_PATH}`;
  const source = credentials.webhookProxyUrl;
  const proxy = await startWebhookProxy({ source, target, log }).catch(async (error: unknown) => {
    await app.close();
    throw error;
  });
  return { ...app, close: (graceMs) => proxy.close().then(() => app.close(graceMs)) };
}

/** A wrong file changes nothing: the last good one stays. */
async function reload(starting: Promise<App>, env: Env, log: Log): Promise<void> {
  try {
    const { file, notEnforced, warnings } = readOperatorFile(env, readTextFile);
    for (const warning of warnings) log.warn({ warning }, 'configuration');
    const app = await starting;
    log.info({ need_restart: await app.reload(file, notEnforced) }, "operator's file read again");
  } catch (error) {
    const problems = error instanceof ConfigError ? error.problems : [{ key: '', message: (error as Error).message }];
    log.error({ problems }, "operator's file is wrong: the last good one stays in force");
  }
}

function adviseOnToken({ apiToken }: Config, log: Log): void {
  if (apiToken !== null) return;
  const how = 'set STANDDOWN_API_TOKEN, e.g. to the output of: openssl rand -hex 32';
  log.warn({ how }, 'REST writes are off, and reads answer this machine only: no API token is set');
}

function adviseOnRunners({ operator }: Config, log: Log): void {
  if (Object.keys(operator.runners).length > 0) return;
  const how = "name one in the operator's file: standdown.yml here, or where STANDDOWN_CONFIG points";
  log.warn({ how }, 'nothing can be started: no runner is configured');
}

async function startSetup(config: Config, log: Log): Promise<{ close(): Promise<void> }> {
  const hookUrl = process.env.WEBHOOK_PROXY_URL ?? `${config.url}${WEBHOOK_PATH}`;
  const setup = await serveSetup({
    host: config.http.host,
    port: config.http.port,
    hookUrl,
    log,
    onRegistered: () => log.info({ file: '.env' }, 'registered: the credentials are stored; start the app again'),
  });
  log.warn({ url: setup.url, hook_url: hookUrl }, 'no credentials: open this page to register the App');
  return setup;
}

/** Brings the database to this version and gives the names of the migrations that were applied. */
export async function runMigrate(env: Env): Promise<readonly string[]> {
  const config = readConfig(env, readTextFile);
  try {
    return await migrate(config.databaseUrl);
  } catch (error) {
    throw explainedFailure(error as Error, config);
  }
}

/** null: there is no such file. */
function readTextFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
