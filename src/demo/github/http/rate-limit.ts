/** The primary rate limit: so many requests an hour for each installation, person or app. */
import { Refusal } from './answer.ts';

const WINDOW_MS = 3_600_000;

export interface RateLimits {
  /** Requests an hour, from now on; default 5,000. */
  setLimit: (limit: number) => void;
  /** Everybody's is used up for `resetInSeconds` (default one hour); answered with `status` (default 403; GitHub uses both). */
  exhaust: (options?: { resetInSeconds?: number; status?: 403 | 429 }) => void;
  restore: () => void;
}

export interface Quota {
  limit: number;
  remaining: number;
  /** Epoch seconds. */
  reset: number;
  used: number;
}

export interface Meter extends RateLimits {
  read: (account: string) => Quota;
  charge: (account: string) => void;
  refuseIfExhausted: (account: string) => void;
}

interface Window {
  used: number;
  resetAt: number;
}

export function makeMeter(now: () => number): Meter {
  const windows = new Map<string, Window>();
  let limit = 5_000;
  let exhausted: { until: number; status: number } | null = null;

  function windowOf(account: string): Window {
    const current = windows.get(account);
    if (current && current.resetAt > now()) return current;
    const opened = { used: 0, resetAt: now() + WINDOW_MS };
    windows.set(account, opened);
    return opened;
  }

  function read(account: string): Quota {
    if (exhausted && exhausted.until > now()) {
      return { limit, remaining: 0, reset: Math.ceil(exhausted.until / 1000), used: limit };
    }
    const { used, resetAt } = windowOf(account);
    return {
      limit,
      remaining: Math.max(0, limit - used),
      reset: Math.ceil(resetAt / 1000),
      used: Math.min(used, limit),
    };
  }

  return {
    setLimit: (wanted) => {
      limit = wanted;
    },
    exhaust: ({ resetInSeconds = 3_600, status = 403 } = {}) => {
      exhausted = { until: now() + resetInSeconds * 1000, status };
    },
    restore: () => {
      exhausted = null;
      windows.clear();
    },
    read,
    charge: (account) => {
      windowOf(account).used += 1;
    },
    refuseIfExhausted: (account) => {
      if (read(account).remaining > 0) return;
      throw new Refusal(exhausted?.status ?? 403, `API rate limit exceeded for ${account}.`);
    },
  };
}

export function quotaHeaders(quota: Quota): Record<string, string> {
  return {
    'x-ratelimit-limit': String(quota.limit),
    'x-ratelimit-remaining': String(quota.remaining),
    'x-ratelimit-reset': String(quota.reset),
    'x-ratelimit-used': String(quota.used),
    'x-ratelimit-resource': 'core',
  };
}
