import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { explainedAgentFailure, explainedFailure } from '../../src/app/start-failure.ts';
import { StartRefused } from '../../src/engine/ports.ts';
import { makePassage } from '../../src/runners/process/working-directory.ts';
import { migrate } from '../../src/store/index.ts';
import { serveHttp } from '../../src/web/index.ts';

const http = { host: '127.0.0.1', port: 3000 };
let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'standdown-start-'));
});
afterEach(() => rm(dir, { recursive: true }));

async function failureOf(work: Promise<unknown>): Promise<Error> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Error)) throw new Error('it did not fail');
  return error;
}

async function taken(): Promise<{ port: number; server: Server }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, server };
}

describe('a start that failed is told in the words of the settings', () => {
  it('where another program has the port', async () => {
    const { port, server } = await taken();
    const error = await failureOf(serveHttp({ app: { fetch: () => new Response() }, host: '127.0.0.1', port }));
    server.close();
    const told = explainedFailure(error, { http: { host: '127.0.0.1', port } });
    expect(told).toBeInstanceOf(StartRefused);
    expect(told.message).toBe(
      `PORT: another program listens on 127.0.0.1:${port} already: end it, or set another PORT`,
    );
    expect(explainedAgentFailure(error, { host: '127.0.0.1', port }).message).toBe(
      `--listen: another program listens on 127.0.0.1:${port} already: end it, or set another --listen`,
    );
  });

  it('where the database is none, or nothing can be made at its place', async () => {
    const file = join(dir, 'a-text');
    await writeFile(file, 'a text that is no database, and long enough for a header of one'.repeat(4));
    const junk = await failureOf(migrate(`file:${file}`));
    expect(explainedFailure(junk, { http }).message).toMatch(
      /^DATABASE_URL: the database can't be opened: .*not a database/,
    );
    const below = await failureOf(migrate(`file:${join(file, 'below', 'x.db')}`));
    expect(explainedFailure(below, { http }).message).toBe(
      `DATABASE_URL, STANDDOWN_DATA_DIR: ${join(file, 'below')} can't be written: ENOTDIR`,
    );
    // To this Node's own recursive mkdir never comes to an end.
    const nowhere = await failureOf(migrate('file:/proc/nowhere/x.db'));
    expect(explainedFailure(nowhere, { http }).message).toBe(
      "DATABASE_URL, STANDDOWN_DATA_DIR: /proc/nowhere can't be written: ENOENT",
    );
    const dataDir = await failureOf((async () => makePassage('/proc/nowhere/data'))());
    expect(explainedFailure(dataDir, { http }).message).toMatch(/\/proc\/nowhere can't be written: ENOENT$/);
  });

  it('where no database server answers, without its password', async () => {
    const { port, server } = await taken();
    server.close();
    const error = explainedFailure(await failureOf(migrate(`postgresql://me:hunter22@127.0.0.1:${port}/x`)), { http });
    expect(error.message).toMatch(/^DATABASE_URL: the database can't be reached: .*ECONNREFUSED/);
    expect(error.message).not.toContain('hunter22');
  });

  it('where the name of the database server is unknown, and not as if it were its own', async () => {
    const unknown = await failureOf(migrate('postgresql://me:hunter22@unknown.invalid:5432/x'));
    const told = /^DATABASE_URL: the database can't be reached: getaddrinfo \S+ unknown\.invalid$/;
    expect(explainedFailure(unknown, { http }).message).toMatch(told);
    const own = await failureOf(serveHttp({ app: { fetch: () => new Response() }, host: 'own.invalid', port: 0 }));
    expect(explainedFailure(own, { http: { host: 'own.invalid', port: 0 } }).message).toMatch(
      /^HOST, PORT: can't listen on own\.invalid:0: (no address is known for that name|EAI_AGAIN)$/,
    );
  });

  it('and as it is where nobody foresaw it', () => {
    const error = new TypeError('x is not a function');
    expect(explainedFailure(error, { http })).toBe(error);
  });
});
