/** What a batch's plan makes of its tasks: needs, a person's cancel, holds, failures, and what can't move any more. */
import { describe, expect, it } from 'vitest';
import type { Batch, BatchOrder } from '../../../src/core/batch.ts';
import { forbidsStarts, planBatch } from '../../../src/core/plan/batch.ts';
import type { Task } from '../../../src/core/task.ts';
import { aBatch, aLookAt, aMember, aTask, type Needing, T0 } from '../../support/builders.ts';

const batch = aBatch();

const hold = { reason: 'disk is full', actor: 'ann', at: T0 };

function member(key: string, set: Partial<Task> = {}): Needing {
  return aMember(aTask({ id: `task_${key}`, key, ...set }));
}

function cancelled(now: boolean): Batch {
  const order: BatchOrder = { kind: 'cancel', now, id: 'command_1', actor: 'ann', cause: 'api', at: T0 };
  return { ...batch, order };
}

/** What is planned, as `step key`. */
function steps(of: Batch, members: readonly Needing[]): string[] {
  return planBatch(of, aLookAt(members)).map((step) => ('task' in step ? `${step.step} ${step.task.key}` : step.step));
}

describe('needs', () => {
  it('lets a task go on as soon as its own needs are done, whatever others do', () => {
    const members = [
      member('a', { state: 'done' }),
      member('b', { state: 'running' }),
      member('c', { state: 'waiting', needs: ['a'] }),
      member('d', { state: 'waiting', needs: ['a', 'b'] }),
    ];
    expect(steps(batch, members)).toEqual(['make_ready c']);
  });

  it('skips what needs a failed task, also while a question or an issue blocks it', () => {
    const failed = member('a', { state: 'failed', cause: 'run_failed' });
    for (const [state, cause] of [
      ['waiting', null],
      ['blocked', 'question'],
      ['blocked', 'blocker'],
    ] as const) {
      expect(steps(batch, [failed, member('b', { state, cause, needs: ['a'] })])).toContain('skip b');
    }
  });

  it('takes a task that a person skipped for done', () => {
    const skipped = member('a', { state: 'skipped', cause: 'api' });
    expect(steps(batch, [skipped, member('b', { state: 'waiting', needs: ['a'] })])).toEqual(['make_ready b']);
  });

  it('takes no task from the person who has to decide on it, nor from what survived its run', () => {
    for (const cause of ['review', 'no_verdict', 'survivors'] as const) {
      const failed = member('a', { state: 'failed' });
      const undecided = member('b', { state: 'blocked', cause, needs: ['a'] });
      expect(steps(batch, [failed, undecided]).filter((step) => step.endsWith(' b'))).toEqual([]);
    }
  });
});

describe('a cancelled batch', () => {
  const members = [
    member('waits', { state: 'waiting', needs: ['runs'] }),
    member('ready'),
    member('asks', { state: 'blocked', cause: 'question' }),
    member('runs', { state: 'running' }),
    member('done', { state: 'done' }),
  ];

  it('ends what has not started and lets what runs finish', () => {
    expect(steps(cancelled(false), members)).toEqual(['cancel waits', 'cancel ready', 'cancel asks']);
  });

  it('stops what runs where that was asked for, before anything else', () => {
    expect(steps(cancelled(true), members)).toEqual(['cancel runs', 'cancel waits', 'cancel ready', 'cancel asks']);
  });

  it('asks nothing twice of a run that is stopping, and of one that did not go', () => {
    const ending = { state: 'cancelled', cause: 'api', actor: 'ann', episodeId: null } as const;
    const stopping = member('a', { state: 'running', target: { becomes: 'ended', ending, effect: null } });
    const survivor = member('b', { state: 'blocked', cause: 'survivors' });
    expect(steps(cancelled(true), [stopping, survivor])).toEqual([]);
  });

  it('starts nothing more, also nothing whose needs are done meanwhile', () => {
    const open = [member('a', { state: 'done' }), member('b', { state: 'waiting', needs: ['a'] })];
    expect(steps(cancelled(false), open)).toEqual(['cancel b']);
    expect(forbidsStarts(cancelled(false), [])).toBe(true);
  });

  it('is over when all its tasks have ended', () => {
    const ended = [member('a', { state: 'done' }), member('b', { state: 'cancelled', cause: 'api' })];
    expect(planBatch(cancelled(false), aLookAt(ended))).toEqual([
      { step: 'set_state', state: 'partial', stuck: false },
      { step: 'finish_cancel' },
    ]);
  });
});

describe('a batch in which nothing can move', () => {
  it('is stuck while it is on hold and nothing runs', () => {
    expect(planBatch({ ...batch, hold }, aLookAt([member('a')]))).toEqual([
      { step: 'set_state', state: 'running', stuck: true },
    ]);
    expect(planBatch({ ...batch, hold }, aLookAt([member('a'), member('b', { state: 'running' })]))).toEqual([]);
  });

  it('is stuck when a failure forbids every further start', () => {
    const stop: Batch = { ...batch, onFailure: 'stop' };
    const failed = [member('a', { state: 'failed' }), member('b')];
    expect(planBatch(stop, aLookAt(failed))).toEqual([{ step: 'set_state', state: 'running', stuck: true }]);
    expect(planBatch(batch, aLookAt(failed))).toEqual([]);
  });

  it('is stuck while all that is left waits for an answer or for another issue', () => {
    const members = [member('a', { state: 'blocked', cause: 'blocker' }), member('b', { state: 'done' })];
    expect(planBatch(batch, aLookAt(members))).toEqual([{ step: 'set_state', state: 'running', stuck: true }]);
  });
});
