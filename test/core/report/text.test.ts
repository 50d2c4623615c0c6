/** What others wrote, on a terminal: it is seen, and drives nothing. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { line, visible } from '../../../src/core/report/text.ts';
import { HOSTILE } from './hostile.ts';

const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029]/u;

it('nothing of it is invisible, turns the direction or is an escape', () => {
  fc.assert(
    fc.property(HOSTILE, (text) => {
      expect(visible(text)).not.toMatch(UNSEEN);
      expect(line(text)).not.toMatch(UNSEEN);
    }),
    { numRuns: 1_000 },
  );
  expect(visible('\u001b]52;c;ZXZpbA==\u0007a\u202eb\u200bc 🚂 é')).toBe('�]52;c;ZXZpbA==�a�b�c 🚂 é');
  expect(line(' a\r\n\tb\u202e ')).toBe('a b�');
});
