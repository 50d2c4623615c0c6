import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { appendToEnvFile, type SetupServer, serveSetup } from '../../src/github/setup.ts';
import { PRIVATE_KEY } from './support.ts';

const APP_YML = join(import.meta.dirname, '../../app.yml');
const HOOK = 'https://standdown.example/api/github/webhooks';

let home: string;
let directory: string;
let environment: NodeJS.ProcessEnv;

beforeEach(() => {
  home = process.cwd();
  environment = { ...process.env };
  directory = mkdtempSync(join(tmpdir(), 'standdown-setup-'));
});

afterEach(() => {
  process.chdir(home);
  for (const key of Object.keys(process.env)) if (!(key in environment)) delete process.env[key];
  Object.assign(process.env, environment);
  rmSync(directory, { recursive: true });
});

function listen(server: Server, port = 0): Promise<number> {
  return new Promise((resolve) =>
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  );
}

/** Probot reads port 0 as 3000. */
async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('the set-up page', () => {
  let page: SetupServer | null = null;
  let github: Server | null = null;
  let registered: number;
  let logged: string[];

  beforeEach(() => {
    copyFileSync(APP_YML, join(directory, 'app.yml'));
    process.chdir(directory);
    registered = 0;
    logged = [];
    for (const tool of ['npx', 'npm']) {
      writeFileSync(join(directory, tool), `#!/bin/sh\n: > ${join(directory, 'downloaded')}\n`);
      chmodSync(join(directory, tool), 0o755);
    }
    process.env.PATH = `${directory}:${process.env.PATH}`;
  });

  afterEach(async () => {
    await page?.close();
    github?.closeAllConnections();
    github?.close();
    page = null;
    github = null;
  });

  async function open(): Promise<string> {
    const log = pino({}, { write: (line: string) => void logged.push(line) });
    const onRegistered = () => {
      registered += 1;
    };
    page = await serveSetup({ host: '127.0.0.1', port: await freePort(), hookUrl: HOOK, log, onRegistered });
    return page.url;
  }

  test('asks GitHub for a private App with our permissions and our webhook path, and downloads nothing', async () => {
    const html = await (await fetch(await open())).text();
    const manifest = JSON.parse(/name="manifest".*? value='([^']*)'/.exec(html)?.[1] ?? '');
    expect(manifest).toMatchObject({
      name: 'Standdown',
      public: false,
      hook_attributes: { url: HOOK },
      default_permissions: { contents: 'read', issues: 'write', metadata: 'read' },
      default_events: ['issues', 'issue_comment', 'issue_dependencies', 'push', 'repository'],
    });
    expect(existsSync(join(directory, 'downloaded'))).toBe(false);
  });

  test('keeps the credentials in .env, which nobody else may read, and out of the log', async () => {
    writeFileSync('.env', 'PORT=4000\n# mine\n', { mode: 0o644 });
    github = createServer((request, response) => {
      expect(request.url).toBe('/api/v3/app-manifests/one-time-code/conversions');
      response.writeHead(201, { 'content-type': 'application/json' });
      const app = {
        id: 42,
        client_id: 'Iv1.a',
        client_secret: 'c-secret',
        webhook_secret: 'w-secret',
        pem: PRIVATE_KEY,
      };
      response.end(JSON.stringify({ ...app, html_url: 'https://github.com/apps/standdown' }));
    });
    process.env.GHE_HOST = `127.0.0.1:${await listen(github)}`;
    process.env.GHE_PROTOCOL = 'http';
    const answer = await fetch(`${await open()}/setup?code=one-time-code`, { redirect: 'manual' });
    expect(answer.headers.get('location')).toBe('https://github.com/apps/standdown/installations/new');
    const written = readFileSync('.env', 'utf8');
    expect(written).toMatch(/^PORT=4000\n# mine\n/);
    expect(parseEnv(written)).toMatchObject({
      APP_ID: '42',
      WEBHOOK_SECRET: 'w-secret',
      PRIVATE_KEY: PRIVATE_KEY.trim(),
    });
    expect(statSync('.env').mode & 0o777).toBe(0o600);
    expect(registered).toBe(1);
    expect(logged.join('')).not.toMatch(/w-secret|c-secret|PRIVATE KEY-----/);
  });

  test('leaves the environment of the process as it was once it is closed', async () => {
    await open();
    await page?.close();
    page = null;
    expect(process.env.WEBHOOK_PROXY_URL).toBe(environment.WEBHOOK_PROXY_URL);
    expect(process.env.NO_SMEE_SETUP).toBe(environment.NO_SMEE_SETUP);
  });

  test('is not served without app.yml, or with one that would break the page', async () => {
    writeFileSync('app.yml', "description: It's broken\n");
    await expect(open()).rejects.toThrow('apostrophe');
    rmSync('app.yml');
    await expect(open()).rejects.toThrow('app.yml is needed');
  });
});

test.each([
  'plain',
  'with space # and hash',
  'quote "double"',
  "quote 'single'",
  'a\nb',
  '-----BEGIN KEY-----\nab+/=\n-----END KEY-----',
])('the value %j comes back out of the file, and the last one of a name wins', (value) => {
  const path = join(directory, '.env');
  appendToEnvFile(path, { APP_ID: 'first', OTHER: 'kept' });
  appendToEnvFile(path, { APP_ID: value });
  expect(parseEnv(readFileSync(path, 'utf8'))).toEqual({ APP_ID: value, OTHER: 'kept' });
});
