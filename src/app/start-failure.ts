/** Why the app did not start, in the words of its settings, where the system's own words name none of them. */
import type { Config } from './config/index.ts';

interface SystemError extends Error {
  code?: unknown;
  syscall?: unknown;
  path?: unknown;
}

const FILE_CALLS = ['mkdir', 'open', 'access', 'lstat', 'stat', 'chmod', 'chown', 'write'];

/** null: the error itself says it, or nobody foresaw it. Holds no secret. */
export function explainStartFailure(error: SystemError, { http }: Pick<Config, 'http'>): string | null {
  const code = typeof error.code === 'string' ? error.code : '';
  const at = `${http.host}:${http.port}`;
  if (code === 'EADDRINUSE') return `PORT: another program listens on ${at} already: end it, or set another PORT`;
  if (error.syscall === 'listen' || error.syscall === 'getaddrinfo')
    return `HOST, PORT: can't listen on ${at}: ${code}`;
  if (error.syscall === 'connect') return `DATABASE_URL: the database can't be reached: ${error.message}`;
  if (code.startsWith('SQLITE_') || error.name === 'DriverAdapterError' || isRefusalOfPostgresql(code)) {
    return `DATABASE_URL: the database can't be opened: ${error.message}`;
  }
  if (FILE_CALLS.includes(String(error.syscall)) && typeof error.path === 'string') {
    return `DATABASE_URL, STANDDOWN_DATA_DIR: ${error.path} can't be written: ${code}`;
  }
  return null;
}

/** The same as an error, for whoever has no log. */
export function explainedFailure(error: Error, config: Pick<Config, 'http'>): Error {
  const reason = explainStartFailure(error, config);
  return reason === null ? error : new Error(reason, { cause: error });
}

/** SQLSTATE: wrong password (28), no such database (3D), no permission (42501), not ready (57P03). */
function isRefusalOfPostgresql(code: string): boolean {
  return /^(28...|3D...|42501|57P03)$/.test(code);
}
