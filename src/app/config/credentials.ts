/** Which way to GitHub the environment opens. Half a way is a problem, and both ways are the App's with a warning. */
import { createPrivateKey } from 'node:crypto';
import { getPrivateKey } from '@probot/get-private-key';
import type { Credentials } from './config.ts';
import type { EnvReader, ReadFile } from './env.ts';

const APP_KEYS = ['APP_ID', 'PRIVATE_KEY', 'PRIVATE_KEY_PATH'] as const;

export function readCredentials(env: EnvReader, readFile: ReadFile, warn: (warning: string) => void): Credentials {
  const hasToken = env.text('GITHUB_TOKEN') !== null || env.text('GITHUB_REPO') !== null;
  const wantsApp = APP_KEYS.some((key) => env.text(key) !== null);
  if (wantsApp || (!hasToken && env.text('WEBHOOK_SECRET') !== null)) {
    if (hasToken)
      warn("GITHUB_TOKEN and GITHUB_REPO are not used: the App's credentials are set too, and the App wins");
    return readApp(env, readFile);
  }
  return hasToken ? readToken(env) : { mode: 'setup' };
}

function readApp(env: EnvReader, readFile: ReadFile): Credentials {
  const appId = env.number('APP_ID', { fallback: 0, min: 1, max: Number.MAX_SAFE_INTEGER, whole: true });
  if (env.text('APP_ID') === null) env.refuse('APP_ID', "is missing: must be the App's id, a whole number");
  return {
    mode: 'app',
    appId,
    privateKey: readPrivateKey(env, readFile) ?? '',
    webhookSecret: readWebhookSecret(env) ?? '',
    webhookProxyUrl: env.url('WEBHOOK_PROXY_URL'),
  };
}

function readWebhookSecret(env: EnvReader): string | null {
  const secret = env.text('WEBHOOK_SECRET');
  if (secret === null) {
    env.refuse('WEBHOOK_SECRET', 'is missing: must be the secret that the App signs its webhooks with');
  } else if (secret === 'development') {
    env.refuse('WEBHOOK_SECRET', 'is the well-known default: must be a secret of your own');
  }
  return secret;
}

function readPrivateKey(env: EnvReader, readFile: ReadFile): string | null {
  const inline = env.text('PRIVATE_KEY');
  const path = env.text('PRIVATE_KEY_PATH');
  if (inline !== null) return usableKey(env, 'PRIVATE_KEY', () => getPrivateKey({ env: { PRIVATE_KEY: inline } }));
  if (path !== null) return readKeyFile(env, path, readFile);
  env.refuse(
    'PRIVATE_KEY',
    "is missing: must be the App's private key in PEM, or PRIVATE_KEY_PATH the path of its file",
  );
  return null;
}

function readKeyFile(env: EnvReader, path: string, readFile: ReadFile): string | null {
  let pem: string | null;
  let reason = 'there is none';
  try {
    pem = readFile(path);
  } catch (error) {
    pem = null;
    reason = (error as Error).message;
  }
  if (pem !== null) return usableKey(env, 'PRIVATE_KEY_PATH', () => pem);
  env.refuse('PRIVATE_KEY_PATH', `must name a file that can be read: ${reason}`);
  return null;
}

/** Errors of parsing are not passed on: they may quote the key. */
function usableKey(env: EnvReader, key: string, read: () => string | null): string | null {
  try {
    const pem = read() ?? '';
    if (createPrivateKey(pem).asymmetricKeyType === 'rsa') return pem;
    env.refuse(key, 'must be an RSA private key in PEM; this is one of another type');
  } catch {
    env.refuse(key, 'must be an RSA private key in PEM (with line ends, with literal \\n, or in base64); this is none');
  }
  return null;
}

function readToken(env: EnvReader): Credentials {
  const token = env.text('GITHUB_TOKEN');
  const repository = env.matching('GITHUB_REPO', /^[\w-]+\/(?!\.{1,2}$)[\w.-]+$/, 'owner/name');
  if (token === null) env.refuse('GITHUB_TOKEN', 'is missing: GITHUB_REPO is set, and is reached with a token only');
  if (env.text('GITHUB_REPO') === null) {
    env.refuse('GITHUB_REPO', 'is missing: GITHUB_TOKEN is set, and drives one repository, owner/name');
  }
  if (
    env.text('RECONCILIATION_INTERVAL_SECONDS') !== null &&
    Number(env.text('RECONCILIATION_INTERVAL_SECONDS')) === 0
  ) {
    env.refuse(
      'RECONCILIATION_INTERVAL_SECONDS',
      'must be more than 0, not 0: with a token only the sweep sees anything',
    );
  }
  return { mode: 'token', token: token ?? '', repository: repository ?? '' };
}
