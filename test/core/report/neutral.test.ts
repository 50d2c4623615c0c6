/** Whatever people, programs and files say, in a comment it does nothing. Judged by what a Markdown reader makes of it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { address, cell, code, fenced, label, person, prose } from '../../../src/core/report/neutral.ts';
import { HOSTILE, MEANT, see } from './hostile.ts';

describe('text of people and programs', () => {
  it('is one piece of code, and nothing else', () => {
    fc.assert(
      fc.property(HOSTILE, (text) => {
        const seen = see(`As said: ${code(text)}, and so on`);
        expect(seen).toMatchObject({ text: 'As said: , and so on', html: [], links: [], other: [] });
        expect(seen.code).toHaveLength(1);
      }),
      { numRuns: 1_000 },
    );
  });

  it('keeps to its cell of a table', () => {
    fc.assert(
      fc.property(HOSTILE, (text) => {
        const seen = see(`| a | b |\n| --- | --- |\n| ${cell(text)} | end |`);
        expect(seen).toMatchObject({ text: 'abend', html: [], links: [], other: [] });
        expect(seen.code).toHaveLength(1);
      }),
      { numRuns: 1_000 },
    );
  });

  it('stays plain words in a sentence where it is that, and is code where it could be more', () => {
    fc.assert(
      fc.property(HOSTILE, (text) => {
        const seen = see(`It says ${prose(text)}`);
        expect(seen).toMatchObject({ html: [], links: [], other: [] });
        expect(seen.text).not.toMatch(MEANT);
      }),
      { numRuns: 1_000 },
    );
    expect(prose('train waits for an answer: use answer')).toBe('train waits for an answer: use answer');
    expect(prose('say `/task retry train` instead')).toBe('say `/task retry train` instead');
    expect(prose('ask @ann of acme/x#12 now')).toBe('ask `@ann` of `acme/x#12` now');
    expect(prose('tasks.a.issue: acme/x#9, or a_b c_d; now!')).toBe('`tasks.a.issue`: `acme/x#9`, or `a_b c_d`; now!');
  });

  it('stays in its block, whatever fences it holds', () => {
    fc.assert(
      fc.property(HOSTILE, (text) => {
        const seen = see(`before\n\n${fenced(text, 500)}\n\nafter`);
        expect(seen).toMatchObject({ text: 'beforeafter', html: [], links: [], other: [] });
        expect(seen.code).toHaveLength(1);
      }),
      { numRuns: 1_000 },
    );
  });

  it('shows nothing that is invisible, turns the direction or drives a terminal', () => {
    fc.assert(
      fc.property(HOSTILE, (text) => {
        for (const said of [code(text), cell(text), prose(text), fenced(text, 500), label(text)]) {
          expect(said.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u);
        }
      }),
      { numRuns: 1_000 },
    );
    expect(fenced('\u001b[1;31mred\u001b[0m\u001b]0;title\u0007 \u0000x', 100)).toBe('```text\nred �x\n```');
    expect(code('a\u202eb\u200bc\nd')).toBe('`a�b�c d`');
  });

  it('is nothing but letters in the label of a graph', () => {
    fc.assert(
      fc.property(HOSTILE, (text) => {
        expect(label(text)).toMatch(/^[\p{L}\p{N} ._�-]+$/u);
      }),
    );
  });
});

it('backticks stay what they were, in a longer fence', () => {
  expect(code('a`b')).toBe('``a`b``');
  expect(code('`a`')).toBe('`` `a` ``');
});

it('text of any length is short, and takes no time', () => {
  const long = '`@ann #12 \u200b'.repeat(50_000);
  expect(Array.from(code(long)).length).toBeLessThanOrEqual(210);
  expect(prose(long).length).toBeLessThan(6_000);
  expect(fenced(long, 1_000).length).toBeLessThan(1_100);
  // Looked at again from each of its lines, this would take minutes.
  const blank = '\n'.repeat(1_000_000);
  expect(fenced(`${blank}a${blank}b${blank}`, 3_000_002)).toBe(`\`\`\`text\na${blank}b\n\`\`\``);
});

it('the end of a long output is kept, at whole lines', () => {
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\n');
  expect(fenced(lines, 20)).toBe('```text\nline 98\nline 99\n```');
});

it('nobody is notified by their name, and no name is a commit', () => {
  expect(person('ann')).toBe('**ann**');
  expect(person('dependabot[bot]')).toBe('**dependabot[bot]**');
  expect(person('deadbeef')).toBe('`deadbeef`');
  expect(person('some-GH-12')).toBe('`some-GH-12`');
  expect(person('a**b @c')).toBe('`a**b @c`');
  expect(person(null)).toBe('someone whose name GitHub did not tell');
});

it('only an address that can not break out is linked', () => {
  expect(address('https://github.com/acme/widgets/issues/12')).toBe('https://github.com/acme/widgets/issues/12');
  for (const url of [
    null,
    'javascript:alert(1)',
    'https://x.example/a) [b](c',
    'https://x.example/a|b',
    'https://x.example/&commat;a',
    '/x',
  ]) {
    expect(address(url)).toBeNull();
  }
});
