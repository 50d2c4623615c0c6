import { describe, expect, it } from 'vitest';
import { keepBlockersNews } from '../../../src/core/blockers/news.ts';
import { anIssue } from '../../support/builders.ts';

const told = (dependsOn: string[], blockedByCount: number | null) => ({ dependsOn, blockedByCount });

describe('what an answer says of blockers has to be read', () => {
  it.each([
    ['of an issue that was not known, with a line', null, told(['#5'], 0), true],
    ['of an issue that was not known, with dependencies', null, told([], 2), true],
    ['of an issue that was not known, where the count is not told', null, told([], null), true],
    ['of an issue that was not known, with neither', null, told([], 0), false],
    ['where a line came', anIssue(), told(['#5'], 0), true],
    ['where a line went', anIssue({ dependsOn: ['#5'] }), told([], 0), true],
    ['where a line changed', anIssue({ dependsOn: ['#5'] }), told(['#6'], 0), true],
    ['where the count changed', anIssue({ blockedByCount: 1 }), told([], 2), true],
    ['where nothing changed', anIssue({ dependsOn: ['#5'], blockedByCount: 1 }), told(['#5'], 1), false],
    ['where the count is not told', anIssue({ blockedByCount: 1 }), told([], null), false],
    ['where it was due already', anIssue({ blockersDue: true }), told([], 0), true],
  ] as const)('%s: %#', (_, known, answer, due) => {
    expect(keepBlockersNews(known, { ...answer }).blockersDue).toBe(due);
  });

  it('keeps the count that is known where the answer has none', () => {
    expect(keepBlockersNews(anIssue({ blockedByCount: 3 }), told([], null)).blockedByCount).toBe(3);
  });
});
