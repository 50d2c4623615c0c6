/**
 * A listing in the order of the last change, page by page while it changes. What changes moves to the end and all behind it one
 * place forward, so that numbered pages would skip what slips into the page before. Each page therefore begins at the time at which
 * the last one ended; only where a second fills whole pages are they gone through by number, and looked at again.
 */
import { GitHubError } from '../engine/ports.ts';

/** As many as GitHub gives at once. */
export const PER_PAGE = 100;
/** Of one call. What is beyond is for the next one. */
const PAGES = 10;
/** Where so many requests find no end, what is listed changes faster than it can be read. */
const REQUESTS = 100;

export interface Page<T> {
  /** The oldest change first. */
  items: readonly T[];
  hasMore: boolean;
}

export interface Place {
  /** What changed then or later. */
  from: Date;
  /** From 1. */
  page: number;
}

export interface Pages<T> {
  /** In the order in which they were read: what changed meanwhile is there twice, as it is now last. */
  items: T[];
  /** All that changed until then is among them; null: all is. */
  wholeUntil: Date | null;
}

interface Listed {
  number: number | undefined;
  updatedAt: Date;
}

/** Throws `GitHubError`. `first`: page 1 from `since`. */
export async function followPages<T extends Listed>(
  ask: (place: Place) => Promise<Page<T>>,
  since: Date,
  first: Page<T>,
): Promise<Pages<T>> {
  const items = [...first.items];
  let place: Place = { from: since, page: 1 };
  let last = first;
  let requests = 1;

  async function read(next: Place): Promise<Page<T>> {
    if (requests === REQUESTS) throw new GitHubError('retryable', 'the listing changes faster than it can be read');
    requests += 1;
    const page = await ask(next);
    items.push(...page.items);
    return page;
  }

  /** The next page by number, if the one before is still as it was read; else the first one again. */
  async function readByNumber(): Promise<void> {
    const next = await read({ ...place, page: place.page + 1 });
    const isStill = isSame(last.items.at(-1), (await read(place)).items.at(-1));
    place = { ...place, page: isStill ? place.page + 1 : 1 };
    last = isStill ? next : await read(place);
  }

  while (last.hasMore) {
    const end = last.items.at(-1)?.updatedAt ?? place.from;
    if (end <= place.from) {
      await readByNumber();
      continue;
    }
    // Until `place.from` all was read; of the second at the end there may be more.
    if (requests >= PAGES && place.from > since) return { items, wholeUntil: place.from };
    place = { from: end, page: 1 };
    last = await read(place);
  }
  return { items, wholeUntil: null };
}

function isSame(a: Listed | undefined, b: Listed | undefined): boolean {
  return a?.number === b?.number && a?.updatedAt.getTime() === b?.updatedAt.getTime();
}
