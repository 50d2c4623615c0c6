/** What `DATABASE_URL` may say: `file:` names an SQLite file, `postgres:` or `postgresql:` a PostgreSQL database. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StartRefused } from '../engine/ports.ts';

export type DatabaseLocation = { dialect: 'sqlite'; file: string } | { dialect: 'postgresql'; url: string };

/** Throws an error that names what is accepted, and never the URL itself: it may hold a password. */
export function parseDatabaseUrl(databaseUrl: string): DatabaseLocation {
  if (databaseUrl.startsWith('file:')) return { dialect: 'sqlite', file: sqliteFile(databaseUrl) };
  if (/^postgres(ql)?:\/\//.test(databaseUrl)) return { dialect: 'postgresql', url: postgresqlUrl(databaseUrl) };
  throw new StartRefused('DATABASE_URL must be file:PATH (SQLite) or postgresql://USER@HOST:PORT/DATABASE');
}

function sqliteFile(databaseUrl: string): string {
  const path = databaseUrl.startsWith('file://') ? fileURLToPath(databaseUrl) : databaseUrl.slice('file:'.length);
  if (path === '' || path.startsWith(':') || path.includes('?')) {
    throw new StartRefused(
      'DATABASE_URL must name a file after file:, without parameters; an in-memory database keeps nothing',
    );
  }
  return resolve(path);
}

function postgresqlUrl(databaseUrl: string): string {
  const url = URL.canParse(databaseUrl) ? new URL(databaseUrl) : null;
  if (url === null || url.pathname.length < 2) {
    throw new StartRefused('DATABASE_URL is not of the form postgresql://USER@HOST:PORT/DATABASE');
  }
  const schema = url.searchParams.get('schema') ?? 'public';
  if (schema !== 'public') {
    throw new StartRefused(
      `DATABASE_URL asks for the schema ${schema}; Standdown needs a database of its own and uses public`,
    );
  }
  return databaseUrl;
}
