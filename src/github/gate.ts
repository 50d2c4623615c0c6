/** At most so many at once; who comes later waits for its turn, in order. */
export type Gate = <T>(work: () => Promise<T>) => Promise<T>;

export function makeGate(atOnce: number): Gate {
  const waiting: (() => void)[] = [];
  let free = atOnce;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      // A place is handed on, not given back, where somebody waits.
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
