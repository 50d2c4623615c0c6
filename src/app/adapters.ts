/** Opens what the engine needs of the world, as the configuration says: database, runners, GitHub. */
import type { AgentRunner, ProcessRunner, RunnerSettings } from '../core/documents/index.ts';
import type {
  Clock,
  CommandReader,
  GitHubReader,
  GitHubWriter,
  JobControl,
  Logger,
  OnEnqueued,
  Runners,
  Store,
} from '../engine/ports.ts';
import { rememberedSilence } from '../engine/silence-memory.ts';
import { makeGitHub } from '../github/index.ts';
import { openAgentRunner } from '../runners/agent/index.ts';
import { openAttendedRunner } from '../runners/process/attended/control.ts';
import { placeOfSelf } from '../runners/process/attended/sight.ts';
import { lockDataDirectory, openProcessRunner } from '../runners/process/index.ts';
import { openStore } from '../store/index.ts';
import type { Config } from './config/index.ts';
import { type GitHubState, watchGitHub } from './github-health.ts';
import { makeSettings, type Settings } from './settings.ts';

export interface Adapters {
  store: Store;
  runners: Runners & { all(): readonly JobControl[] };
  /** null before the App is registered. */
  github: (GitHubReader & CommandReader & GitHubWriter) | null;
}

export interface Opened extends Adapters {
  settings: Settings;
  githubState(): GitHubState;
  /** Lets go of the data directory. */
  unlock(): void;
}

export interface OpenOptions {
  log: Logger;
  now: Clock;
  /** Where runners take what `pass_env` names, and `PATH`, `HOME`, locale. */
  env: Readonly<Record<string, string | undefined>>;
  onEnqueued: OnEnqueued;
  /** The database can't be trusted any more: the process has to end. */
  onFatal: (error: Error) => void;
}

/** What was opened before a failure is closed again. */
export async function openAdapters(config: Config, options: OpenOptions): Promise<Opened> {
  const { log, now, onEnqueued, onFatal } = options;
  const store = await openStore({ databaseUrl: config.databaseUrl, now, log, onEnqueued, onFatal });
  const opened = new Map<string, JobControl>();
  let unlock = () => {};
  try {
    await store.ownRunners(Object.keys(config.operator.runners));
    // Without runs of its own it has nothing there.
    const hasProcesses = Object.values(config.operator.runners).some(({ kind }) => kind === 'process');
    if (hasProcesses) unlock = await lockDataDirectory(config.dataDir, options.env);
    for (const [name, runner] of Object.entries(config.operator.runners)) {
      opened.set(name, await openRunner(name, runner, { config, options, store }));
    }
    const attended = openAttendedRunner({ store, here: placeOfSelf(), now });
    const settings = makeSettings(config.operator, opened, attended);
    return { settings, store, runners: settings.runners, unlock, ...openGitHub(config, now) };
  } catch (error) {
    await Promise.all([...opened.values()].map((runner) => runner.close()));
    unlock();
    await store.close();
    throw error;
  }
}

interface Around {
  config: Config;
  options: OpenOptions;
  store: Pick<Store, 'cursor'>;
}

function openRunner(name: string, settings: RunnerSettings, around: Around): Promise<JobControl> {
  return settings.kind === 'agent' ? openAgent(name, settings, around) : openProcesses(name, settings, around);
}

async function openAgent(name: string, settings: AgentRunner, { config, options, store }: Around): Promise<JobControl> {
  const { log, now } = options;
  const { url, passEnv, maxRunning, graceSeconds } = settings;
  const repositories = settings.repositories.join(', ');
  log.warn({ runner: name, repositories, url }, 'whoever can push to their default branch can run programs there');
  return openAgentRunner({
    ...{ name, url, passEnv, maxRunning, graceSeconds, log, now },
    token: config.agentTokens[name] ?? '',
    ca: config.agentAuthorities[name],
    silentSince: await rememberedSilence(store, name),
  });
}

function openProcesses(name: string, settings: ProcessRunner, { config, options }: Around): Promise<JobControl> {
  const { log, now, env } = options;
  const repositories = settings.repositories.join(', ');
  const account = settings.user ?? 'the same account as this app';
  log.warn({ runner: name, repositories, account }, 'whoever can push to their default branch can run programs here');
  return openProcessRunner({
    name,
    dataDir: config.dataDir,
    ...(settings.root === null ? {} : { root: settings.root }),
    ...(settings.user === null ? {} : { user: settings.user }),
    passEnv: settings.passEnv,
    maxRunning: settings.maxRunning,
    graceSeconds: settings.graceSeconds,
    processEnv: env,
    log,
    now,
  });
}

function openGitHub({ credentials, githubApiUrl }: Config, now: Clock): Pick<Opened, 'github' | 'githubState'> {
  if (credentials.mode === 'setup') return { github: null, githubState: () => 'degraded' };
  const { reader, writer } = makeGitHub({
    credentials:
      credentials.mode === 'app'
        ? { mode: 'app', appId: credentials.appId, privateKey: credentials.privateKey }
        : { mode: 'token', token: credentials.token },
    baseUrl: githubApiUrl,
    now,
  });
  const { github, state } = watchGitHub({ ...reader, ...writer });
  return {
    github: credentials.mode === 'token' ? onlyThatRepository(github, credentials.repository) : github,
    githubState: state,
  };
}

/** A token may reach many repositories; it is given for one. GitHub's names ignore case. */
function onlyThatRepository<T extends GitHubReader>(github: T, repository: string): T {
  const given = (fullName: string) => fullName.toLowerCase() === repository.toLowerCase();
  return { ...github, findRepository: async (name: string) => (given(name) ? github.findRepository(name) : null) };
}

/** In reverse of their opening. Living runs go on. */
export async function closeAdapters({ store, runners, unlock }: Opened): Promise<void> {
  await Promise.all(runners.all().map((runner) => runner.close()));
  unlock();
  await store.close();
}
