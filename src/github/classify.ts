/**
 * What an answer that is no success means. The only place that decides it; what a 404, 410 or redirect of an issue means is
 * asked of the repository first (see read-repository.ts).
 */
import { z } from 'zod';
import { GitHubError, type GitHubErrorClass } from '../engine/ports.ts';
import type { Answer } from './http.ts';

/** GitHub's own errors are JSON with a message. A proxy's page with the same status says nothing about the issue. */
const ownWordsSchema = z.object({ message: z.string() });

/** GraphQL tells its errors under a status of 200. */
const graphqlWordsSchema = z.object({
  errors: z.tuple([z.object({ type: z.string().nullish(), message: z.string() })], z.unknown()),
});

/** GraphQL's words for what REST says by 403 and 404. */
const LOST = ['FORBIDDEN', 'INSUFFICIENT_SCOPES', 'NOT_FOUND'];

/** GitHub's tokens and JWTs by their shape, should an answer quote one. */
const TOKEN_SHAPES = /\b(gh[a-z]_\w+|github_pat_\w+|eyJ[\w-]+\.[\w.-]+)/g;

/** GitHub: without other headers, wait at least one minute after a secondary limit. */
const SECONDARY_WAIT_SECONDS = 60;
/** A primary limit resets within the hour; whatever names a longer wait is not to be believed. */
export const LONGEST_WAIT_SECONDS = 3660;

export function errorOf(call: string, answer: Answer, secret?: string): GitHubError {
  const words = wordsOf(answer, secret);
  const wait = waitOf(answer);
  const code = wait === null ? classify(answer) : 'throttled';
  const said = `${answer.status}${words === null ? '' : ` ${words}`}`;
  return new GitHubError(code, `${call}: ${said}`, { status: answer.status, retryAfterSeconds: wait, said });
}

/** Whether GitHub itself said it, and not something between. */
export function isGitHubsWord(answer: Answer): boolean {
  return ownWordsSchema.safeParse(answer.data).success;
}

function classify(answer: Answer): GitHubErrorClass {
  const { status } = answer;
  if (status === 200 && LOST.includes(graphqlErrorOf(answer)?.type ?? '')) return 'lost_access';
  // 409: something else changed the same thing at that moment; the next try finds it changed.
  if (status < 400 || status >= 500 || [408, 409].includes(status) || !isGitHubsWord(answer)) return 'retryable';
  return [401, 403, 404, 451].includes(status) ? 'lost_access' : 'refused';
}

/** Seconds to wait where the answer is a rate limit; null where it is none. */
export function waitOf(answer: Answer): number | null {
  const graphql = answer.status === 200 ? graphqlErrorOf(answer) : null;
  if (answer.status !== 403 && answer.status !== 429 && graphql === null) return null;
  const retryAfter = seconds(answer.headers['retry-after']);
  if (retryAfter !== null) return bounded(retryAfter);
  if (answer.headers['x-ratelimit-remaining'] === '0') return untilReset(answer) ?? SECONDARY_WAIT_SECONDS;
  const secondary = /secondary rate limit|abuse detection/i.test(wordsOf(answer) ?? '');
  const limited = graphql?.type === 'RATE_LIMITED' || graphql?.type === 'RATE_LIMIT';
  return answer.status === 429 || limited || secondary ? SECONDARY_WAIT_SECONDS : null;
}

/** `x-ratelimit-reset` is GitHub's clock, so it is compared with GitHub's `Date`. */
function untilReset(answer: Answer): number | null {
  const reset = seconds(answer.headers['x-ratelimit-reset']);
  const date = Date.parse(answer.headers.date ?? '');
  if (reset === null || Number.isNaN(date)) return null;
  return bounded(reset - Math.floor(date / 1000) + 1);
}

function seconds(value: string | undefined): number | null {
  return value !== undefined && /^\d+$/.test(value) ? Number(value) : null;
}

function bounded(wait: number): number {
  return Math.min(Math.max(wait, 1), LONGEST_WAIT_SECONDS);
}

function wordsOf(answer: Answer, secret?: string): string | null {
  const parsed = ownWordsSchema.safeParse(graphqlErrorOf(answer) ?? answer.data);
  if (!parsed.success) return null;
  const words = parsed.data.message.split('\n', 1)[0]?.slice(0, 200) ?? '';
  return (secret ? words.replaceAll(secret, '[redacted]') : words).replace(TOKEN_SHAPES, '[redacted]');
}

function graphqlErrorOf(answer: Answer): { type?: string | null | undefined; message: string } | null {
  const parsed = graphqlWordsSchema.safeParse(answer.data);
  return parsed.success ? parsed.data.errors[0] : null;
}
