import { describe, expect, test } from 'vitest';
import { dependsOnLines } from '../../../src/core/blockers/lines.ts';

describe('a line that begins with what the issue waits for', () => {
  test.each([
    ['Depends on #12', ['#12']],
    ['Blocked by #12', ['#12']],
    ['depends on: #12', ['#12']],
    ['BLOCKED BY : #12.', ['#12']],
    ['Depends on #12, #13 and acme/data#7', ['#12', '#13', 'acme/data#7']],
    ['Depends on #12 #13, and #14', ['#12', '#13', '#14']],
    ['Depends on https://github.com/acme/data/issues/7', ['acme/data#7']],
    ['Depends on <https://ghe.example/acme/my_data.v2/issues/7>', ['acme/my_data.v2#7']],
    ['Depends on [the data](https://github.com/acme/data/issues/7)', []],
    ['Depends on [#12](https://github.com/acme/data/issues/12)', ['#12']],
    ['**Depends on** #12', ['#12']],
    ['**Depends on:** #12', ['#12']],
    ['__Blocked by #12__', ['#12']],
    ['**Blocked by: acme/my_data#12**, *#13*', ['acme/my_data#12', '#13']],
    ['<b>Depends on</b> #12', ['#12']],
    ['- Depends on #12\n- depends on #13', ['#12', '#13']],
    ['1. a\n   - [ ] Depends on #12\n   - [x] Depends on #13', ['#12', '#13']],
    ['## Depends on #12', ['#12']],
    ['Depends on #12\n---\nmore', ['#12']],
    ['Train it.\nDepends on #12\nand then rest', ['#12']],
    ['Train it.\r\nDepends on #12\r\n', ['#12']],
    ['Depends on #12, which is hard, and #13', ['#12']],
    ['Depends on #12 <!-- not #13 -->, #14', ['#12', '#14']],
    ['Depends on #12; #13', ['#12']],
    ['Depends on acme/_data#7 and my\\_org/data#8', ['acme/_data#7', 'my_org/data#8']],
  ])('%j', (body, references) => {
    expect(dependsOnLines(body)).toEqual(references);
  });
});

describe('nothing is named by', () => {
  test.each([
    ['prose', 'Depends on how #12 goes'],
    ['a keyword amid the line', 'This depends on #12'],
    ['a longer word', 'Depends only #12, depends once #13'],
    ['no body', null],
    ['an empty body', ''],
    ['a number that is none', 'Depends on #0, #012'],
    ['a longer reference', 'Depends on #12a\n\nDepends on #12-14\n\nDepends on #1.5\n\nDepends on a/b/c#3'],
    ['another page of the issue', 'Depends on https://github.com/acme/data/issues/7#issuecomment-1'],
    ['a pull request', 'Depends on https://github.com/acme/data/pull/7'],
    ['inline code', '`Depends on #12`'],
    ['inline code of several lines', 'say `a\nDepends on #12\nb` or not'],
    ['a reference in code', 'Depends on `#12`'],
    ['fenced code', '```\nDepends on #12\n```'],
    ['fenced code that is not closed', 'a\n~~~yaml\n```\nDepends on #12'],
    ['fenced code in a list', '- a\n  ```\n  Depends on #12\n  ```'],
    ['indented code', 'a\n\n    Depends on #12'],
    ['a quote', '> Depends on #12'],
    ['a line that goes on with a quote', '> it said\nDepends on #12'],
    ['a quote in a list', '- > Depends on #12'],
    ['a comment', '<!-- Depends on #12 -->'],
    ['a comment of several lines', '<!--\nDepends on #12\n\nDepends on #13\n-->'],
    ['a comment within a paragraph', 'a <!-- b\nDepends on #12\n--> c'],
    ['raw HTML', '<pre>\n\nDepends on #12\n</pre>\n\n<div>\nDepends on #13\n</div>'],
    ['an image', 'Depends on ![#12](a.png)'],
  ])('%s', (_name, body) => {
    expect(dependsOnLines(body)).toEqual([]);
  });
});

test('what stands below a folded part counts, and so does what is in it', () => {
  const body = '<details>\n<summary>More</summary>\n\nDepends on #12\n\n</details>\n\nDepends on #13';
  expect(dependsOnLines(body)).toEqual(['#12', '#13']);
});

test('a reference counts once, however it is spelt, in the order of the text', () => {
  expect(dependsOnLines('Depends on #13, Acme/Data#7\nBlocked by #12, acme/data#7, #13')).toEqual([
    '#13',
    'Acme/Data#7',
    '#12',
  ]);
});

test('of more than fifty references the first fifty count', () => {
  const all = Array.from({ length: 60 }, (_, index) => `#${index + 1}`);
  expect(dependsOnLines(`Depends on ${all.join(', ')}`)).toEqual(all.slice(0, 50));
});

/** The test's own deadline is the proof: what grows faster than the text takes minutes over one of these. */
describe('the longest body that GitHub allows is read, though it be made of nothing but', () => {
  const LENGTH = 65_536;
  const repeated = [
    '[',
    '![',
    '[a](',
    '*a _b ',
    '**a',
    '_a*',
    '<',
    '<a b="',
    'a <!-- ',
    '<!--\n-->\n',
    'a <![CDATA[',
    '`a``',
  ];
  const nested = [
    '>',
    '> ',
    '- ',
    '1. ',
    '> - ',
    '> a\n\n',
    '> a\nb\n',
    '- - - a\n',
    '- a\n',
    '    ',
    '\t',
    '\n',
    '\\',
  ];
  const lines = [
    'a\n=\n',
    '---\n',
    '```\n',
    '~~~ a\n',
    '# a\n',
    'Depends on\n',
    'Depends on #',
    'Depends on #1,\n',
    '<a ',
  ];

  test.each([...repeated, ...nested, ...lines])('%j', (piece) => {
    const start = `Depends on #12\n\n${piece}`;
    const body = start + piece.repeat(Math.floor((LENGTH - start.length) / piece.length));
    expect(dependsOnLines(body)[0]).toBe('#12');
  });

  test('a deep list and empty lines, and code of every length', () => {
    const list = `${'- '.repeat(500)}Depends on #12\n${'\n'.repeat(60_000)}`;
    const code = `Depends on #12\n${Array.from({ length: 360 }, (_, index) => '`'.repeat(index + 1)).join(' ')}`;
    const line = `Depends on ${'a-'.repeat(16_000)}/${' '.repeat(16_000)}#1${' ,'.repeat(8_000)}`;
    expect([list, code, line].map(dependsOnLines)).toEqual([[], ['#12'], []]);
  });
});
