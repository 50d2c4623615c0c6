/** Pages of a listing that changes while they are read. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { followPages, PER_PAGE, type Place } from '../../src/github/follow-pages.ts';

const START = Date.parse('2026-01-02T03:00:00Z');
const SINCE = new Date(START);

/** Issues by number and the second of their last change, and what changes before each request is answered. */
function makeWorld(seconds: readonly number[], changes: readonly (readonly Change[])[] = []) {
  const updatedAt = new Map(seconds.map((second, index) => [index + 1, START + second * 1_000]));
  const script = [...changes];
  let now = Math.max(START, ...updatedAt.values());
  let requests = 0;

  function touch({ number, later }: Change): void {
    now += later * 1_000;
    updatedAt.set(1 + (number % updatedAt.size), now);
  }

  async function ask({ from, page }: Place) {
    requests += 1;
    for (const change of script.shift() ?? []) touch(change);
    const listed = [...updatedAt]
      .map(([number, time]) => ({ number, updatedAt: new Date(time) }))
      .filter((item) => item.updatedAt.getTime() >= from.getTime() - 1_000)
      .sort((a, b) => a.updatedAt.getTime() - b.updatedAt.getTime() || a.number - b.number);
    const end = page * PER_PAGE;
    return { items: listed.slice(end - PER_PAGE, end), hasMore: listed.length > end };
  }

  return { ask, updatedAt, isQuiet: () => script.length === 0, requests: () => requests };
}

interface Change {
  number: number;
  /** In seconds. */
  later: number;
}

type World = ReturnType<typeof makeWorld>;

async function follow({ ask }: World, since = SINCE) {
  return followPages(ask, since, await ask({ from: since, page: 1 }));
}

/** Listing after listing, each from where the last one came to, until one is whole in a quiet world. */
async function followOn(world: World): Promise<Map<number, number>> {
  const seen = new Map<number, number>();
  let since = SINCE;
  for (let isDone = false; !isDone; ) {
    const wasQuiet = world.isQuiet();
    const { items, wholeUntil } = await follow(world, since);
    for (const { number, updatedAt } of items) seen.set(number, updatedAt.getTime());
    const newest = wholeUntil ?? new Date(Math.max(...items.map((item) => item.updatedAt.getTime())));
    if (wholeUntil !== null) expect(newest.getTime()).toBeGreaterThan(since.getTime());
    since = newest;
    isDone = wasQuiet && wholeUntil === null;
  }
  return seen;
}

/** From one second for all to a second for each. */
const world = fc
  .tuple(fc.integer({ min: 150, max: 450 }), fc.integer({ min: 0, max: 5 }))
  .chain(([count, seconds]) => fc.array(fc.integer({ min: 0, max: seconds }), { minLength: count, maxLength: count }));

const change = fc.record({ number: fc.nat(), later: fc.integer({ min: 0, max: 2 }) });
const changes = fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 12 });

describe('a listing that changes while its pages are read', () => {
  test('holds all that changed before it began and did not change since', async () => {
    await fc.assert(
      fc.asyncProperty(world, changes, async (seconds, script) => {
        const changing = makeWorld(seconds, script);
        const before = new Map(changing.updatedAt);
        const { items, wholeUntil } = await follow(changing);
        const until = wholeUntil?.getTime() ?? Number.POSITIVE_INFINITY;
        const seen = new Set(items.map(({ number }) => number));
        const isStill = ([number, time]: [number, number]) => changing.updatedAt.get(number) === time && time <= until;
        expect([...before].filter(isStill).filter(([number]) => !seen.has(number))).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  test('and is gone on with loses nothing', async () => {
    await fc.assert(
      fc.asyncProperty(world, changes, async (seconds, script) => {
        const changing = makeWorld(seconds, script);
        const seen = await followOn(changing);
        expect([...changing.updatedAt].filter(([number, time]) => seen.get(number) !== time)).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  test('is gone through again where one slipped into the page before', async () => {
    const oneSecond = Array.from({ length: 250 }, () => 0);
    const changing = makeWorld(oneSecond, [[], [{ number: 4, later: 1 }]]);
    const { items } = await follow(changing);
    expect(new Set(items.map(({ number }) => number)).size).toBe(250);
  });
});

describe('a listing of more than one call reads', () => {
  const spread = (count: number, perSecond: number) =>
    Array.from({ length: count }, (_, index) => 1 + Math.floor(index / perSecond));

  test('ends with a second of which it holds all', async () => {
    const large = makeWorld(spread(2_500, 7));
    const { items, wholeUntil } = await follow(large);
    if (wholeUntil === null) expect.fail('it was read to its end');
    const seen = new Set(items.map(({ number }) => number));
    const until = [...large.updatedAt].filter(([, time]) => time <= wholeUntil.getTime());
    expect(until.length).toBeGreaterThan(800);
    expect(until.filter(([number]) => !seen.has(number))).toEqual([]);
    expect(large.requests()).toBe(10);
  });

  test.each([1, 7, 99, 100, 101, 1_200])('comes to its end by several, with %i issues in each second', async (many) => {
    const large = makeWorld(spread(2_500, many));
    expect(await followOn(large)).toEqual(large.updatedAt);
  });
});
