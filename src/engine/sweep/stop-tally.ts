/** How many stops sweeps have wanted lately, in all repositories together: a GitHub that says all at once that everything is over is asked again. */
import type { Clock } from '../ports.ts';

export interface StopTally {
  /** Counts them; true where they are more than may happen without being confirmed. */
  add(stops: number): boolean;
}

/** `limit`: of stops within `windowMs`. */
export function makeStopTally(clock: Clock, limit: () => number, windowMs: number): StopTally {
  let entries: { at: number; stops: number }[] = [];
  return {
    add(stops) {
      if (stops === 0) return false;
      const now = clock().getTime();
      entries = entries.filter(({ at }) => now - at < windowMs && at <= now);
      entries.push({ at: now, stops });
      return entries.reduce((sum, entry) => sum + entry.stops, 0) > limit();
    },
  };
}
