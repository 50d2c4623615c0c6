/** Starts come in a first handful and then one by one, so that a restart is no stampede. */
import { expect, it } from 'vitest';
import { makeStartPace } from '../../src/engine/start-pace.ts';

const at = (ms: number) => new Date(1_000_000 + ms);

it('lets a burst through, then so many a second', () => {
  const pace = makeStartPace({ perSecond: 10, burst: 3 });
  expect(pace.available(at(0))).toBe(3);
  pace.take(3, at(0));
  expect(pace.available(at(0))).toBe(0);
  expect(pace.nextAt(at(0))).toEqual(at(100));
  expect(pace.available(at(100))).toBe(1);
  pace.take(1, at(100));
  expect(pace.available(at(350))).toBe(2);
});

it('never saves up more than the burst, and survives a clock that is set back', () => {
  const pace = makeStartPace({ perSecond: 10, burst: 3 });
  expect(pace.available(at(0))).toBe(3);
  expect(pace.available(at(60_000))).toBe(3);
  pace.take(3, at(60_000));
  expect(pace.available(at(0))).toBe(0);
  expect(pace.available(at(200))).toBe(2);
});
