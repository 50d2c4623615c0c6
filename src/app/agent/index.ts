/** The agent: job control of this machine, served to apps elsewhere. Its runs outlive it, and the next start takes them up again. */
import { randomBytes } from 'node:crypto';
import { isLoopbackName } from '../../core/loopback.ts';
import type { Clock, Logger } from '../../engine/ports.ts';
import { lockDataDirectory, openProcessRunner } from '../../runners/process/index.ts';
import { makeAgentApp } from '../../web/agent.ts';
import { serveHttp } from '../../web/server.ts';
import { makeChangeFeed } from './changes.ts';
import type { AgentConfig } from './config.ts';
import { makeAgentJobs, noteLostRuns } from './jobs.ts';
import { openAgentState } from './state.ts';

export interface AgentOptions {
  version: string;
  log: Logger;
  /** Default: the system's clock. */
  now?: Clock;
  /** Where runs take what `passEnv` names, and `PATH`, `HOME`, locale. */
  env: Readonly<Record<string, string | undefined>>;
}

export interface RunningAgent {
  /** As it listens. */
  url: string;
  /** Lets requests finish for at most `graceMs`, leaves runs alive. */
  close(graceMs?: number): Promise<void>;
}

const CLOSE_GRACE_MS = 10_000;
/** Grace and limits are the app's. */
const UNUSED = { maxRunning: null, graceSeconds: 0 };

/** Throws where another process has the data directory. */
export async function startAgent(config: AgentConfig, options: AgentOptions): Promise<RunningAgent> {
  const unlock = await lockDataDirectory(config.dataDir, options.env);
  try {
    const { url, close } = await serveRuns(config, options);
    return { url, close: (graceMs) => close(graceMs).finally(unlock) };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Nobody is answered before it is known what became of the runs of an earlier agent. */
async function serveRuns(config: AgentConfig, options: AgentOptions): Promise<RunningAgent> {
  const { version, log, env, now = () => new Date() } = options;
  const { dataDir, root, user, passEnv, tls } = config;
  const control = await openProcessRunner({
    ...{ name: 'agent', dataDir, passEnv, processEnv: env, log, now, ...UNUSED },
    ...(root === null ? {} : { root }),
    ...(user === null ? {} : { user }),
  });
  const closing = new AbortController();
  try {
    const state = openAgentState(dataDir, log);
    await noteLostRuns(control, state, log);
    const instance = randomBytes(8).toString('hex');
    const feed = makeChangeFeed(instance);
    control.onHint(feed.add);
    const facts = { instance, version, user, notes: [...control.profile.notes, ...state.notes] };
    const jobs = makeAgentJobs({ control, state, feed, facts, now });
    const app = makeAgentApp({ jobs, token: config.token, log, closing: closing.signal });
    const server = await serveHttp({ app, host: config.host, port: config.port, tls: tls ?? undefined });
    const shown = config.host.includes(':') ? `[${config.host}]` : config.host;
    const url = `${tls === null ? 'http' : 'https'}://${shown}:${server.port}`;
    const account = user ?? 'the same account as this agent';
    log.warn({ account }, 'whoever has the token can run programs here');
    log.info({ url, containment: control.profile.containment, loopback: isLoopbackName(config.host) }, 'listening');
    return {
      url,
      async close(graceMs = CLOSE_GRACE_MS) {
        closing.abort();
        await server.close(graceMs);
        await control.close();
      },
    };
  } catch (error) {
    await control.close();
    throw error;
  }
}
