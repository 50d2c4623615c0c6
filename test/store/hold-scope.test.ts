import { expect, it } from 'vitest';
import type { HoldScope } from '../../src/core/hold.ts';
import { formatScope, parseScope } from '../../src/store/hold-scope.ts';

const scopes: readonly (readonly [string, HoldScope])[] = [
  ['all', { kind: 'all' }],
  ['repository:1001', { kind: 'repository', repositoryId: '1001' }],
  ['runner:all', { kind: 'runner', runner: 'all' }],
  ['runner:repository:1001', { kind: 'runner', runner: 'repository:1001' }],
];

it.each(scopes)('writes and reads the scope %s', (text, scope) => {
  expect(formatScope(scope)).toBe(text);
  expect(parseScope(text)).toEqual(scope);
});

it.each(['', 'ALL', 'all:1', 'organisation:acme', 'a runner:x'])(
  'reads no scope in %j, and says what one is',
  (text) => {
    expect(() => parseScope(text)).toThrow(`'${text}', not 'all', 'repository:ID' or 'runner:NAME'`);
  },
);
