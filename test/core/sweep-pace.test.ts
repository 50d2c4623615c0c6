import { describe, expect, it } from 'vitest';
import { pauseBefore, RESERVE, retryAfter, waitsUntil } from '../../src/core/sweep-pace.ts';

const NOW = new Date('2026-01-01T10:00:00Z');
const RESET = new Date('2026-01-01T10:40:00Z');
const SILENCE = new Date('2026-01-01T10:50:00Z');

const quota = (remaining: number, limit = 5_000) => ({ limit, remaining, resetAt: RESET });

describe('a repository', () => {
  it.each([
    ['nothing is known of a limit', null, null],
    ['there is more than the reserve', quota(1_001), null],
    ['the reserve is reached', quota(1_000), RESET],
    ['all is used up', quota(0), RESET],
    ['the limit is over by now', { ...quota(0), resetAt: NOW }, null],
    ['a GitHub counts nothing', quota(0, 0), null],
  ])('where %s is asked about accordingly', (_, left, until) => {
    expect(waitsUntil({ quota: left, pausedUntil: null }, NOW)).toEqual(until);
  });

  it('waits for the later of a silence that GitHub asked for and the end of the limit', () => {
    expect(waitsUntil({ quota: quota(0), pausedUntil: SILENCE }, NOW)).toEqual(SILENCE);
    expect(waitsUntil({ quota: null, pausedUntil: SILENCE }, NOW)).toEqual(SILENCE);
    expect(waitsUntil({ quota: null, pausedUntil: NOW }, NOW)).toBeNull();
  });
});

describe('the pause before the next sweep', () => {
  it.each([
    ['is the interval while nothing is known of a limit', null, 1],
    ['is the interval while twice the reserve is left', quota(2_000), 1],
    ['is wider where less is left', quota(1_500), 5.5],
    ['is ten intervals at the reserve', quota(1_000), 10],
  ])('%s', (_, left, intervals) => {
    expect(pauseBefore(30_000, { quota: left }, 0.5)).toBeCloseTo(intervals * 30_000);
  });

  it('is moved by chance, by a tenth at most', () => {
    expect(pauseBefore(30_000, { quota: null }, 0)).toBe(27_000);
    expect(pauseBefore(30_000, { quota: null }, 1)).toBeCloseTo(33_000);
  });

  it('keeps a fifth of the limit for everything else', () => expect(RESERVE).toBe(0.2));
});

describe('after failures', () => {
  it.each([
    [30_000, 1, 0, 60_000],
    [30_000, 3, 0, 240_000],
    [30_000, 40, 0, 600_000],
    [0, 1, 0, 2_000],
    [30_000, 1, 900_000, 900_000],
  ])('an interval of %i ms, %i failures and %i ms asked for make %i ms', (interval, failures, asked, expected) => {
    expect(retryAfter(interval, failures, asked)).toBe(expected);
  });
});
