/** Why the app or an agent did not start, in the words of its settings, where the system's own words name none of them. */
import { StartRefused } from '../engine/ports.ts';

interface SystemError extends Error {
  code?: unknown;
  syscall?: unknown;
  path?: unknown;
  hostname?: unknown;
}

interface Place {
  host: string;
  port: number;
}

const FILE_CALLS = ['mkdir', 'open', 'access', 'lstat', 'stat', 'chmod', 'chown', 'write'];

const LISTEN_WORDS: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'that port is for accounts with more rights',
  ENOTFOUND: 'no address is known for that name',
};

/** As one sentence for people, which holds no secret; as it is where nobody foresaw it. */
export function explainedFailure(error: SystemError, { http }: { http: Place }): Error {
  const reason = listenWords(error, http, { host: 'HOST', port: 'PORT' }) ?? databaseWords(error) ?? fileWords(error);
  return refusal(error, reason);
}

/** The same of an agent, which has no database. */
export function explainedAgentFailure(error: SystemError, at: Place): Error {
  return refusal(error, listenWords(error, at, { host: '--listen', port: '--listen' }));
}

function refusal(error: Error, reason: string | null): Error {
  return reason === null ? error : new StartRefused(reason, { cause: error });
}

/** Where another one has the port, etc. `settings`: what the two are given by. */
function listenWords(error: SystemError, { host, port }: Place, settings: Record<keyof Place, string>): string | null {
  const at = `${host}:${port}`;
  if (error.code === 'EADDRINUSE') {
    return `${settings.port}: another program listens on ${at} already: end it, or set another ${settings.port}`;
  }
  // A name is looked up for a database, too.
  const isOwnName = error.syscall === 'getaddrinfo' && error.hostname === host;
  if (error.syscall !== 'listen' && !isOwnName) return null;
  const both = [...new Set([settings.host, settings.port])].join(', ');
  return `${both}: can't listen on ${at}: ${LISTEN_WORDS[codeOf(error)] ?? codeOf(error)}`;
}

function databaseWords(error: SystemError): string | null {
  if (error.syscall === 'connect' || error.syscall === 'getaddrinfo') {
    return `DATABASE_URL: the database can't be reached: ${error.message}`;
  }
  const code = codeOf(error);
  if (code.startsWith('SQLITE_') || error.name === 'DriverAdapterError' || isRefusalOfPostgresql(code)) {
    return `DATABASE_URL: the database can't be opened: ${error.message}`;
  }
  return null;
}

function fileWords(error: SystemError): string | null {
  if (!FILE_CALLS.includes(String(error.syscall)) || typeof error.path !== 'string') return null;
  return `DATABASE_URL, STANDDOWN_DATA_DIR: ${error.path} can't be written: ${codeOf(error)}`;
}

function codeOf({ code }: SystemError): string {
  return typeof code === 'string' ? code : '';
}

/** SQLSTATE: wrong password (28), no such database (3D), no permission (42501), not ready (57P03). */
function isRefusalOfPostgresql(code: string): boolean {
  return /^(28...|3D...|42501|57P03)$/.test(code);
}
