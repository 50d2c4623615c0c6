/**
 * Registers the App: Probot's own set-up page, without its traps. Left alone it downloads smee-client through npx, points the
 * webhook at `/`, registers without permissions where it finds no app.yml, and leaves the private key readable for everybody.
 */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Options, run } from 'probot';
import { StartRefused } from '../engine/ports.ts';

export interface SetupOptions {
  /** Whoever reaches this address can set the credentials: loopback, unless something in front of it asks who they are. */
  host: string;
  port: number;
  /** Where GitHub posts deliveries, e.g. `https://standdown.example/api/github/webhooks`. */
  hookUrl: string;
  log: NonNullable<Options['log']>;
  /** Called once the credentials are in `.env`: the app has to start anew with them. */
  onRegistered: () => void;
}

export interface SetupServer {
  /** Where the page is. */
  url: string;
  close(): Promise<void>;
}

/**
 * In the working directory, where alone Probot looks: `app.yml` is read there, and `.env` written.
 * Throws where app.yml can't be used, and, as Probot does, with `NODE_ENV=production`.
 */
export async function serveSetup({ host, port, hookUrl, log, onRegistered }: SetupOptions): Promise<SetupServer> {
  checkManifest(join(process.cwd(), 'app.yml'));
  // Probot takes these two from the process alone. Either is enough to keep it from asking smee.io for a channel.
  const restore = setEnvironment({ WEBHOOK_PROXY_URL: hookUrl, NO_SMEE_SETUP: 'true' });

  function updateEnv(values: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
    appendToEnvFile(join(process.cwd(), '.env'), values);
    onRegistered();
    return values;
  }

  // No APP_ID in `env` is what makes it the set-up page; no WEBHOOK_PROXY_URL keeps it from listening on a channel.
  const server = await run(() => {}, { env: { HOST: host, PORT: String(port) }, log, updateEnv }).catch((error) => {
    restore();
    throw error;
  });
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}/probot`,
    close: () => server.stop().finally(restore),
  };
}

function checkManifest(path: string): void {
  const text = readManifest(path);
  // The page puts the manifest into an attribute in single quotes, unescaped.
  if (text.replace(/#.*$/gm, '').includes("'"))
    throw new StartRefused(`${path}: an apostrophe would break the set-up page`);
}

function readManifest(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const missing = 'no credentials are set (APP_ID, PRIVATE_KEY and WEBHOOK_SECRET, or GITHUB_TOKEN)';
    const needed = `${path} is needed, or it would be public and without permissions`;
    throw new StartRefused(`${missing}, and to register an App ${needed}`, { cause });
  }
}

function setEnvironment(values: Record<string, string>): () => void {
  const before = Object.keys(values).map((key) => [key, process.env[key]] as const);
  Object.assign(process.env, values);
  return () => {
    for (const [key, value] of before) {
      if (value === undefined) delete process.env[key];
      else process.env[key] = value;
    }
  };
}

/**
 * Adds lines to the end of a `.env` file; the last one of a name wins, so what stood there needs no rewriting. Synchronous,
 * because Probot doesn't wait for it.
 */
export function appendToEnvFile(path: string, values: NodeJS.ProcessEnv): void {
  const lines = Object.entries(values).map(([key, value = '']) => `${key}=${quoted(value)}\n`);
  // The mode counts only for a new file.
  writeFileSync(path, `\n${lines.join('')}`, { flag: 'a', mode: 0o600 });
  chmodSync(path, 0o600);
}

/** Probot hands a key over in double quotes already, with its line breaks. */
function quoted(value: string): string {
  const bare = value.replace(/^"(.*)"$/s, '$1').trim();
  const line = bare.replaceAll('\n', '\\n');
  if (/^[\w.:/@-]*$/.test(line)) return line;
  const quote = bare !== line || !line.includes('"') ? '"' : "'";
  return `${quote}${line}${quote}`;
}
