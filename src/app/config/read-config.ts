/** The one reader of the environment and of the operator's file: all problems in one error, the result frozen. */
import { resolve } from 'node:path';
import {
  formatProblem,
  notEnforced,
  type OperatorFile,
  parseOperatorFile,
  parseYaml,
} from '../../core/documents/index.ts';
import { type Config, ConfigError, LOG_FORMATS, LOG_LEVELS } from './config.ts';
import { readCredentials } from './credentials.ts';
import { type Env, type EnvReader, makeEnvReader, type ReadFile } from './env.ts';
import { refuseOwnSecrets } from './own-secrets.ts';
import { isCertificate, readPemFile } from './pem.ts';

const DEFAULT_OPERATOR_PATH = './standdown.yml';
const SHORT_TOKEN = 16;
const DAY_SECONDS = 86_400;

/** Throws `ConfigError` with every problem at once. Relative paths are taken from the working directory. */
export function readConfig(environment: Env, readFile: ReadFile): Config {
  const env = makeEnvReader(environment);
  const warnings: string[] = [];
  const warn = (warning: string) => void warnings.push(warning);
  const operator = readOperator(env, readFile, warn);
  const credentials = readCredentials(env, readFile, warn);
  const operatorName = env.text('STANDDOWN_CONFIG') ?? DEFAULT_OPERATOR_PATH;
  refuseOwnSecrets(operator.file, credentials, (message) => env.refuse(operatorName, message));
  const config: Config = {
    credentials,
    http: readHttp(env),
    url: readUrl(env),
    databaseUrl: readDatabaseUrl(env),
    dataDir: resolve(env.text('STANDDOWN_DATA_DIR') ?? './data'),
    apiToken: readApiToken(env, warn),
    sweepIntervalSeconds: env.number('RECONCILIATION_INTERVAL_SECONDS', { fallback: 30, min: 0, max: DAY_SECONDS }),
    githubApiUrl: readGitHubApiUrl(env),
    log: { level: env.choice('LOG_LEVEL', LOG_LEVELS, 'info'), format: env.choice('LOG_FORMAT', LOG_FORMATS, 'json') },
    operator: operator.file,
    agentTokens: readAgentTokens(env, operator.file),
    agentAuthorities: readAuthorities(operator.file, readFile, (message) => env.refuse(operatorName, message)),
    operatorPath: operator.path,
    notEnforced: operator.idle,
    warnings,
  };
  // The URL is read twice where it is derived: a wrong PORT is told once.
  const problems = [
    ...new Map(env.problems.map((problem) => [`${problem.key}\0${problem.message}`, problem])).values(),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
  return deepFreeze(config);
}

/** The operator's file as it is now. Throws `ConfigError` with every problem at once. */
export function readOperatorFile(
  environment: Env,
  readFile: ReadFile,
): { file: OperatorFile; notEnforced: readonly string[]; warnings: readonly string[] } {
  const env = makeEnvReader(environment);
  const warnings: string[] = [];
  const { file, idle } = readOperator(env, readFile, (warning) => void warnings.push(warning));
  if (env.problems.length > 0) throw new ConfigError(env.problems);
  return { file, notEnforced: idle, warnings };
}

/** What the CLI needs to reach the app. Throws `ConfigError`. */
export function readClientConfig(environment: Env): { url: string; apiToken: string | null } {
  const env = makeEnvReader(environment);
  const client = { url: readUrl(env), apiToken: readApiToken(env, () => {}) };
  if (env.problems.length > 0) throw new ConfigError(env.problems);
  return Object.freeze(client);
}

/** What it takes to watch an issue without any app. Throws `ConfigError`. */
export function readAttendConfig(environment: Env): { token: string; githubApiUrl: string } {
  const env = makeEnvReader(environment);
  const token = env.text('GITHUB_TOKEN');
  if (token === null) env.refuse('GITHUB_TOKEN', 'is missing: must be a token that may read the issue');
  const githubApiUrl = readGitHubApiUrl(env);
  if (env.problems.length > 0) throw new ConfigError(env.problems);
  return Object.freeze({ token: token ?? '', githubApiUrl });
}

function readHttp(env: EnvReader): { host: string; port: number } {
  return {
    host: env.matching('HOST', /^[\w.:[\]-]+$/, 'a host name or an address') ?? 'localhost',
    port: env.number('PORT', { fallback: 3000, min: 0, max: 65_535, whole: true }),
  };
}

function readUrl(env: EnvReader): string {
  const given = env.url('STANDDOWN_URL');
  if (given !== null) return given.replace(/\/+$/, '');
  const { host, port } = readHttp(env);
  // A server that listens on every address is reached by this machine's own name.
  const name = ['0.0.0.0', '::', '[::]'].includes(host) ? 'localhost' : host;
  return `http://${name.includes(':') && !name.startsWith('[') ? `[${name}]` : name}:${port}`;
}

/** Not echoed: it may hold a password. */
function readDatabaseUrl(env: EnvReader): string {
  const url = env.text('DATABASE_URL') ?? 'file:./data/standdown.db';
  if (!/^(file:.|postgres(ql)?:\/\/.)/.test(url)) {
    env.refuse('DATABASE_URL', 'must begin with file: (SQLite) or with postgresql://; what was given begins otherwise');
  }
  return url;
}

function readApiToken(env: EnvReader, warn: (warning: string) => void): string | null {
  const token = env.text('STANDDOWN_API_TOKEN');
  if (token === null) return null;
  if (!/^[\x21-\x7e]+$/.test(token)) {
    env.refuse('STANDDOWN_API_TOKEN', 'must be printable ASCII without spaces (it travels in a header)');
  } else if (token.length < SHORT_TOKEN) {
    warn(`STANDDOWN_API_TOKEN has less than ${SHORT_TOKEN} characters: whoever guesses it can run code here`);
  }
  return token;
}

function readAgentTokens(env: EnvReader, { runners }: OperatorFile): Record<string, string> {
  const tokens: Record<string, string> = {};
  for (const [name, runner] of Object.entries(runners)) {
    if (runner.kind !== 'agent') continue;
    const token = env.text(runner.tokenEnv);
    if (token === null)
      env.refuse(runner.tokenEnv, `is missing: must be the token of the agent that runner ${name} is`);
    else if (!/^[\x21-\x7e]+$/.test(token)) {
      env.refuse(runner.tokenEnv, 'must be printable ASCII without spaces (it travels in a header)');
    } else tokens[name] = token;
  }
  return tokens;
}

function readAuthorities(
  { runners }: OperatorFile,
  readFile: ReadFile,
  refuse: (message: string) => void,
): Record<string, string> {
  const authorities: Record<string, string> = {};
  for (const [name, runner] of Object.entries(runners)) {
    if (runner.kind !== 'agent' || runner.caFile === null) continue;
    const pem = readPemFile(readFile, runner.caFile, (message) => refuse(`runners.${name}.ca_file: ${message}`));
    if (pem === null) continue;
    if (isCertificate(pem)) authorities[name] = pem;
    else refuse(`runners.${name}.ca_file: ${JSON.stringify(runner.caFile)} must hold a certificate in PEM`);
  }
  return authorities;
}

function readGitHubApiUrl(env: EnvReader): string {
  const protocol = env.choice('GHE_PROTOCOL', ['https', 'http'], 'https');
  const host = env.matching('GHE_HOST', /^[A-Za-z0-9.-]+(:\d{1,5})?$/, 'a host name, with a port if need be');
  return host === null ? 'https://api.github.com' : `${protocol}://${host}/api/v3`;
}

function readOperator(
  env: EnvReader,
  readFile: ReadFile,
  warn: (warning: string) => void,
): { file: OperatorFile; path: string | null; idle: readonly string[] } {
  const given = env.text('STANDDOWN_CONFIG');
  const path = resolve(given ?? DEFAULT_OPERATOR_PATH);
  const text = readText(env, readFile, path);
  if (text === null) {
    if (given !== null)
      env.refuse('STANDDOWN_CONFIG', `must name a file that can be read: there is no ${JSON.stringify(given)}`);
    return { file: withoutRunners(), path: null, idle: [] };
  }
  const yaml = parseYaml(text);
  const parsed = yaml.ok ? parseOperatorFile(yaml.value.value, yaml.value.locate) : yaml;
  const idle = yaml.ok ? notEnforced(yaml.value.value) : [];
  if (idle.length > 0) warn(`${given ?? DEFAULT_OPERATOR_PATH}: this version does not act on ${idle.join(', ')} yet`);
  if (parsed.ok) return { file: parsed.value, path, idle };
  for (const problem of parsed.problems) env.refuse(given ?? DEFAULT_OPERATOR_PATH, formatProblem(problem));
  return { file: withoutRunners(), path, idle };
}

/** null: there is no such file. */
function readText(env: EnvReader, readFile: ReadFile, path: string): string | null {
  try {
    return readFile(path);
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return null;
    env.refuse('STANDDOWN_CONFIG', `${JSON.stringify(path)} can't be read: ${(error as Error).message}`);
    return '';
  }
}

function withoutRunners(): OperatorFile {
  const parsed = parseOperatorFile({});
  if (!parsed.ok) throw new Error('the defaults of the operator file are wrong');
  return parsed.value;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
}
