import fc from 'fast-check';
import { expect, it } from 'vitest';
import { composeBody, type Listing, listing, MAX_BODY } from '../../../src/core/report/body.ts';

function list(items: readonly string[], most = items.length): Listing {
  return listing(items, { most, line: (item) => item, more: (left) => `and ${left} more` });
}

const many = Array.from({ length: 100_000 }, (_, index) => `- line ${index}`);

it('what fits is said whole', () => {
  expect(composeBody(['head', '', list(['- a', '- b']), '', 'tail'])).toBe('head\n\n- a\n- b\n\ntail');
  expect(composeBody(['head', list([])])).toBe('head');
});

it('of too many lines the first are said, the rest is counted, and what follows is kept', () => {
  const body = composeBody(['head', list(many), 'tail']);
  expect(body.length).toBeLessThanOrEqual(MAX_BODY);
  expect(body.length).toBeGreaterThan(MAX_BODY - 200);
  const shown = body.split('\n').filter((line) => line.startsWith('- line')).length;
  expect(body).toMatch(new RegExp(`^head\n- line 0\n[^]*\nand ${many.length - shown} more\ntail$`));
});

it('no more lines are said than are asked for', () => {
  expect(composeBody([list(['a', 'b', 'c'], 2)])).toBe('a\nb\nand 1 more');
});

it('is never longer than allowed, never cuts a text or a line, and counts what it leaves out', () => {
  const text = fc.string({ maxLength: 40 }).map((said) => said.replaceAll('\n', ' '));
  const part = fc.oneof(
    text.map((said) => `t${said}.`),
    fc.array(text.map((said) => `l${said}.`)).map((lines) => list(lines)),
  );
  fc.assert(
    fc.property(fc.array(part), fc.integer({ min: 100, max: 400 }), (parts, most) => {
      const body = composeBody(parts, most);
      expect(body.length).toBeLessThanOrEqual(most);
      const whole = new Set(parts.flatMap((each) => (typeof each === 'string' ? each : each.lines)));
      const own = /^(and \d+ more|)$|^_More than one/;
      for (const line of body.split('\n')) expect(own.test(line) || whole.has(line)).toBe(true);
    }),
  );
});
