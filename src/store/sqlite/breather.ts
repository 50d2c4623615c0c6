/**
 * SQLite answers before it returns, so work that only waits for it goes from one statement to the next without the event
 * loop ever getting a turn: no request is read and no timer fires. This gives the loop a turn now and then.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Shorter, and many flows share the time so finely that each of them, a stop too, ends as late as all of them together. */
const BREATH_MS = 20;

/** Called before a statement; to be waited for where it gives a promise. */
export type Breathe = () => Promise<void> | undefined;

export function makeBreather(): Breathe {
  /** When the first statement since the loop's last turn was asked for. */
  let busySince: number | null = null;

  return () => {
    const now = performance.now();
    if (busySince === null) {
      busySince = now;
      setImmediate(() => {
        busySince = null;
      });
    }
    return now - busySince < BREATH_MS ? undefined : nextTurn();
  };
}
