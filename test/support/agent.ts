/** Agents under test, and job control by them. In this process, so that a suite of many runs starts quickly. */
import type { AgentConfig } from '../../src/app/agent/config.ts';
import { type RunningAgent, startAgent } from '../../src/app/agent/index.ts';
import type { JobControl } from '../../src/engine/ports/runner.ts';
import { openAgentRunner } from '../../src/runners/agent/index.ts';
import { silentLog } from './databases.ts';
import type { RunnerOptions } from './process-runner.ts';

export const AGENT_TOKEN = 'a-token-of-an-agent-for-tests';

export function agentConfig({
  dataDir,
  root,
  passEnv,
}: Pick<RunnerOptions, 'dataDir' | 'root' | 'passEnv'>): AgentConfig {
  return {
    ...{ host: '127.0.0.1', port: 0, dataDir, root, passEnv, token: AGENT_TOKEN, user: null, tls: null },
    log: { level: 'silent', format: 'json' },
  };
}

export function startTestAgent(options: RunnerOptions, port = 0): Promise<RunningAgent> {
  return startAgent({ ...agentConfig(options), port }, { version: '1.2.3', log: silentLog, env: options.processEnv });
}

/** `answerMs`: how long an agent may take; `now`: the clock of the app. */
export function openByAgent(
  url: string,
  {
    answerMs,
    token = AGENT_TOKEN,
    ca,
    now = () => new Date(),
  }: { answerMs?: number; token?: string; ca?: string; now?: () => Date } = {},
): JobControl {
  return openAgentRunner({
    ...{ name: 'lab', url, token, passEnv: ['PASSED_ON'], maxRunning: 4, graceSeconds: 1, log: silentLog },
    ...{ now, answerMs, ca },
  });
}
