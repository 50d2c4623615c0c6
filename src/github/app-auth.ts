/**
 * Who we are towards GitHub: an App (its JWT, and one token per installation) or the owner of a token. Tokens are cached by
 * @octokit/auth-app; its request hook is not used, because that one retries a 401 by itself.
 */
import { createAppAuth } from '@octokit/auth-app';
import { z } from 'zod';
import { GitHubError } from '../engine/ports.ts';
import { makeSignJwt } from './app-jwt.ts';
import { errorOf } from './classify.ts';
import { answerOf, type Http, reasonOf } from './http.ts';

export type Credentials =
  | { mode: 'app'; appId: number | string; privateKey: string }
  | { mode: 'token'; token: string };

export interface Authorization {
  /** The `Authorization` header. */
  header: string;
  /** The secret inside it, to be kept out of messages. */
  secret: string;
  /** By our clock; null where it isn't known. */
  createdAt: Date | null;
  /** What was known of GitHub's clock when it was made, in ms; only a JWT depends on it. */
  clockOffsetMs: number | null;
}

export interface Auth {
  mode: Credentials['mode'];
  /** Throws `GitHubError`. Concurrent first uses share one token request. */
  forInstallation(installationId: number | null): Promise<Authorization>;
  /** The App itself (`/app` routes); in token mode the token. */
  forApp(): Promise<Authorization>;
  /** GitHub said 401: the next use asks for a new token instead of the cached one. */
  refused(installationId: number | null): void;
  /** GitHub said that the token may not do it: what was granted since comes with a new one, asked for every 10 s at most. */
  outgrown(installationId: number | null): void;
}

const TOKEN_ROUTE = 'POST /app/installations/{installation_id}/access_tokens';

/** By how much an answer has to correct our idea of GitHub's clock, for the clock to be the reason of its refusal. */
const SKEW_MS = 10_000;

/** A token that was made just now holds all that is granted. */
const OUTGROWN_MS = 10_000;

/** A token answer without a token would be cached for an hour like a good one. */
const tokenSchema = z.object({ token: z.string().min(1), createdAt: z.string() });

export function makeAuth(credentials: Credentials, http: Http): Auth {
  return credentials.mode === 'token' ? makeTokenAuth(credentials.token) : makeInstallationAuth(credentials, http);
}

function makeTokenAuth(token: string): Auth {
  const authorization = { header: `token ${token}`, secret: token, createdAt: null, clockOffsetMs: null };
  return {
    mode: 'token',
    forInstallation: async () => authorization,
    forApp: async () => authorization,
    refused: () => {},
    outgrown: () => {},
  };
}

function makeInstallationAuth({ appId, privateKey }: { appId: number | string; privateKey: string }, http: Http): Auth {
  const signJwt = makeSignJwt(appId, privateKey);
  const createJwt = async () => signJwt(http.githubNow());
  const app = createAppAuth({ appId, createJwt, request: http.octokit.request, log: http.octokit.log });
  const stale = new Set<number>();
  const madeAt = new Map<number, Date>();

  async function forInstallation(installationId: number | null): Promise<Authorization> {
    if (installationId === null) throw new GitHubError('lost_access', 'The App is not installed on this repository');
    const refresh = stale.has(installationId);
    const answer = await mint(http, () => app({ type: 'installation', installationId, refresh }));
    const parsed = tokenSchema.safeParse(answer);
    if (!parsed.success) {
      stale.add(installationId);
      throw new GitHubError('retryable', `${TOKEN_ROUTE}: the answer holds no token`);
    }
    stale.delete(installationId);
    const { token, createdAt } = parsed.data;
    madeAt.set(installationId, new Date(createdAt));
    return { header: `token ${token}`, secret: token, createdAt: new Date(createdAt), clockOffsetMs: null };
  }

  async function forApp(): Promise<Authorization> {
    const clockOffsetMs = http.clockOffsetMs() ?? 0;
    const { token } = await mint(http, () => app({ type: 'app' }));
    return { header: `bearer ${token}`, secret: token, createdAt: null, clockOffsetMs };
  }

  return {
    mode: 'app',
    forInstallation,
    forApp,
    refused: (installationId) => void (installationId !== null && stale.add(installationId)),
    outgrown(installationId) {
      const made = installationId === null ? undefined : madeAt.get(installationId);
      if (installationId === null || made === undefined) return;
      if (http.githubNow().getTime() - made.getTime() >= OUTGROWN_MS) stale.add(installationId);
    },
  };
}

async function mint<T>(http: Http, ask: () => Promise<T>): Promise<T> {
  const assumedMs = http.clockOffsetMs() ?? 0;
  try {
    return await ask();
  } catch (error) {
    const answer = answerOf(error);
    if (answer === null) throw new GitHubError('retryable', `${TOKEN_ROUTE}: no token (${reasonOf(error)})`);
    throw skewOf(http, assumedMs, errorOf(TOKEN_ROUTE, answer));
  }
}

/** A JWT that was refused while our idea of GitHub's clock was wrong is only to be signed again by the right one. */
export function skewOf(http: Http, assumedMs: number, error: GitHubError): GitHubError {
  const offBy = (http.clockOffsetMs() ?? 0) - assumedMs;
  if (error.status !== 401 || Math.abs(offBy) < SKEW_MS) return error;
  const message = `${error.message} (our clock differs by ${Math.round(offBy / 1000)} s)`;
  return new GitHubError('retryable', message, { status: 401 });
}
