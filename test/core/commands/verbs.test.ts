import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseComment } from '../../../src/core/commands/parse.ts';
import type { Said } from '../../../src/core/commands/said.ts';
import { usageOf, VERBS_OF } from '../../../src/core/commands/usage.ts';

function saidBy(line: string): Said | undefined {
  return parseComment(line, '').lines[0]?.said;
}

const SELECTING = ['cancel', 'retry', 'done', 'skip', 'hold', 'release', 'status', 'logs'] as const;

describe('a verb', () => {
  test.each(SELECTING)('/task %s means one task, or those of the issue', (verb) => {
    expect(saidBy(`/task ${verb}`)).toEqual({ of: 'task', verb, task: null });
    expect(saidBy(`/task ${verb} train`)).toEqual({ of: 'task', verb, task: 'train' });
    expect(saidBy(`/task ${verb}   task_01J-x.Y`)).toEqual({ of: 'task', verb, task: 'task_01J-x.Y' });
  });

  test.each(['cancel', 'resume', 'status'] as const)('/batch %s means one batch, or that of the issue', (verb) => {
    expect(saidBy(`/batch ${verb}`)).toEqual({ of: 'batch', verb, batch: null });
    expect(saidBy(`/batch ${verb} nightly`)).toEqual({ of: 'batch', verb, batch: 'nightly' });
  });

  test.each(['link', 'unlink'] as const)('/task %s means one task', (verb) => {
    expect(saidBy(`/task ${verb} task_1`)).toEqual({ of: 'task', verb, task: 'task_1' });
    expect(saidBy(`/task ${verb}`)).toMatchObject({ verb: 'wrong', meant: verb, problem: 'which task is missing' });
  });

  test('/batch run means one batch', () => {
    expect(saidBy('/batch run nightly')).toEqual({ of: 'batch', verb: 'run', batch: 'nightly' });
    expect(saidBy('/batch run')).toMatchObject({ verb: 'wrong', meant: 'run', problem: 'which batch is missing' });
  });

  test.each(['block', 'answer'] as const)('/task %s takes the rest of the line as it stands', (verb) => {
    expect(saidBy(`/task ${verb}  which *seed*,  "7" or \`8\`? `)).toEqual({
      of: 'task',
      verb,
      text: 'which *seed*,  "7" or `8`?',
    });
    expect(saidBy(`/task ${verb} ${'x'.repeat(2000)}`)).toEqual({ of: 'task', verb, text: 'x'.repeat(2000) });
    expect(saidBy(`/task ${verb} ${'x'.repeat(2001)}`)).toMatchObject({
      verb: 'wrong',
      problem: 'the text has 2001 characters, and at most 2000 are accepted',
    });
    expect(saidBy(`/task ${verb}  `)).toMatchObject({ verb: 'wrong', meant: verb, problem: 'the text is missing' });
  });

  test.each(['task', 'batch'] as const)('/%s help takes a word that means nothing', (of) => {
    expect(saidBy(`/${of} help`)).toEqual({ of, verb: 'help' });
    expect(saidBy(`/${of} help run now`)).toEqual({ of, verb: 'help' });
  });

  test.each([
    ['/task', 'task', ''],
    ['/batch ', 'batch', ''],
    ['/task cancle', 'task', 'cancle'],
    ['/task Cancel', 'task', 'Cancel'],
    ['/task cancel, please', 'task', 'cancel,'],
    ['/task resume', 'task', 'resume'],
    ['/batch logs', 'batch', 'logs'],
    ['/task __proto__', 'task', '__proto__'],
    ['/task constructor', 'task', 'constructor'],
    ['/batch toString x', 'batch', 'toString'],
    ['/task can\u200Bcel', 'task', 'can\u200Bcel'],
    [`/task ${'x'.repeat(101)}`, 'task', 'x'.repeat(100)],
  ])('%j is none', (line, of, word) => {
    expect(saidBy(line)).toEqual({ of, verb: 'unknown', word });
  });
});

describe('what is no name is told', () => {
  test.each([
    ['/task cancel a b', '"b" is one word too many: it takes one task'],
    ['/batch cancel a b c', '"b" is one word too many: it takes one batch'],
    ['/task link a b', '"b" is one word too many: it takes one task'],
    ['/task cancel #12', '"#12" is no name of a task: letters, digits and `._-`, at most 100 of them'],
    ['/task cancel a/b', '"a/b" is no name of a task: letters, digits and `._-`, at most 100 of them'],
    ['/task cancel `a`', '"`a`" is no name of a task: letters, digits and `._-`, at most 100 of them'],
    ['/batch run $(id)', '"$(id)" is no name of a batch: letters, digits and `._-`, at most 100 of them'],
    ['/task cancel tr\u0430in', '"tr\u0430in" is no name of a task: letters, digits and `._-`, at most 100 of them'],
    ['/task run <template>', '"<template>" is no name of a template: letters, digits and `._-`, at most 100 of them'],
    ['/task cancel __proto__', '"__proto__" is reserved and can\'t be a name'],
    ['/task run constructor', '"constructor" is reserved and can\'t be a name'],
    ['/task run', 'which template is missing'],
    [
      `/task cancel ${'x'.repeat(101)}`,
      `"${'x'.repeat(60)}…" is no name of a task: letters, digits and \`._-\`, at most 100 of them`,
    ],
  ])('%j', (line, problem) => {
    expect(saidBy(line)).toMatchObject({ verb: 'wrong', meant: line.split(' ')[1], problem });
  });
});

describe('inputs', () => {
  test.each([
    ['', {}],
    ['lr=0.1', { lr: '0.1' }],
    ['lr=0.1 \t epochs=3', { lr: '0.1', epochs: '3' }],
    ['a=', { a: '' }],
    ['a="" b=\'\'', { a: '', b: '' }],
    ['a==b=c', { a: '=b=c' }],
    ['msg="two words" n=1', { msg: 'two words', n: '1' }],
    ["msg='two  words' n=1", { msg: 'two  words', n: '1' }],
    [String.raw`a="say \"x\" and \\" b=1`, { a: String.raw`say "x" and \ `.trim(), b: '1' }],
    [String.raw`a="\n\t\$" b='\"' c=\n`, { a: String.raw`\n\t\$`, b: String.raw`\"`, c: String.raw`\n` }],
    ['a=$(id) b=`id` c=$HOME d=*;rm e=a&&b f=~', { a: '$(id)', b: '`id`', c: '$HOME', d: '*;rm', e: 'a&&b', f: '~' }],
    ['a="$(id) `id` $HOME * ~"', { a: '$(id) `id` $HOME * ~' }],
    ['a=--flag b="-x y"', { a: '--flag', b: '-x y' }],
    ['a=*b* c=_d_ e=[f](g) h=<i> j=&amp;', { a: '*b*', c: '_d_', e: '[f](g)', h: '<i>', j: '&amp;' }],
    ['_a-b_1=x A=y', { '_a-b_1': 'x', A: 'y' }],
    ['toString=a valueOf=b hasOwnProperty=c', { toString: 'a', valueOf: 'b', hasOwnProperty: 'c' }],
    [`${'k'.repeat(100)}=v`, { ['k'.repeat(100)]: 'v' }],
    ['a=naïve b=日本', { a: 'naïve', b: '日本' }],
    ['a="x\ty"', { a: 'x\ty' }],
  ])('%j', (text, inputs) => {
    expect(saidBy(`/task run train ${text}`)).toEqual({ of: 'task', verb: 'run', template: 'train', inputs });
  });

  const KEYS = 'a key has letters, digits, _ and -, begins with a letter or _, and has at most 100 characters';

  test.each([
    ['lr', '"lr" is no input: an input is key=value'],
    ['lr = 0.1', '"lr" is no input: an input is key=value'],
    ['a=1 now', '"now" is no input: an input is key=value'],
    ['"a=1"', String.raw`"\"a=1\"" is no input: an input is key=value`],
    ['--lr=1', `"--lr" can't be the key of an input: ${KEYS}`],
    ['=1', `"" can't be the key of an input: ${KEYS}`],
    ['1a=1', `"1a" can't be the key of an input: ${KEYS}`],
    ['a.b=1', `"a.b" can't be the key of an input: ${KEYS}`],
    ['é=1', `"é" can't be the key of an input: ${KEYS}`],
    [`${'k'.repeat(101)}=1`, `"${'k'.repeat(60)}…" can't be the key of an input: ${KEYS}`],
    ['__proto__=1', '"__proto__" is reserved and can\'t be the key of an input'],
    ['constructor=1', '"constructor" is reserved and can\'t be the key of an input'],
    ['prototype=1', '"prototype" is reserved and can\'t be the key of an input'],
    ['a=1 b=2 a=1', 'the input "a" is given twice: give it once'],
    ['a="b', 'the value of "a" begins with a quote that is not closed'],
    ["a='b c", 'the value of "a" begins with a quote that is not closed'],
    [String.raw`a="b\"`, 'the value of "a" begins with a quote that is not closed'],
    ["a=it's b=1", 'a quote is amid the value of "a": put all of the value in quotes'],
    ['a=b"c d"', 'a quote is amid the value of "a": put all of the value in quotes'],
    ['a="b"c', 'after the value of "a" there must be a space: found "c"'],
    ['a="b"\'c\'', 'after the value of "a" there must be a space: found "\'c\'"'],
    ['a=\0', "there is a character that can't be seen (U+FFFD): leave it out"],
    ['a=\u001B[31m', "there is a character that can't be seen (U+001B): leave it out"],
    ['a=b\u200Bc', "there is a character that can't be seen (U+200B): leave it out"],
    ['a\u202E=b', "there is a character that can't be seen (U+202E): leave it out"],
    ['a="b\u2066c"', "there is a character that can't be seen (U+2066): leave it out"],
    ['a=b\u2028c=d', "there is a character that can't be seen (U+2028): leave it out"],
    ['a=\uD83D b=1', "there is a character that can't be seen (U+D83D): leave it out"],
    ['a=\u{E0041}', "there is a character that can't be seen (U+E0041): leave it out"],
  ])('are refused: %j', (text, problem) => {
    expect(saidBy(`/task run train ${text}`)).toEqual({ of: 'task', verb: 'wrong', meant: 'run', problem });
  });

  test('are read back as they were quoted', () => {
    const value = fc.string({ unit: fc.constantFrom('"', '\\', "'", ' ', '=', '$', '`', 'x', 'é', '😀', '\t') });
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^x[a-z0-9_-]{0,9}$/), value), (inputs) => {
        const text = Object.entries(inputs).map(([key, v]) => `${key}="${v.replace(/["\\]/g, String.raw`\$&`)}"`);
        expect(saidBy(['/task run train', ...text].join(' '))).toMatchObject({ verb: 'run', inputs: { ...inputs } });
      }),
    );
  });
});

test('every verb of the table is understood as it is written there', () => {
  const given: Record<string, string> = {
    '<template> [key=value …]': 'train lr=0.1',
    '<question>': 'why?',
    '<text>': 'because',
    '<task>': 'train',
    '[task]': 'train',
    '<name>': 'nightly',
    '[batch]': 'nightly',
  };
  for (const of of ['task', 'batch'] as const) {
    for (const [verb, { takes }] of Object.entries(VERBS_OF[of])) {
      const line = takes === '' ? usageOf(of, verb, '') : usageOf(of, verb, '').replace(takes, given[takes] ?? '?');
      expect(saidBy(line)).toMatchObject({ of, verb });
    }
  }
  expect(usageOf('task', 'run', 'bot')).toBe('/bot task run <template> [key=value …]');
});
