/** What an operator passes to runs is in no log that is shown. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { longestOf, redactedEnd, secretsOf } from '../../../src/runners/process/redact.ts';

const ENV = {
  TOKEN: 'hf_abcdefghij',
  LONGER: 'hf_abcdefghij.klm',
  PATTERN: '(a+)+$[x',
  ACCENTED: 'pâssé-wörd',
  KEY: '-----BEGIN KEY-----\nMIIEabcdef\n-----END KEY-----\n',
  DEVICES: '0',
  EMPTY: '',
};
const secrets = secretsOf({ processEnv: { ...ENV, OTHER: 'not-passed-on' }, passEnv: [...Object.keys(ENV), 'UNSET'] });

/** As the log does it: of an output, its end with a little more. */
function shown(output: string, most: number): string {
  const bytes = Buffer.from(output);
  return redactedEnd(bytes.subarray(Math.max(0, bytes.length - most - longestOf(secrets))), most, secrets).toString();
}

it('a value is hidden wherever it stands, the longer of two first', () => {
  expect(shown(`a ${ENV.TOKEN} b ${ENV.LONGER}${ENV.PATTERN} ${ENV.ACCENTED} ü`, 1_000)).toBe(
    'a [redacted] b [redacted][redacted] [redacted] ü',
  );
});

it('a value of several lines is hidden line by line, too', () => {
  expect(shown(`${ENV.KEY}x`, 1_000)).not.toMatch(/MIIE|BEGIN/);
  expect(shown('  MIIEabcdef\r\n', 1_000)).toBe('  [redacted]\r\n');
});

it('what is too short to be a secret, and what is not passed on, stays', () => {
  expect(shown('10 devices, not-passed-on', 1_000)).toBe('10 devices, not-passed-on');
});

it('wherever the output is cut, no part of a value is left over', () => {
  const piece = fc.constantFrom(...Object.values(ENV), 'hf_', '[redacted]', ' ', '\n', 'word');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.nat(120), (pieces, most) => {
      // Apart from each other, so that no two of them make a third.
      const output = pieces.join(' | ');
      const end = shown(output, most);
      expect(shown(output, 10_000).endsWith(end.replace(/^\uFFFD+/, ''))).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
