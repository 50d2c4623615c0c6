/** The agent as a process: options in, exit code out. */
import { readFileSync } from 'node:fs';
import { StartRefused } from '../../engine/ports.ts';
import { untilSignalled } from '../lifecycle.ts';
import { makeLogger } from '../log.ts';
import { explainedAgentFailure } from '../start-failure.ts';
import { type AgentFlags, readAgentConfig } from './config.ts';
import { startAgent } from './index.ts';

/** Throws `ConfigError` before anything is opened, and `StartRefused` where it can't start for a reason that was foreseen. */
export async function runAgent(
  flags: AgentFlags,
  env: Readonly<Record<string, string | undefined>>,
  version: string,
): Promise<number> {
  const config = readAgentConfig(flags, env, (path) => readFileSync(path, 'utf8'));
  const log = makeLogger(config.log, [config.token]);
  const starting = startAgent(config, { version, log, env });
  const lifecycle = untilSignalled(starting, log);
  try {
    await starting;
  } catch (error) {
    const failed = explainedAgentFailure(error as Error, config);
    if (failed instanceof StartRefused) throw failed;
    log.error({ err: failed }, 'not started');
    return 1;
  }
  return lifecycle.done;
}
