import { describe, expect, it } from 'vitest';
import { newsOf, wouldStop } from '../../src/core/issue-news.ts';
import { anIssue } from '../support/builders.ts';

const AT = new Date('2026-01-01T10:00:00Z');
const LATER = new Date('2026-01-01T10:00:01Z');
const EARLIER = new Date('2026-01-01T09:59:59Z');

const known = (change = {}) => anIssue({ updatedAt: AT, readDue: false, presence: 'present', ...change });
const closed = { state: 'closed', reason: 'completed', closedAt: LATER } as const;

describe('what was seen of an issue', () => {
  it.each([
    ['the same', {}, {}, 'none'],
    ['older, whatever it says', {}, { ...closed, updatedAt: EARLIER }, 'none'],
    ['newer, and nothing else', {}, { updatedAt: LATER }, 'touched'],
    ['newer, with another title', {}, { updatedAt: LATER, title: 'Another' }, 'touched'],
    ['closed', {}, { ...closed, updatedAt: LATER }, 'read'],
    ['closed within the second of what is known', {}, { ...closed, updatedAt: AT }, 'read'],
    ['closed for another reason', closed, { ...closed, reason: 'not_planned', updatedAt: LATER }, 'read'],
    ['closed once more', closed, { ...closed, closedAt: new Date(LATER.getTime() + 1_000), updatedAt: LATER }, 'read'],
    ['locked', {}, { locked: true, updatedAt: LATER }, 'read'],
    ['with other lines of what it depends on', {}, { dependsOn: ['#3'], updatedAt: LATER }, 'read'],
    ['blocked by more', {}, { blockedByCount: 7, updatedAt: LATER }, 'read'],
    ['of another GitHub that tells no count', {}, { blockedByCount: null }, 'none'],
    ['another issue under its number', {}, { nodeId: 'I_other' }, 'read'],
    ['there, after it was gone', { presence: 'deleted' }, {}, 'read'],
    ['closed, while it is to be read anyway', { readDue: true }, { ...closed, updatedAt: LATER }, 'none'],
  ])('%s', (_, before, seen, news) => {
    const row = known(before);
    expect(newsOf(row, { ...row, ...seen } as typeof row)).toBe(news);
  });
});

describe('a stop', () => {
  it.each([
    ['an open issue that is closed', {}, 'closed', true],
    ['one that was closed before', closed, 'closed', false],
    ['one that is open', {}, 'open', false],
    ['one that was gone', { presence: 'deleted' }, 'closed', false],
    ['one that is to be read anyway', { readDue: true }, 'closed', false],
  ] as const)('comes of %s', (_, before, state, stops) => {
    expect(wouldStop(known(before), { state })).toBe(stops);
  });
});
