/**
 * Notices that this machine stood still, as a laptop that was closed or a virtual machine that was paused: the clock went on, and nothing
 * here did, so that no run could say anything. A clock that is set forward looks the same, and means the same. Whoever is stopped alone,
 * as this process may be, stands beside runs that go on: the clock that only counts on counts that time, too.
 */
import type { Clock } from '../../engine/ports/environment.ts';

/** Clocks that are disciplined slowly don't come this far between two looks. */
const JUMP_MS = 5_000;

/** To be asked at each look: since when silence here means something; null: it always did, as far as this process knows. */
export function watchSleep(now: Clock): () => Date | null {
  let offset = offsetOf(now);
  let awakeSince: Date | null = null;
  return () => {
    const seen = offsetOf(now);
    if (seen - offset >= JUMP_MS) awakeSince = now();
    offset = seen;
    return awakeSince;
  };
}

/** Of the clock to one that stands still with the machine. */
function offsetOf(now: Clock): number {
  return now().getTime() - performance.now();
}
