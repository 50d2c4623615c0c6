/** Notices that the clock here was set back: what was due soon, by the clock before, would otherwise be due in hours. */
import type { Clock } from './ports.ts';

const LOOK_MS = 1_000;
/** Clocks that are disciplined slowly are never this far from the one that only counts on. */
const SET_BACK_MS = 1_000;

export function watchClock(clock: Clock, onSetBack: (byMs: number) => void): { stop(): void } {
  let seen = offsetOf(clock);
  const timer = setInterval(() => {
    const offset = offsetOf(clock);
    const byMs = seen - offset;
    seen = offset;
    if (byMs >= SET_BACK_MS) onSetBack(Math.round(byMs));
  }, LOOK_MS);
  return { stop: () => clearInterval(timer) };
}

/** Of the clock to one that nobody sets. */
function offsetOf(clock: Clock): number {
  return clock().getTime() - performance.now();
}
