/** What is left of the rate limit. */
import { accountOf } from '../auth/authenticate.ts';
import { ok } from '../http/answer.ts';
import type { Meter } from '../http/rate-limit.ts';
import type { ApiRequest, Route } from '../http/router.ts';
import type { Site } from '../site.ts';

/** Asking for the limit costs nothing of it. */
export const RATE_LIMIT_OPERATION = '/rate_limit';

export function makeRateLimitRoute(meter: Meter): Route {
  function readRateLimit(_site: Site, request: ApiRequest) {
    const core = meter.read(accountOf(request.caller));
    return ok({ resources: { core, search: { limit: 30, remaining: 30, reset: core.reset, used: 0 } }, rate: core });
  }
  return { method: 'GET', operation: RATE_LIMIT_OPERATION, as: 'anyone', handle: readRateLimit };
}
