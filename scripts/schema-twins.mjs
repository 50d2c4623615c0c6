// Derives the two schemas that the clients and migrations are made from, out of the one that is edited by hand.
import { readFile, writeFile } from 'node:fs/promises';

export const PROVIDERS = ['sqlite', 'postgresql'];

const HEADER =
  '// Derived from prisma/schema.prisma by `node scripts/schema.mjs migration NAME`: edit that file, not this one.\n\n';

export function twinPath(provider) {
  return new URL(`../prisma/${provider}/schema.prisma`, import.meta.url);
}

/** What `prisma/schema.prisma` says for the provider. */
export async function deriveTwin(provider) {
  const source = await readFile(new URL('../prisma/schema.prisma', import.meta.url), 'utf8');
  const body = source.slice(source.indexOf('generator client'));
  return (
    HEADER +
    body
      .replace('provider = "postgresql"', `provider = "${provider}"`)
      .replace('"../src/store/generated/postgresql"', `"../../src/store/generated/${provider}"`)
  );
}

/** The twin as committed: the state after the last migration. Null before the first. */
export async function readTwin(provider) {
  return readFile(twinPath(provider), 'utf8').catch(() => null);
}

export async function writeTwin(provider, content) {
  await writeFile(twinPath(provider), content);
}
