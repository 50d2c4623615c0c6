import fc from 'fast-check';
import markdownIt, { type Token } from 'markdown-it';
import { describe, expect, test } from 'vitest';
import { normalized, readBody, textLines } from '../../../src/core/markdown/reader.ts';

function blocksOf(source: string) {
  return readBody(source).blocks.map(({ type, depth, isQuoted, content }) => ({ type, depth, isQuoted, content }));
}

describe('the blocks of a body', () => {
  test('tell what they are and what is around them', () => {
    expect(blocksOf('a\n\n# b\n\nc\n---\n- d\n  > e\n\n> f')).toEqual([
      { type: 'paragraph', depth: 0, isQuoted: false, content: 'a' },
      { type: 'heading', depth: 0, isQuoted: false, content: 'b' },
      { type: 'underlined', depth: 0, isQuoted: false, content: 'c' },
      { type: 'paragraph', depth: 2, isQuoted: false, content: 'd' },
      { type: 'paragraph', depth: 3, isQuoted: true, content: 'e' },
      { type: 'paragraph', depth: 1, isQuoted: true, content: 'f' },
    ]);
  });

  test('hold no code, HTML or cells of tables', () => {
    expect(blocksOf('```\na\n```\n\n    b\n\n<div>\nc\n</div>\n\nd | e\n--|--\nf | g\n')).toEqual([]);
  });

  test('a table whose rows are short costs what it has', () => {
    const columns = 2_000;
    const table = `${'|a'.repeat(columns)}|\n${'|-'.repeat(columns)}|\n${'|\n'.repeat(30)}\nb`;
    expect(blocksOf(table).map(({ content }) => content)).toEqual(['b']);
  });

  test('what is too deep is left out, and what follows it is read', () => {
    const list = Array.from({ length: 12 }, (_, i) => `${'  '.repeat(i)}- ${i}`).join('\n');
    const contents = blocksOf(`${list}\n\nafter\n\n${'> '.repeat(12)}quoted\n\nend`).map(({ content }) => content);
    expect(contents).toEqual(['0', '1', '2', '3', '4', 'after', 'end']);
  });
});

describe('lists and quotes of any depth', () => {
  test.each(['- ', '> ', '- > ', '> - ', '1. > - '])('%j: what follows is read', (mark) => {
    for (let depth = 1; depth <= 16; depth++) {
      const nested = mark.repeat(depth);
      const { blocks } = readBody(`${nested}a\n\nafter\n\n${nested}b\ngoes on\n\nend`);
      const outside = blocks.filter((block) => block.depth === 0).map(({ content }) => content);
      expect(outside).toEqual(['after', 'end']);
    }
  });
});

test('a text is taken in without a byte order mark, NUL and carriage returns', () => {
  expect(normalized('\uFEFFa\r\nb\rc\n\0\uFEFF')).toBe('a\nb\nc\n\uFFFD\uFEFF');
});

describe('the lines that start as text', () => {
  test.each([
    ['a\nb  \nc\\\nd', [0, 1, 2, 3]],
    ['a `b\nc` d\ne', [0, 2]],
    ['[a\nb](c)\nd', [0, 2]],
    ['![a\nb](c)\nd', [0, 2]],
    ['[![a\nb](c)\nd](e)\nf', [0, 3]],
    ['a <b\nc>\nd</b>', [0, 2]],
    ['a <!-- b\nc\n--> d\ne', [0, 3]],
    ['<https://a.b>\nc', [0, 1]],
    ['[a][r]\n[b\nc][r]\nd', [0, 1, 3]],
    ['   a\n      b', [0, 1]],
  ])('%j', (text, lines) => {
    const { inline } = readBody('[r]: x');
    expect([...textLines(text, inline(text))]).toEqual(lines);
  });

  const STOCK = markdownIt('commonmark').enable('table');
  const COMMAND = '/task cancel';

  /** How often it starts a line, by markdown-it as it comes. */
  function countByStock(source: string): number {
    return STOCK.parse(source, {})
      .filter(({ type, level }) => type === 'inline' && level === 1)
      .flatMap(({ children }) => shown(children ?? []).split('\n'))
      .filter((line) => line.startsWith(COMMAND)).length;
  }

  function shown(tokens: readonly Token[]): string {
    let links = 0;
    return tokens
      .map(({ type, nesting, content }) => {
        if (type.startsWith('link_')) links += nesting;
        if (type === 'softbreak' || type === 'hardbreak') return links > 0 ? ' ' : '\n';
        return type === 'text' ? content : '\uFFFC'.repeat(Math.sign(content.length));
      })
      .join('');
  }

  function countByReader(source: string): number {
    const { lines, blocks, inline } = readBody(source);
    return blocks
      .filter(({ depth }) => depth === 0)
      .flatMap(({ lines: [first, end] }) => {
        const own = lines.slice(first, end);
        const asText = textLines(own.join('\n'), inline(own.join('\n')));
        return own.filter((line, i) => line.startsWith(COMMAND) && asText.has(i));
      }).length;
  }

  test('are those that markdown-it finds by itself, whatever is around them', () => {
    const piece = fc.constantFrom(
      ...['\n', '\n\n', '`', '``', '```\n', '~~~\n', '\n> ', '\n- ', '\n1. ', '\n# ', '\n---\n', '\n===\n', 'a', ' b'],
      ...[
        '[',
        ']',
        '](c)',
        '[r]',
        '\n\n[r]: d\n\n',
        '](<',
        '>)',
        '(',
        ')',
        ' "',
        '"',
        '![',
        '\\',
        '<',
        '<i ',
        '</i>',
        '>',
      ],
      ...['<!--', '-->', '<div>', '<?', '?>', '<!A', '*', '**', '_', '&amp;', '<x:y>', '|', '\n-|-\n', '  ', '=', "'"],
    );
    const command = fc.constant(`\n${COMMAND}\n`);
    const body = fc.array(fc.oneof({ weight: 4, arbitrary: piece }, command), { maxLength: 30 });
    fc.assert(
      fc.property(body, (parts) => {
        const source = parts.join('');
        expect(countByReader(source)).toBe(countByStock(source));
      }),
      { numRuns: 5_000 },
    );
  });
});
