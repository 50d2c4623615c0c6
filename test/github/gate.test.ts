import { expect, it } from 'vitest';
import { makeGate } from '../../src/github/gate.ts';

it('lets so many in at once, the others in their order, and goes on after a failure', async () => {
  const gate = makeGate(2);
  const order: number[] = [];
  let [inside, most] = [0, 0];
  const visits = [0, 1, 2, 3, 4].map((visit) =>
    gate(async () => {
      order.push(visit);
      inside += 1;
      most = Math.max(most, inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
      if (visit === 1) throw new Error('no answer');
      return visit;
    }).catch(() => 'failed'),
  );
  expect(await Promise.all(visits)).toEqual([0, 'failed', 2, 3, 4]);
  expect(order).toEqual([0, 1, 2, 3, 4]);
  expect(most).toBe(2);
});
