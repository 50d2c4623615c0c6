/** What the environment and the operator's file say, checked and frozen. Only this folder looks into the environment. */
import type { OperatorFile } from '../../core/documents/index.ts';

/** How GitHub is reached: as an App, with a token for one repository, or not yet. */
export type Credentials =
  | {
      mode: 'app';
      appId: number;
      /** PEM */
      privateKey: string;
      webhookSecret: string;
      webhookProxyUrl: string | null;
    }
  /** No App and no webhooks: the sweep alone drives that repository. */
  | { mode: 'token'; token: string; repository: string }
  | { mode: 'setup' };

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export const LOG_FORMATS = ['json', 'pretty'] as const;

export interface LogConfig {
  level: (typeof LOG_LEVELS)[number];
  format: (typeof LOG_FORMATS)[number];
}

export interface Config {
  credentials: Credentials;
  http: { host: string; port: number };
  /** Where the CLI finds the app, without a slash at the end. */
  url: string;
  /** `file:…` or `postgres(ql)://…` */
  databaseUrl: string;
  /** Absolute. */
  dataDir: string;
  /** null: REST answers reads of this machine only. */
  apiToken: string | null;
  /** 0: no sweep of GitHub. */
  sweepIntervalSeconds: number;
  /** Root of GitHub's REST API, e.g. `https://api.github.com`. */
  githubApiUrl: string;
  log: LogConfig;
  operator: OperatorFile;
  /** By the names of the runners that are agents. */
  agentTokens: Readonly<Record<string, string>>;
  /** By the names of their runners, in PEM; those without one are held to what Node.js trusts. */
  agentAuthorities: Readonly<Record<string, string>>;
  /** Absolute path of the operator's file; null where there is none. */
  operatorPath: string | null;
  /** Keys of the operator's file that are set, and that nothing acts on yet. */
  notEnforced: readonly string[];
  /** For the start log. */
  warnings: readonly string[];
}

/** A key of the environment or a place in a file, and what is wrong with it. Never holds a secret. */
export interface ConfigProblem {
  key: string;
  message: string;
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly code = 'config_invalid';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super(['The configuration is wrong:', ...problems.map(({ key, message }) => `  ${key}: ${message}`)].join('\n'));
    this.problems = problems;
  }
}

/** Values that must not appear in any output, for `makeLogger` and the like. */
export function secretsOf(config: Config): string[] {
  const { credentials } = config;
  const password = /^postgres(?:ql)?:\/\/[^:@/]*:([^@/]+)@/.exec(config.databaseUrl)?.[1];
  return [
    ...(credentials.mode === 'app' ? [credentials.privateKey, credentials.webhookSecret] : []),
    ...(credentials.mode === 'token' ? [credentials.token] : []),
    ...Object.values(config.agentTokens),
    config.apiToken,
    password,
    password === undefined ? undefined : decoded(password),
  ].filter((secret) => typeof secret === 'string');
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
