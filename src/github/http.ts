/**
 * One HTTP exchange with GitHub: the request that Octokit makes, with its own deadline, redirects handed back instead of
 * followed, and GitHub's clock read off every answer. No retry, no throttling: the outbox and the engine pace.
 */
import { Octokit } from '@octokit/core';
import type { Clock } from '../engine/ports.ts';
import { GitHubError } from '../engine/ports.ts';

/** What came back, whatever its status. `data` is unchecked: a schema has to look at it. */
export interface Answer {
  status: number;
  headers: Readonly<Record<string, string | undefined>>;
  data: unknown;
}

export interface Exchange {
  method: string;
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: unknown;
}

export interface Http {
  baseUrl: string;
  octokit: Octokit;
  /** Throws only `GitHubError` (`retryable`), where no answer came. */
  exchange(exchange: Exchange): Promise<Answer>;
  clockOffsetMs(): number | null;
  /** By GitHub's clock, as far as it is known. */
  githubNow(): Date;
}

export interface HttpOptions {
  /** Without a trailing slash, e.g. `https://api.github.com` or `https://ghe.example/api/v3`. */
  baseUrl: string;
  userAgent: string;
  timeoutMs: number;
  /** Ends what is on its way, and refuses all that comes later. */
  signal?: AbortSignal | undefined;
  now: Clock;
}

export function makeHttp({ baseUrl, userAgent, timeoutMs, signal, now }: HttpOptions): Http {
  const clock = { offsetMs: null as number | null };

  async function timedFetch(url: string, init: RequestInit): Promise<Response> {
    const sentAt = now().getTime();
    const timeout = AbortSignal.timeout(timeoutMs);
    const until = signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
    const response = await fetch(url, { ...init, redirect: 'manual', signal: until });
    clock.offsetMs = offsetOf(response, { sentAt, receivedAt: now().getTime(), known: clock.offsetMs });
    return response;
  }

  const octokit = new Octokit({ baseUrl, userAgent, request: { fetch: timedFetch, log: SILENT }, log: SILENT });
  return {
    baseUrl,
    octokit,
    exchange: (exchange) => exchangeWith(octokit, exchange),
    clockOffsetMs: () => clock.offsetMs,
    githubNow: () => new Date(now().getTime() + (clock.offsetMs ?? 0)),
  };
}

async function exchangeWith(octokit: Octokit, { method, url, headers, body }: Exchange): Promise<Answer> {
  try {
    const {
      status,
      headers: answered,
      data,
    } = await octokit.request({
      method: method as 'GET',
      url,
      headers: { 'x-github-api-version': '2022-11-28', ...headers },
      ...(body === undefined ? {} : { data: body }),
    });
    return { status, headers: answered as Answer['headers'], data };
  } catch (error) {
    const answer = answerOf(error);
    if (answer !== null) return answer;
    const said = reasonOf(error);
    throw new GitHubError('retryable', `${method} ${pathOf(url)}: ${said}`, { said });
  }
}

/** Octokit throws what is no success; the answer inside is all that is kept, so no header of ours travels in an error. */
export function answerOf(error: unknown): Answer | null {
  if (!(error instanceof Error) || !('response' in error)) return null;
  const response = error.response as Partial<Answer> | undefined;
  if (typeof response?.status !== 'number') return null;
  return { status: response.status, headers: response.headers ?? {}, data: response.data };
}

/** A code such as ECONNREFUSED or TimeoutError. Messages stay out: a library may quote a header in them. */
export function reasonOf(error: unknown): string {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth += 1) {
    if ('code' in at && typeof at.code === 'string') return at.code;
    if (at.name === 'TimeoutError') return at.name;
  }
  return error instanceof Error ? error.name : 'unknown';
}

/** Path without query, for messages. */
export function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/]+/, '').replace(/\?.*$/, '');
}

/**
 * `Date` has whole seconds: half a second more is right on average. An answer that took long, as where this process stood still over it,
 * tells little: what is known already stays where it may be right. A broken gateway's clock is not GitHub's.
 */
function offsetOf(
  response: Response,
  { sentAt, receivedAt, known }: { sentAt: number; receivedAt: number; known: number | null },
): number | null {
  const date = Date.parse(response.headers.get('date') ?? '');
  if (Number.isNaN(date) || response.status >= 500) return known;
  const mayBeRight = known !== null && date - receivedAt <= known && known <= date + 1_000 - sentAt;
  return mayBeRight ? known : date + 500 - (sentAt + receivedAt) / 2;
}

const SILENT = Object.freeze({ debug: ignore, info: ignore, warn: ignore, error: ignore });

function ignore(): void {}
