/** What open blockers do to a task without a run, and their end. */
import { describe, expect, it } from 'vitest';
import type { BlockerView } from '../../../src/core/blockers/blocker.ts';
import { planTask } from '../../../src/core/plan/task.ts';
import { DEFAULT_POLICY } from '../../../src/core/policy.ts';
import type { Task } from '../../../src/core/task.ts';
import { aClosedIssue, anEpisode, anObservation, aRun, aRunningProbe, aTask, at, T0 } from '../../support/builders.ts';
import { simulate } from '../../support/simulate.ts';

const BLOCKED = { state: 'blocked', cause: 'blocker' } as const;

function view(number: number, set: Partial<BlockerView> = {}): BlockerView {
  const label = `acme/widgets#${number}`;
  return { label, source: 'dependency', status: 'open', actor: null, reopenedAt: null, ...set };
}

function planOf(task: Partial<Task>, blockers: readonly BlockerView[]) {
  return planTask(anObservation({ task: aTask(task), blockers }), DEFAULT_POLICY, at(60));
}

const requeue = (actor: string) => ({
  step: 'requeue',
  requeue: { reason: 'blocker_resolved', actor, episodeId: null },
  effect: null,
});

describe('a task whose issue is blocked', () => {
  it.each(['waiting', 'ready'] as const)('is blocked, naming each of them: %s', (state) => {
    const blockers = [view(5), view(6, { status: 'resolved' }), view(7, { status: 'not_completed' })];
    expect(planOf({ state }, blockers)).toEqual([{ step: 'block', by: ['acme/widgets#5', 'acme/widgets#7'] }]);
  });

  it('is left as it is while all that may block it is being judged, be it blocked or not', () => {
    const judged = [view(5, { status: 'judging' }), view(6, { status: 'resolved' })];
    for (const task of [{ state: 'waiting' }, { state: 'ready' }, BLOCKED] as const) {
      expect(planOf(task, judged)).toEqual([]);
    }
    expect(planOf({ state: 'ready' }, [...judged, view(7)])).toEqual([
      { step: 'block', by: ['acme/widgets#5', 'acme/widgets#7'] },
    ]);
  });

  it('stays blocked while one of two is open', () => {
    expect(planOf(BLOCKED, [view(5, { status: 'resolved' }), view(6)])).toEqual([]);
  });

  it('is queued again by the last one, in the name of who closed it', () => {
    const blockers = [view(5, { status: 'refused' }), view(6, { status: 'resolved', actor: 'ann' })];
    expect(planOf(BLOCKED, blockers)).toEqual([requeue('ann')]);
  });

  it('is queued again where no edge is left', () => {
    expect(planOf(BLOCKED, [])).toEqual([requeue('standdown')]);
  });

  it('waits for its answer first where a person asked something, and for the issues then', () => {
    const blockers = [{ id: 'q', question: 'Which?', actor: 'ann', at: T0 }];
    const asked = { state: 'blocked', cause: 'question', blockers } as const;
    expect(planOf(asked, [view(5)])).toEqual([]);
    expect(planOf(asked, [])).toEqual([]);
    expect(planOf({ state: 'blocked', cause: 'question' }, [view(5)])).toEqual([
      { step: 'block', by: ['acme/widgets#5'] },
    ]);
  });

  it('is left to a person where what blocks it is what survived its run', () => {
    expect(planOf({ state: 'blocked', cause: 'survivors' }, [])).toEqual([]);
  });

  it.each(['done', 'failed', 'cancelled', 'skipped'] as const)('has nothing to wait for once it is %s', (state) => {
    expect(planOf({ state, finishedAt: T0 }, [view(5)])).toEqual([]);
  });

  it('ends with its issue, whatever blocks that', () => {
    const seen = { issue: aClosedIssue(), episode: anEpisode(), blockers: [view(5)] };
    const steps = planTask(anObservation({ task: aTask(BLOCKED), ...seen }), DEFAULT_POLICY, at(60));
    expect(steps).toMatchObject([{ step: 'end', ending: { state: 'done' } }]);
  });

  it('runs on where it runs already', () => {
    const running = { task: aTask({ state: 'running', runNumber: 1 }), run: aRun(), probe: aRunningProbe() };
    expect(planTask(anObservation({ ...running, blockers: [view(5)] }), DEFAULT_POLICY, at(60))).toEqual([]);
  });
});

it('comes to rest: blocked while they are open, one new generation when they are not', () => {
  const open = simulate(anObservation({ blockers: [view(5)] }), at(60));
  expect(open.quiet).toBe(true);
  expect(open.observation.task).toMatchObject({ ...BLOCKED, generation: 1 });
  const resolved = simulate({ ...open.observation, blockers: [view(5, { status: 'resolved' })] }, at(70));
  expect(resolved.steps).toHaveLength(1);
  expect(resolved.observation.task).toMatchObject({ state: 'ready', generation: 2, requeueReason: 'blocker_resolved' });
});
