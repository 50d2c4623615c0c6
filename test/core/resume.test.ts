/** What a resume is about, and what it does to each task. */
import { describe, expect, it } from 'vitest';
import { decideResume, isToBeResumed } from '../../src/core/resume.ts';
import { aClosedIssue, anIssue, aTask, at } from '../support/builders.ts';

const order = { force: false, at: at(100), actor: 'ann' };
const forced = { ...order, force: true };

describe('a resume is about', () => {
  const table = [
    ['a failed task', { state: 'failed', cause: 'run_failed' }, true, true],
    ['an interrupted one', { state: 'cancelled', cause: 'api' }, true, true],
    ['one that waits for an answer', { state: 'blocked', cause: 'question' }, true, true],
    ['one that waits for another issue', { state: 'blocked', cause: 'blocker' }, true, true],
    ['one whose processes survived', { state: 'blocked', cause: 'survivors' }, false, false],
    ['one that is done', { state: 'done', cause: 'run_succeeded' }, false, true],
    ['one that a person skipped', { state: 'skipped', cause: 'api' }, false, true],
    [
      'one that was skipped for a need, which comes back with it',
      { state: 'skipped', cause: 'dependency' },
      false,
      false,
    ],
    ['one that runs', { state: 'running' }, false, false],
    ['one that is ready', { state: 'ready' }, false, false],
  ] as const;
  it.each(table)('%s', (_what, set, plainly, byForce) => {
    const finishedAt = ['blocked', 'running', 'ready'].includes(set.state) ? null : at(50);
    const task = aTask({ ...set, finishedAt });
    expect([isToBeResumed(task, order), isToBeResumed(task, forced)]).toEqual([plainly, byForce]);
  });

  it('no task that was blocked since', () => {
    const blocked = { state: 'blocked', cause: 'blocker', finishedAt: null } as const;
    expect(isToBeResumed(aTask({ ...blocked, updatedAt: at(101) }), order)).toBe(false);
    expect(isToBeResumed(aTask({ ...blocked, updatedAt: at(100) }), order)).toBe(true);
  });

  it('no task that has ended again since', () => {
    expect(isToBeResumed(aTask({ state: 'failed', finishedAt: at(101) }), order)).toBe(false);
  });
});

describe('a resumed task', () => {
  const blocked = { label: 'acme/widgets#7', source: 'body', status: 'open', actor: null, reopenedAt: null } as const;

  it('is queued again with a new generation', () => {
    const task = aTask({ state: 'failed', finishedAt: at(50) });
    expect(decideResume({ task, run: null, issue: anIssue() }, order)).toMatchObject({
      steps: [
        { step: 'release_blockers', released: [] },
        { step: 'requeue', requeue: { reason: 'resume', actor: 'ann' } },
      ],
    });
  });

  it('waits for no answer and no issue any more', () => {
    const blockers = [{ id: 'q', question: 'Which?', actor: 'api', at: at(1) }];
    const task = aTask({ state: 'blocked', cause: 'question', blockers });
    const decided = decideResume({ task, run: null, issue: anIssue(), blockers: [blocked] }, order);
    expect(decided).toMatchObject({
      steps: [
        { step: 'release_blockers', released: [{ blocker: 'acme/widgets#7', actor: 'ann' }] },
        { step: 'set_blockers', blockers: [] },
        { step: 'requeue' },
      ],
    });
  });

  it('stays as it is where its issue is closed or gone', () => {
    const task = aTask({ state: 'failed', finishedAt: at(50) });
    expect(decideResume({ task, run: null, issue: aClosedIssue() }, order)).toEqual({
      left: '#12 is closed: reopen it first',
    });
    expect(decideResume({ task, run: null, issue: anIssue({ presence: 'deleted' }) }, order)).toEqual({
      left: '#12 was deleted',
    });
  });
});
