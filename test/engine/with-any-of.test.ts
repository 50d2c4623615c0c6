/** A signal of several, some of which outlive the work that it is made for. */
import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { withAnyOf } from '../../src/engine/with-any-of.ts';

const untilAborted = (signal: AbortSignal) =>
  new Promise<unknown>((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)));

it('aborts with the first of them, for its reason', async () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const reason = withAnyOf([one.signal, undefined, other.signal], untilAborted);
  other.abort('closing');
  one.abort('gone');
  expect(await reason).toBe('closing');
});

it('is aborted from the beginning where one of them is', async () => {
  const signals = [new AbortController().signal, AbortSignal.abort()];
  expect(await withAnyOf(signals, async ({ aborted }) => aborted)).toBe(true);
});

it('leaves nothing at any of them, however the work ends', async () => {
  const { signal } = new AbortController();
  const during = await withAnyOf([signal], async () => getEventListeners(signal, 'abort').length);
  await expect(withAnyOf([signal], () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect([during, getEventListeners(signal, 'abort').length]).toEqual([1, 0]);
});
