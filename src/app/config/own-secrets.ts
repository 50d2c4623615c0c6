/** What Standdown itself is told in secret, and that none of the programs it starts may hear. */
import type { OperatorFile } from '../../core/documents/index.ts';
import type { Credentials } from './config.ts';

/** Variables that hold a secret of its own, whatever reads them: the proxy's address shows every delivery to who knows it. */
export const OWN_SECRETS: readonly string[] = [
  'GITHUB_TOKEN',
  'PRIVATE_KEY',
  'WEBHOOK_SECRET',
  'WEBHOOK_PROXY_URL',
  'DATABASE_URL',
  'STANDDOWN_API_TOKEN',
  'STANDDOWN_AGENT_TOKEN',
];

/**
 * Refuses to pass them to runs of this machine. What an agent passes is that machine's own; and a token that drives nothing here, as
 * beside an App, is the operator's to give.
 */
export function refuseOwnSecrets(
  { runners }: OperatorFile,
  credentials: Credentials,
  refuse: (message: string) => void,
): void {
  const tokens = Object.values(runners).flatMap((runner) => (runner.kind === 'agent' ? [runner.tokenEnv] : []));
  const given = credentials.mode === 'token' ? [] : ['GITHUB_TOKEN'];
  const own = new Set([...OWN_SECRETS, ...tokens].filter((name) => !given.includes(name)));
  for (const [name, runner] of Object.entries(runners)) {
    if (runner.kind !== 'process') continue;
    for (const secret of runner.passEnv.filter((variable) => own.has(variable))) {
      refuse(`runners.${name}.pass_env: ${secret} is a secret of Standdown's own and is passed to nobody`);
    }
  }
}
