import { describe, expect, it } from 'vitest';
import { branchProblem } from '../../../src/core/documents/branch-name.ts';

describe("a branch's name", () => {
  it.each([
    'main',
    'work/12',
    'a/-b',
    'a.b',
    'a@b',
    'a{b}',
    'lock',
    'a.locked/b',
    '@/x',
    'é🚂',
    'x"y\'z%&#+=',
    'a'.repeat(244),
  ])('is %j, as `git check-ref-format --branch` takes it', (name) => {
    expect(branchProblem(name)).toBeNull();
  });

  it.each([
    ['', 'it must not be empty'],
    ['a b', 'spaces'],
    ['a\tb', 'control characters'],
    ['a\u007f', 'control characters'],
    ...['~', '^', ':', '?', '*', '[', '\\'].map((sign) => [`a${sign}b`, '~ ^ : ? * [ \\']),
    ['a..b', '.. // or @{'],
    ['a//b', '.. // or @{'],
    ['a@{b', '.. // or @{'],
    ['-a', 'begin with - or /'],
    ['/a', 'begin with - or /'],
    ['a/', 'end with / or .'],
    ['a.', 'end with / or .'],
    ['.a', 'begin with .'],
    ['a/.b', 'begin with .'],
    ['a.lock', 'end with .lock'],
    ['a.lock/b', 'end with .lock'],
    ['HEAD', 'no name of its own'],
  ])('is not %j, which git refuses', (name, rule) => {
    expect(branchProblem(name)).toContain(rule);
  });

  // Git itself takes these: the first for the branch that is checked out, the others as they are.
  it.each([
    ['@', 'no name of its own'],
    ['refs/heads/main', 'refs/heads/ goes without saying'],
    ['\ud800', 'control characters'],
    ['é'.repeat(123), 'at most 244 bytes'],
  ])('is not %j', (name, rule) => {
    expect(branchProblem(name)).toContain(rule);
  });
});
