import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatProblem, parseJson } from '../../../src/core/documents/index.ts';
import { offsetOfError } from '../../../src/core/documents/json-error.ts';

function placeOf(text: string): string {
  const parsed = parseJson(text);
  return parsed.ok ? 'fine' : (formatProblem(parsed.problems[0]!).split(': ')[0] ?? '');
}

describe('broken JSON is told with its place', () => {
  it.each([
    ['', 1, 1],
    ['{"a": 1,}', 1, 9],
    ['[1, 2,\n]', 2, 1],
    ['{"a": 1\n "b": 2}', 2, 2],
    ['{a: 1}', 1, 2],
    ['{"a" 1}', 1, 6],
    ['{"a": yes}', 1, 7],
    ['{"a": 01}', 1, 7],
    ['{"a": 1}\n{', 2, 1],
    ['[1}', 1, 3],
    ['["a\nb"]', 1, 4],
    ['["a\\x"]', 1, 4],
    ['{"a": [1, 2', 1, 12],
    ['["a', 1, 4],
    [']', 1, 1],
  ])('%j', (text, line, column) => {
    expect(placeOf(text)).toBe(`line ${line}, column ${column}`);
  });

  it('and what is JSON is found to be so to its end', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(4), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), null, indent);
        expect(offsetOfError(text)).toBe(text.length);
      }),
    );
  });

  it('tells the engine’s reason without its own idea of the place', () => {
    const parsed = parseJson('{"a": 1,}');
    expect(parsed.ok ? '' : parsed.problems[0]?.message).toMatch(/^is no JSON: (?!.*position).+/);
  });
});
