/** Work that comes again by itself. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseKey } from '../../src/engine/keys.ts';
import { makeSweeper } from '../../src/engine/sweep/index.ts';
import { makeUpkeep, type Upkeep } from '../../src/engine/upkeep.ts';
import { type Embedded, embed } from '../fixtures/engine/embedded.ts';
import { type Lister, makeLister } from '../fixtures/engine/lister.ts';

let github: Lister;
let embedded: Embedded;
beforeEach(async () => {
  github = makeLister();
  embedded = await embed(github);
});
afterEach(() => embedded.close());

const upkeepWith = (intervalMs: number): Upkeep =>
  makeUpkeep(embedded.deps, makeSweeper(embedded.deps, intervalMs), () => {});
const keysOf = (upkeep: Upkeep) => upkeep.firstKeys(new Date()).map(({ key }) => key);

it('is in the queue from the start; without periodic sweeps only what takes old things away is', () => {
  expect(keysOf(upkeepWith(30_000)).sort()).toEqual(['discover', 'missed', 'retention', 'watch']);
  expect(keysOf(upkeepWith(0))).toEqual(['retention']);
  expect(keysOf(makeUpkeep(embedded.deps, null, () => {}))).toEqual(['retention']);
});

it.each(['watch', 'discover', 'missed', 'retention'])('%s is due again later, once it was done', async (key) => {
  let asked = 0;
  github.hookAttempts = async () => {
    asked += 1;
    return { attempts: [], cursor: null };
  };
  const before = Date.now();
  expect(await upkeepWith(30_000).handle(parseKey(key)!)).toBe(true);
  const due = await embedded.deps.store.queue.nextDue();
  expect(due!.getTime()).toBeGreaterThan(before);
  expect(asked).toBe(key === 'missed' ? 1 : 0);
});

it('of another kind is left to others', async () => {
  expect(await upkeepWith(30_000).handle({ kind: 'schedule' })).toBe(false);
});
