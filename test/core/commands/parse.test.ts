import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mayCommand, parseComment } from '../../../src/core/commands/parse.ts';
import { MAX_COMMANDS } from '../../../src/core/commands/said.ts';

const linesOf = (body: string, prefix = '') => parseComment(body, prefix).lines.map(({ line }) => line);

describe('a line commands', () => {
  test.each([
    ['alone', '/task cancel', ['/task cancel']],
    ['about a batch', '/batch cancel', ['/batch cancel']],
    ['amid prose', 'It diverged.\n/task cancel\nSorry!', ['/task cancel']],
    [
      'several times, in the order of the text',
      '/task cancel a\n\nand\n\n/batch status\n/task logs b',
      ['/task cancel a', '/batch status', '/task logs b'],
    ],
    ['behind up to three spaces', '   /task cancel', ['/task cancel']],
    ['behind up to three spaces amid a paragraph', 'a\n   /task cancel', ['/task cancel']],
    ['with spaces after it', '/task cancel  \t ', ['/task cancel']],
    ['with tabs and several spaces', '/task \t cancel\t a', ['/task \t cancel\t a']],
    ['where lines end with CR and LF', 'a\r\n/task cancel\r\nb', ['/task cancel']],
    ['where lines end with CR', 'a\r/task cancel\rb', ['/task cancel']],
    ['after a byte order mark', '\uFEFF/task cancel', ['/task cancel']],
    ['with a signature of dashes below', '/task cancel\n--\nAnn', ['/task cancel']],
    ['above a line of equals signs', '/task cancel\n====', ['/task cancel']],
    ['after a list and an empty line', '- a\n- b\n\n/task cancel', ['/task cancel']],
    ['after a quote and an empty line', '> a\n\n/task cancel', ['/task cancel']],
    ['after deep lists and an empty line', `${'- '.repeat(9)}+ a\n\n/task cancel`, ['/task cancel']],
    ['after deep quotes and an empty line', `${'>'.repeat(50)} a\n\n/task cancel`, ['/task cancel']],
    ['after a fence', '```\na\n```\n/task cancel', ['/task cancel']],
    ['after a fence in a quote', '> ```\n/task cancel', ['/task cancel']],
    ['after indented code', '    a\n/task cancel', ['/task cancel']],
    ['after an ATX heading', '# a\n/task cancel', ['/task cancel']],
    ['after a comment', '<!-- a -->\n/task cancel', ['/task cancel']],
    ['after a thematic break', '***\n/task cancel', ['/task cancel']],
    ['after link definitions', '[a]: b\n/task cancel', ['/task cancel']],
    ['amid emphasis', '**a\n/task cancel\nb**', ['/task cancel']],
    ['after a hard break of spaces', 'a  \n/task cancel', ['/task cancel']],
    ['after a hard break of a backslash', 'a\\\n/task cancel', ['/task cancel']],
    ['after an escaped backtick', '\\`a\n/task cancel\n\\`', ['/task cancel']],
    ['between backticks of different numbers', '`a\n/task cancel\n``', ['/task cancel']],
    ['between backticks of different paragraphs', '`a\n\n/task cancel\n\nb`', ['/task cancel']],
    ['after brackets that are no link', '[a\n/task cancel\nb]', ['/task cancel']],
    ['after a comment that is not closed', 'a <!-- b\n/task cancel', ['/task cancel']],
    ['after an entity of a backtick', '&#96;a\n/task cancel\n&#96;', ['/task cancel']],
    ['in a text in details, that Markdown reads', '<details>\n\n/task cancel\n\n</details>', ['/task cancel']],
    ['where a code span of its own is in it', '/task answer `a` and `b`', ['/task answer `a` and `b`']],
    [
      'where Markdown would take the stars',
      '/task answer *a* __b__ \\* &amp; <b>',
      ['/task answer *a* __b__ \\* &amp; <b>'],
    ],
    ['where a code span starts in it, but not after it', '/task answer `a\n/task cancel\n`', ['/task answer `a']],
    ['after a word that closes a link', '[a](b)\n/task cancel', ['/task cancel']],
  ])('%s', (_, body, expected) => {
    expect(linesOf(body)).toEqual(expected);
  });
});

describe('no command is', () => {
  test.each([
    ['an empty body', ''],
    ['a longer word', '/tasks cancel\n\n/batches status\n\n/task-run a\n\n/task_run a'],
    ['a path', '/task/run a\n\n/task:run a\n\n/home/task run'],
    ['a line that resembles one', '/task.\n\n/task?\n\n/task, cancel\n\n/task…'],
    ['another case', '/Task cancel\n\n/TASK cancel\n\n/Batch status'],
    ['a space after the slash', '/ task cancel'],
    ['two slashes', '//task cancel'],
    ['what stands amid a line', 'please /task cancel'],
    ['a Cyrillic letter', '/t\u0430sk cancel\n\n/b\u0430tch status'],
    ['a full-width slash', '\uFF0Ftask cancel'],
    ['a division slash', '\u2215task cancel\n\n\u2044task cancel'],
    [
      'a zero-width character before, in or after it',
      '\u200B/task cancel\n\n/ta\u200Bsk cancel\n\n/task\u200B cancel\n\n/\u2060task cancel',
    ],
    ['an override of the direction', '\u202E/task cancel\n\n/\u202Etask cancel\n\n/task\u202E cancel'],
    [
      'another kind of space',
      '/task\u00A0cancel\n\n/task\u2003cancel\n\n\u00A0/task cancel\n\n/task\u2028cancel\n\n\f/task cancel',
    ],
    [
      'what follows a line separator',
      'a\u2028/task cancel\n\na\u2029/task cancel\n\na\u0085/task cancel\n\na\v/task cancel',
    ],
    ['an escaped slash', '\\/task cancel'],
    ['an entity of a slash', '&#47;task cancel\n\n&sol;task cancel'],
    ['emphasis', '**/task cancel**\n\n_/task cancel_'],
    ['inline code', '`/task cancel`'],
    ['inline code of several lines', 'a `b\n/task cancel\nc` d'],
    ['inline code of several backticks', '``a ` b\n/task cancel\n``'],
    ['inline code of a heading of two lines', '`a\n/task cancel\n` b\n---'],
    ['fenced code', '```\n/task cancel\n```'],
    ['fenced code of tildes, with an info', '~~~sh run\n/task cancel\n~~~'],
    ['longer fences', '`````\n```\n/task cancel\n````\n/task cancel\n`````'],
    ['a fence of tildes within one of backticks', '```\n~~~\n/task cancel\n~~~\n/task cancel\n```'],
    ['fenced code that is not closed', '```\n/task cancel\n\n/task done'],
    ['indented code', '    /task cancel\n\n\t/task cancel'],
    ['indented lines of a paragraph', 'a\n    /task cancel\n\nb\n\t/task cancel\n\nc\n \t/task cancel'],
    ['a quote', '> /task cancel\n\n>/task cancel'],
    ['a line that goes on with a quote', '> it said\n/task cancel'],
    ['a line that goes on with a nested quote', '> > it said\n/task cancel'],
    ['an alert', '> [!NOTE]\n> /task cancel'],
    ['a list', '- /task cancel\n* /task cancel\n1. /task cancel'],
    ['a line that goes on with a list', '- a\n/task cancel\n\n1. b\n/task cancel'],
    [
      'a line that goes on with deep lists or quotes',
      `${'- '.repeat(9)}+ a\n/task cancel\n\n${'>'.repeat(50)} a\n/task cancel`,
    ],
    [
      'what stands in deep lists',
      `${'- '.repeat(9)}+ a\n\n${' '.repeat(20)}/task cancel\n${' '.repeat(20)}/task cancel`,
    ],
    ['a paragraph of a list', '- a\n\n  /task cancel'],
    ['an ATX heading', '# /task cancel'],
    ['a row of a table', 'a | b\n--|--\n/task cancel | c\n/task cancel'],
    ['the head of a table', '/task cancel | c\n--|--\n'],
    ['a comment', '<!-- /task cancel -->\n\n<!--\n/task cancel\n\n/task cancel\n-->'],
    ['a comment that is not closed', '<!--\n/task cancel\n\n/task cancel'],
    ['a comment within a paragraph', 'a <!-- b\n/task cancel\n--> c'],
    ['an HTML block', '<div>\n/task cancel\n</div>\n\n<pre>\n\n/task cancel\n\n</pre>'],
    ['an HTML tag of several lines', 'a <img alt="\n/task cancel\n">'],
    [
      'a processing instruction, a declaration, CDATA',
      'a <?b\n/task cancel\n?>\n\na <!B\n/task cancel\nc>\n\na <![CDATA[\n/task cancel\n]]>',
    ],
    ['the text of a link', '[a\n/task cancel\n](b)'],
    ['the text of a link that is defined below', '[a\n/task cancel\n][b]\n\n[b]: c'],
    ['the title of a link', '[a](b "\n/task cancel\n")'],
    ['the text of an image', '![a\n/task cancel\n](b)'],
    ['the text of a link in a link’s place', '[![a\n/task cancel\n](b)](c)'],
    ['a link definition', '[a]: b "\n/task cancel\n"\n\n[a\n/task cancel\n]: b'],
    ['a word of another prefix', '/bot task cancel'],
  ])('%s', (_, body) => {
    expect(parseComment(body, '')).toEqual({ lines: [], dropped: 0 });
  });
});

describe('where a prefix is set', () => {
  test('it stands before the command', () => {
    expect(parseComment('/bot task cancel a\n/bot \t batch status', 'bot').lines).toEqual([
      { line: '/bot task cancel a', said: { of: 'task', verb: 'cancel', task: 'a' } },
      { line: '/bot \t batch status', said: { of: 'batch', verb: 'status', batch: null } },
    ]);
  });

  test.each([
    '/task cancel',
    '/bottask cancel',
    '/bot/task cancel',
    '/bots task cancel',
    '/Bot task cancel',
    '/bot',
    '/bot tasks',
    '/task bot cancel',
    '/bot\ntask cancel',
  ])('nothing is said by %j', (body) => {
    expect(linesOf(body, 'bot')).toEqual([]);
  });

  test('its characters mean themselves', () => {
    expect(linesOf('/a.b task cancel\n\n/axb task cancel', 'a.b')).toEqual(['/a.b task cancel']);
    expect(linesOf('/a+(b task cancel', 'a+(b')).toEqual(['/a+(b task cancel']);
  });
});

describe('the line that is kept', () => {
  test('has at most 200 characters', () => {
    const [long] = linesOf(`/task answer ${'x'.repeat(1000)}`);
    expect(long).toBe(`/task answer ${'x'.repeat(186)}…`);
    expect(linesOf(`/task answer ${'x'.repeat(187)}`)).toEqual([`/task answer ${'x'.repeat(187)}`]);
  });

  test('is cut between characters', () => {
    const [long] = linesOf(`/task answer ${'😀'.repeat(1000)}`);
    expect(long).toBe(`/task answer ${'😀'.repeat(186)}…`);
    expect(linesOf(`/task answer ${'😀'.repeat(187)}`)).toEqual([`/task answer ${'😀'.repeat(187)}`]);
  });
});

describe('too many commands', () => {
  test.each([20, 21, 500, 10_000])('%i: the first are kept, the others counted', (count) => {
    const body = Array.from({ length: count }, (_, i) => `/task cancel t${i}`).join('\n');
    const { lines, dropped } = parseComment(body, '');
    expect(lines.map(({ line }) => line)).toEqual(body.split('\n').slice(0, MAX_COMMANDS));
    expect(dropped).toBe(Math.max(0, count - MAX_COMMANDS));
  });

  test('those that are no text do not count', () => {
    const body = `${'/task cancel\n'.repeat(19)}\n\`\`\`\n${'/task cancel\n'.repeat(19)}\`\`\`\n/task done\n/task done`;
    expect(parseComment(body, '').dropped).toBe(1);
  });
});

test('a body that may command is told from one that does not, whatever it is read as', () => {
  expect(mayCommand('a\r\n/task cancel', '')).toBe(true);
  expect(mayCommand('a\r/task', '')).toBe(true);
  expect(mayCommand('```\n/task cancel', '')).toBe(true);
  expect(mayCommand('a /task cancel\n/tasks', '')).toBe(false);
  expect(mayCommand('/task cancel', 'bot')).toBe(false);
  expect(mayCommand('/bot task cancel', 'bot')).toBe(true);
});

describe('a body that would take too long to read', () => {
  test.each(['\n>-\nb', '\n> ```\nb', '\n># a\n1.>'])('commands with what stands before: %j', (unit) => {
    const body = `/task cancel\n\n${unit.repeat(10_000)}\n\n/task done`;
    expect(linesOf(body)).toEqual(['/task cancel']);
    expect(linesOf(`/task cancel\n\n${unit.repeat(50)}\n\n/task done`)).toEqual(['/task cancel', '/task done']);
  });

  test.each([
    ['wrapped lines in nested quotes', `${'> '.repeat(5)}a long line\n${'goes on and on and on\n'.repeat(2_000)}`],
    ['a long log in a quote', '> 2026-01-01 12:00:00 INFO epoch 7 of 9, loss 0.123\n'.repeat(1_200)],
    ['nested lists', '- a\n  - b\n    - c\n'.repeat(3_000)],
    ['one long paragraph', 'some words, *stars*, `code` and [links](https://example.com)\n'.repeat(1_000)],
    ['one long line', 'word '.repeat(13_000)],
    ['many quotes and answers', '> - asked\nanswered\n\n'.repeat(3_000)],
  ])('is not %s', (_, text) => {
    expect(linesOf(`/task cancel\n\n${text}\n\n/task done`)).toEqual(['/task cancel', '/task done']);
  });
});

describe('whatever is written', () => {
  const COMMAND = '/task cancel victim';
  const pieces = [
    COMMAND,
    '/task',
    '/task run a b=c',
    '/batch run',
    '\n',
    '\n\n',
    '\r\n',
    '\r',
    '`',
    '```',
    '~~~',
    '    ',
    '\t',
    '> ',
    '- ',
    '1. ',
    '# ',
    '---',
    '|',
    '|-|',
    '\\',
    '*',
    '__',
    '[',
    '](',
    ')',
    ']: ',
    '![',
    '<a ',
    '<!--',
    '-->',
    '<div>',
    '<?',
    '>',
    '"',
    "'",
    '&#47;',
    'x',
    ' ',
    '\0',
    '\u200B',
    '\u202E',
    '\u2028',
    '\f',
    '\uFEFF',
    '😀',
    '\uD83D',
  ];
  const markdown = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join(''));
  const anything = fc.oneof(markdown, fc.string({ unit: 'binary', maxLength: 300 }));

  test('is read without a fault, and what is found is a line of it', () => {
    fc.assert(
      fc.property(anything, fc.constantFrom('', 'bot'), (body, prefix) => {
        const lines = body
          .replace(/^\uFEFF/, '')
          .replaceAll('\0', '\uFFFD')
          .split(/\r\n|\r|\n/)
          .map((line) => line.trim());
        for (const { line } of parseComment(body, prefix).lines) expect(lines).toContain(line);
      }),
      { numRuns: 2_000 },
    );
  });

  test('says the same with other line ends', () => {
    fc.assert(
      fc.property(markdown, (body) => {
        const unix = body.replace(/\r\n?/g, '\n');
        expect(parseComment(body, '')).toEqual(parseComment(unix, ''));
        expect(parseComment(unix.replaceAll('\n', '\r\n'), '')).toEqual(parseComment(unix, ''));
      }),
      { numRuns: 500 },
    );
  });

  test('commands nothing inside a fence, and nothing is lost after it', () => {
    const fence = fc
      .tuple(fc.constantFrom('`', '~'), fc.integer({ min: 3, max: 9 }))
      .map(([mark, length]) => mark.repeat(length));
    fc.assert(
      fc.property(fence, anything, anything, (mark, before, after) => {
        const inside = [before, COMMAND, after]
          .join('\n')
          .split(/\r\n?|\n/)
          .filter((line) => !/^ {0,3}[`~]{3}/.test(line));
        const body = ['/task done first', '', mark, ...inside, mark, '/task done last'].join('\n');
        expect(linesOf(body)).toEqual(['/task done first', '/task done last']);
      }),
      { numRuns: 500 },
    );
  });

  test('commands nothing in a quote, in a list or in indented code', () => {
    fc.assert(
      fc.property(anything, fc.constantFrom('> ', '- ', '1. ', '    ', '\t', '- > ', '> - '), (text, mark) => {
        const body = text
          .split(/\r\n?|\n/)
          .concat(COMMAND)
          .map((line) => mark + line)
          .join('\n');
        expect(linesOf(body)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
