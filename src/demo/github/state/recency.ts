/** Things by the time of their last change, so that what changed lately is found without a look at all the rest. */

interface Dated {
  updatedAt: number;
}

export interface Recency<T extends Dated> {
  /** To be told of each change after it, and of what is new. */
  touch: (item: T) => void;
  drop: (item: T) => void;
  /** Changed at that time (epoch milliseconds) or later, the oldest change first. */
  since: (earliest: number) => T[];
}

interface Entry<T> {
  at: number;
  item: T;
}

/** A log of changes, in which only an item's last entry counts. Clocks seldom go back: it is sorted only after they did. */
export function makeRecency<T extends Dated>(): Recency<T> {
  const newest = new Map<T, Entry<T>>();
  let log: Entry<T>[] = [];
  let isSorted = true;

  function isNewest(entry: Entry<T>): boolean {
    return newest.get(entry.item) === entry;
  }

  function tidy(): void {
    log = log.filter(isNewest);
    if (!isSorted) log.sort((a, b) => a.at - b.at);
    isSorted = true;
  }

  function firstSince(earliest: number): number {
    let [low, high] = [0, log.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (log[middle]!.at < earliest) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    touch: (item) => {
      if (newest.get(item)?.at === item.updatedAt) return;
      const entry = { at: item.updatedAt, item };
      isSorted &&= entry.at >= (log.at(-1)?.at ?? entry.at);
      newest.set(item, entry);
      log.push(entry);
      if (log.length > 2 * newest.size + 100) tidy();
    },
    drop: (item) => {
      newest.delete(item);
    },
    since: (earliest) => {
      if (!isSorted) tidy();
      return log
        .slice(firstSince(earliest))
        .filter(isNewest)
        .map(({ item }) => item);
    },
  };
}
