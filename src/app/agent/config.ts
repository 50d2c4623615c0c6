/** What an agent is told on its command line and by its environment: all problems in one error, the result frozen. */
import { resolve } from 'node:path';
import { isLoopbackName } from '../../core/loopback.ts';
import { ConfigError, LOG_FORMATS, LOG_LEVELS, type LogConfig } from '../config/config.ts';
import { type Env, makeEnvReader, type ReadFile } from '../config/env.ts';
import { belongTogether, isCertificate, isPrivateKey, readPemFile } from '../config/pem.ts';

export const AGENT_TOKEN = 'STANDDOWN_AGENT_TOKEN';
/** Whoever guesses it can run programs here. */
const MIN_TOKEN = 16;

/** The options of `standdown agent`, as they are written. */
export interface AgentFlags {
  listen: string;
  dataDir: string;
  root?: string | undefined;
  user?: string | undefined;
  passEnv?: readonly string[] | undefined;
  tlsCert?: string | undefined;
  tlsKey?: string | undefined;
}

export interface AgentConfig {
  host: string;
  /** 0: the system chooses one. */
  port: number;
  /** Absolute. */
  dataDir: string;
  token: string;
  root: string | null;
  user: string | null;
  passEnv: readonly string[];
  /** PEM; null: plain HTTP, on this machine only. */
  tls: { cert: string; key: string } | null;
  log: LogConfig;
}

/** Throws `ConfigError` with every problem at once. */
export function readAgentConfig(flags: AgentFlags, environment: Env, readFile: ReadFile): AgentConfig {
  const env = makeEnvReader(environment);
  const { refuse } = env;
  const { host, port } = readListen(flags.listen, refuse);
  const tls = readTls(flags, readFile, refuse);
  const encrypts = flags.tlsCert !== undefined || flags.tlsKey !== undefined;
  if (!encrypts && host !== '' && !isLoopbackName(host)) {
    refuse(
      '--listen',
      `${host} can be reached from elsewhere, and plain HTTP shows the token: give --tls-cert and --tls-key`,
    );
  }
  const config: AgentConfig = {
    host,
    port,
    dataDir: resolve(flags.dataDir),
    token: readToken(env.text(AGENT_TOKEN), refuse),
    root: readRoot(flags.root, refuse),
    user: flags.user ?? null,
    passEnv: readPassEnv(flags.passEnv ?? [], refuse),
    tls,
    log: { level: env.choice('LOG_LEVEL', LOG_LEVELS, 'info'), format: env.choice('LOG_FORMAT', LOG_FORMATS, 'json') },
  };
  if (env.problems.length > 0) throw new ConfigError(env.problems);
  return Object.freeze(config);
}

type Refuse = (key: string, message: string) => void;

function readListen(given: string, refuse: Refuse): { host: string; port: number } {
  const [, bracketed, plain, port = ''] = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9.-]+)):(\d{1,5})$/.exec(given) ?? [];
  const host = bracketed ?? plain ?? '';
  if (host !== '' && Number(port) <= 65_535) return { host, port: Number(port) };
  refuse('--listen', `must be host:port, as 127.0.0.1:7433 or [::1]:7433, not ${JSON.stringify(given)}`);
  return { host: '', port: 0 };
}

/** Not echoed. */
function readToken(token: string | null, refuse: Refuse): string {
  if (token === null)
    refuse(AGENT_TOKEN, 'is missing: must be the token that apps show, e.g. from openssl rand -hex 32');
  else if (!/^[\x21-\x7e]+$/.test(token)) {
    refuse(AGENT_TOKEN, 'must be printable ASCII without spaces (it travels in a header)');
  } else if (token.length < MIN_TOKEN) {
    refuse(AGENT_TOKEN, `must have at least ${MIN_TOKEN} characters: whoever guesses it can run programs here`);
  }
  return token ?? '';
}

function readRoot(root: string | undefined, refuse: Refuse): string | null {
  if (root !== undefined && !root.startsWith('/'))
    refuse('--root', `must be an absolute path, not ${JSON.stringify(root)}`);
  return root ?? null;
}

function readPassEnv(names: readonly string[], refuse: Refuse): readonly string[] {
  for (const name of names) {
    if (name.startsWith('STANDDOWN_')) refuse('--pass-env', `${name} is Standdown's own and is passed to nobody`);
    else if (!/^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(name)) {
      refuse('--pass-env', `must be names of variables, not ${JSON.stringify(name)}`);
    }
  }
  return names;
}

function readTls({ tlsCert, tlsKey }: AgentFlags, readFile: ReadFile, refuse: Refuse): AgentConfig['tls'] {
  if (tlsCert === undefined && tlsKey === undefined) return null;
  if (tlsCert === undefined || tlsKey === undefined) {
    const missing = tlsCert === undefined ? '--tls-cert' : '--tls-key';
    refuse(missing, 'is missing: a certificate and its key belong together');
    return null;
  }
  const read = (flag: string, path: string) => readPemFile(readFile, path, (message) => refuse(flag, message));
  const cert = read('--tls-cert', tlsCert);
  const key = read('--tls-key', tlsKey);
  if (cert === null || key === null) return null;
  const [namedCert, namedKey] = [JSON.stringify(tlsCert), JSON.stringify(tlsKey)];
  const isCert = isCertificate(cert);
  if (!isCert) refuse('--tls-cert', `${namedCert} must hold a certificate in PEM`);
  if (!isPrivateKey(key)) refuse('--tls-key', `${namedKey} must hold a private key in PEM, without a passphrase`);
  else if (isCert && !belongTogether({ cert, key }))
    refuse('--tls-key', `${namedKey} must hold the key of the certificate in ${namedCert}, and holds another one`);
  return { cert, key };
}
