/**
 * How fast runs may start: a token bucket. A restart with hundreds of ready tasks, or a raised limit, then is a ramp and no
 * stampede on the machine and on GitHub, which is asked before each start.
 */
export interface StartPace {
  /** How many may start now. */
  available(now: Date): number;
  take(count: number, now: Date): void;
  /** When one more may start. */
  nextAt(now: Date): Date;
}

const PER_SECOND = 50;
const BURST = 16;

export function makeStartPace({ perSecond = PER_SECOND, burst = BURST } = {}): StartPace {
  let tokens = burst;
  let at = 0;

  function refill(now: Date): void {
    const ms = now.getTime();
    // A clock that was set back gives nothing, and starts counting anew.
    if (ms > at && at > 0) tokens = Math.min(burst, tokens + ((ms - at) * perSecond) / 1_000);
    at = ms;
  }

  return {
    available(now) {
      refill(now);
      return Math.floor(tokens);
    },
    take(count, now) {
      refill(now);
      tokens -= count;
    },
    nextAt(now) {
      refill(now);
      const missing = Math.max(0, 1 - tokens);
      return new Date(now.getTime() + Math.ceil((missing * 1_000) / perSecond));
    },
  };
}
