/** What each test of the store's contract gets: a fresh store and a clock that only the test moves. */
import type { Store } from '../../../src/engine/ports.ts';

export interface StoreTest {
  readonly store: Store;
  /** The store's clock; leases may go by the database's own, so tests let them run out by taking them for 0 ms. */
  readonly now: () => Date;
  /** Moves the clock; returns the new time. */
  readonly advance: (ms: number) => Date;
  /** How often the store told that something was enqueued. */
  readonly wakeUps: () => number;
}

export type Current = () => StoreTest;

/** A time relative to the store's clock, in seconds. */
export function inSeconds({ now }: StoreTest, seconds: number): Date {
  return new Date(now().getTime() + seconds * 1000);
}
