/**
 * What is left of GitHub's rate limits, and until when it asked for silence, read off every answer. Each installation has limits of
 * its own, as has the owner of a token. Nothing is held up here: who can wait asks first.
 * https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
 */
import { makeLru } from '../core/lru.ts';
import { writeScope } from '../core/pace.ts';
import type { Clock, Quota, RepositoryRef } from '../engine/ports.ts';
import { LONGEST_WAIT_SECONDS, waitOf } from './classify.ts';
import type { Answer } from './http.ts';

/** By GitHub's names of what is counted apart. What else it counts, nothing here uses. */
export type Resource = 'core' | 'graphql';

/** null: the owner of the token. */
type Payer = Pick<RepositoryRef, 'installationId'>;

export interface Quotas {
  /** `asked`: what the answer counts for, where it doesn't say so. */
  note(payer: Payer, answer: Answer, asked: Resource): void;
  /** GitHub asked for so many seconds of silence. */
  silence(payer: Payer, seconds: number): void;
  /** The tighter one of those that hold still; null: none was told. */
  quota(payer: Payer): Quota | null;
  pausedUntil(payer: Payer): Date | null;
}

export interface QuotasOptions {
  now: Clock;
  /** GitHub's clock minus ours. */
  clockOffsetMs(): number | null;
  /** From 0 to 1. */
  chance(): number;
}

type Known = { readonly [R in Resource]?: Quota } & { readonly pause?: { since: Date; until: Date } };

const REMEMBERED = 10_000;

/** Those who were asked to be silent don't come back all at once: up to so much of the wait is added. */
const JITTER = 0.2;

/** Resets are whole seconds by a clock that is known to a second. */
const SAME_RESET_MS = 5_000;

export function makeQuotas({ now, clockOffsetMs, chance }: QuotasOptions): Quotas {
  const known = makeLru<Known>(REMEMBERED);
  const of = (payer: Payer) => known.get(writeScope(payer)) ?? {};
  const learn = (payer: Payer, news: Known) => known.set(writeScope(payer), { ...of(payer), ...news });

  function silence(payer: Payer, seconds: number): void {
    const since = now();
    const until = new Date(since.getTime() + seconds * 1000 * (1 + JITTER * chance()));
    const before = pausedUntil(payer);
    if (before === null || before < until) learn(payer, { pause: { since, until } });
  }

  function note(payer: Payer, answer: Answer, asked: Resource): void {
    const wait = waitOf(answer);
    if (wait !== null) silence(payer, wait);
    const resource = answer.headers['x-ratelimit-resource'] ?? asked;
    const told = toldBy(answer, clockOffsetMs() ?? 0);
    if (told === null || !isCounted(resource) || !holdsAt(told, now())) return;
    learn(payer, { [resource]: latest(of(payer)[resource], told) });
  }

  function quota(payer: Payer): Quota | null {
    const { core, graphql } = of(payer);
    const left = [core, graphql].flatMap((one) => (one !== undefined && one.resetAt > now() ? [one] : []));
    return left.sort((one, other) => leftOf(one) - leftOf(other))[0] ?? null;
  }

  /** A clock that was set back would make a pause longer than it was meant: GitHub says so again where it still is. */
  function pausedUntil(payer: Payer): Date | null {
    const { pause } = of(payer);
    const at = now();
    return pause !== undefined && pause.since <= at && at < pause.until ? pause.until : null;
  }

  return { note, silence, quota, pausedUntil };
}

/** null: the answer tells of none, as where a GitHub Enterprise Server has its limits off. */
function toldBy({ headers }: Answer, clockOffsetMs: number): Quota | null {
  const limit = whole(headers['x-ratelimit-limit']);
  const remaining = whole(headers['x-ratelimit-remaining']);
  const reset = whole(headers['x-ratelimit-reset']);
  if (limit === null || remaining === null || reset === null || limit === 0) return null;
  return { limit, remaining, resetAt: new Date(reset * 1000 - clockOffsetMs) };
}

function whole(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,12}$/.test(header) ? Number(header) : null;
}

function isCounted(resource: string): resource is Resource {
  return resource === 'core' || resource === 'graphql';
}

/** A limit holds for an hour at most: what claims to hold longer is not to be believed. */
function holdsAt({ resetAt }: Quota, now: Date): boolean {
  const aheadMs = resetAt.getTime() - now.getTime();
  return aheadMs > 0 && aheadMs <= LONGEST_WAIT_SECONDS * 1000;
}

/** Answers overtake each other: until the same reset, the one that tells of less is the later one. */
function latest(known: Quota | undefined, told: Quota): Quota {
  const isSame =
    known?.limit === told.limit && Math.abs(known.resetAt.getTime() - told.resetAt.getTime()) <= SAME_RESET_MS;
  return isSame && known.remaining < told.remaining ? known : told;
}

function leftOf({ limit, remaining }: Quota): number {
  return remaining / limit;
}
