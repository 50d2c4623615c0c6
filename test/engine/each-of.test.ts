/** Work side by side. */
import { expect, it } from 'vitest';
import { eachOf } from '../../src/engine/each-of.ts';

it('takes each once and in order, never more at a time than it may, and as many where there are', async () => {
  const taken: number[] = [];
  let now = 0;
  let most = 0;
  await eachOf([1, 2, 3, 4, 5], 2, async (item) => {
    taken.push(item);
    now += 1;
    most = Math.max(most, now);
    await Promise.resolve();
    now -= 1;
  });
  expect(taken).toEqual([1, 2, 3, 4, 5]);
  expect(most).toBe(2);
});

it('goes on with the others where one fails, and says so', async () => {
  const taken: number[] = [];
  const work = async (item: number) => {
    taken.push(item);
    if (item === 1) throw new Error('no answer');
  };
  await expect(eachOf([1, 2, 3], 2, work)).rejects.toThrow('no answer');
  expect(taken).toEqual([1, 2, 3]);
});
