/** What processes carry. */
import { expect, it } from 'vitest';
import { marksOf } from '../../../src/runners/process/containment/scan.ts';
import { takeSnapshot } from '../../../src/runners/process/proc.ts';

it('is read once for each look around, however many runs are looked for in it', () => {
  const snapshot = takeSnapshot();
  const found = marksOf(process.pid, snapshot);
  expect(marksOf(process.pid, snapshot)).toBe(found);
  expect(marksOf(process.pid, takeSnapshot())).not.toBe(found);
});
