/** When a followed batch is looked at again: soon after news, seldom without, and never so often that looking is all it does. */

/** Of the time that a look takes. */
const REST = 10;

export interface Pace {
  isDue(): boolean;
  /** There is news. */
  hurry(): void;
  looked(tookMs: number): void;
}

export function makePace(refreshMs: number, clock: () => number = Date.now): Pace {
  let earliest = 0;
  let latest = 0;
  let hurried = true;
  return {
    isDue: () => clock() >= (hurried ? earliest : latest),
    hurry() {
      hurried = true;
    },
    looked(tookMs) {
      hurried = false;
      earliest = clock() + tookMs * REST;
      latest = Math.max(earliest, clock() + refreshMs);
    },
  };
}
