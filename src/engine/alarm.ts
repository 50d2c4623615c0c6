/** Rings at each of many times. It is never all that stands between a due row and its work: pollers look anyway. */
import type { Clock } from './ports.ts';

/** Times that lie together ring once. */
const GRAIN_MS = 20;
/** What is due later is left to the pollers, so that no more than some thousand times are ever kept. */
const HORIZON_MS = 60_000;

export interface Alarm {
  setFor(time: Date): void;
  clear(): void;
}

export function makeAlarm(clock: Clock, ring: () => void): Alarm {
  const times = new Set<number>();
  let timer: NodeJS.Timeout | undefined;
  let next = Number.POSITIVE_INFINITY;

  function arm(): void {
    next = Math.min(...times);
    if (next !== Number.POSITIVE_INFINITY) timer = setTimeout(rings, Math.max(1, next - clock().getTime()));
  }

  function rings(): void {
    const now = clock().getTime();
    for (const time of times) if (time <= now) times.delete(time);
    arm();
    ring();
  }

  return {
    setFor(time) {
      const at = Math.ceil(time.getTime() / GRAIN_MS) * GRAIN_MS;
      if (at - clock().getTime() > HORIZON_MS) return;
      times.add(at);
      if (at >= next) return;
      clearTimeout(timer);
      arm();
    },
    clear() {
      clearTimeout(timer);
      times.clear();
      next = Number.POSITIVE_INFINITY;
    },
  };
}
