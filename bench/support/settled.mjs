// The memory of a process that has come to rest.
import { setTimeout as delay } from 'node:timers/promises';
import { median } from './numbers.mjs';

const SETTLE_MS = 4_000;
const SAMPLES = 5;

/** Bytes: the look with the median resident memory. The child answers `memory`. */
export async function settled(child) {
  const seen = [];
  for (let i = 0; i < SAMPLES; i++) {
    await delay(SETTLE_MS / SAMPLES);
    seen.push(await child.ask('memory'));
  }
  const middle = median(seen.map(({ rss }) => rss));
  return seen.find(({ rss }) => rss === middle);
}
