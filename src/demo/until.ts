/** Waits for conditions, not for time: looks again and again until there is an answer, nobody wants it any more, or it took too long. */
import { setTimeout as delay } from 'node:timers/promises';

const LOOK_MS = 100;
const PATIENCE_MS = 20_000;

/** `look` answers null while it is not so far. `what` is told if it never is. */
export async function until<T>(
  what: string,
  signal: AbortSignal,
  look: () => Promise<T | null> | T | null,
): Promise<T> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    signal.throwIfAborted();
    const seen = await look();
    if (seen !== null) return seen;
    if (Date.now() >= end) throw new Error(`waited ${PATIENCE_MS / 1_000} s for this in vain: ${what}`);
    await delay(LOOK_MS);
  }
}
