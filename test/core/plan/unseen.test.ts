/** A run that its runner has no record of: lost, not stopped, and nothing begins beside it. */
import { describe, expect, it } from 'vitest';
import { NO_RECORD_REASON } from '../../../src/core/plan/limits.ts';
import type { TaskObservation } from '../../../src/core/plan/observation.ts';
import { planTask } from '../../../src/core/plan/task.ts';
import { DEFAULT_POLICY } from '../../../src/core/policy.ts';
import type { Target } from '../../../src/core/task.ts';
import { aClosedIssue, anEpisode, anExit, anObservation, aRun, aTask, at, T0 } from '../../support/builders.ts';
import { simulate } from '../../support/simulate.ts';

const NO_RECORD = { state: 'no_record' } as const;
const LATE = at(121);
const CLOSED = { state: 'cancelled', cause: 'issue_not_planned', actor: 'ann', episodeId: 'episode_1' } as const;
const ENDED: Target = { becomes: 'ended', ending: CLOSED, effect: 'close:episode_1' };
const REQUEUED: Target = {
  becomes: 'requeued',
  requeue: { reason: 'issue_reopened', actor: 'ann', episodeId: 'episode_1' },
  ending: CLOSED,
  effect: 'close:episode_1',
};

function running(set: Partial<TaskObservation> = {}): TaskObservation {
  const task = aTask({ state: 'running', runNumber: 1, attempt: 1 });
  return anObservation({ task, run: aRun({ startedAt: T0 }), probe: NO_RECORD, ...set });
}

function stopping(target: Target, set: Partial<TaskObservation> = {}, overlap: 'never' | 'allowed' = 'never') {
  const spec = { ...aTask().spec, overlap };
  const task = aTask({ state: 'running', runNumber: 1, attempt: 1, target, spec });
  const run = aRun({ state: 'stopping', startedAt: T0, cancelRequestedAt: at(20), termAt: at(20) });
  const episode = anEpisode({ action: 'cancel', reason: 'not_planned' });
  const closed = { issue: aClosedIssue(), episode, endingEpisode: episode };
  return anObservation({ task, run, probe: NO_RECORD, ...closed, ...set });
}

describe('a run that its runner has no record of', () => {
  it('is left as it is for 120 s since its start', () => {
    expect(planTask(running(), DEFAULT_POLICY, at(119))).toEqual([{ step: 'recheck', at: at(120) }]);
    expect(planTask(stopping(ENDED), DEFAULT_POLICY, at(119))).toEqual([{ step: 'recheck', at: at(120) }]);
  });

  it('is lost after that, for the pinned reason, without an exit code, and was not seen gone', () => {
    const { run, task } = simulate(running(), LATE).observation;
    const lost = { state: 'lost', reason: NO_RECORD_REASON, exitCode: null, signal: null, goneAt: null };
    expect(run).toMatchObject({ ...lost, failureClass: 'environment' });
    expect(task).toMatchObject({ state: 'failed', cause: 'runner_lost' });
    expect(simulate(stopping(ENDED), LATE).observation.run).toMatchObject(lost);
  });

  it('is counted from when it was asked for, where nobody knows when it began', () => {
    const run = aRun({ startedAt: null, createdAt: at(10) });
    expect(planTask(running({ run }), DEFAULT_POLICY, at(121))).toEqual([{ step: 'recheck', at: at(130) }]);
    expect(simulate(running({ run }), at(130)).observation.run).toMatchObject({ state: 'lost', startedAt: null });
  });

  it('is told by its runner’s own words, where it has some', () => {
    const probe = { ...NO_RECORD, reason: 'no sign of its terminal since noon' };
    expect(simulate(running({ probe }), LATE).observation.run).toMatchObject({ reason: probe.reason });
    expect(simulate(stopping(ENDED, { probe }), LATE).observation.run).toMatchObject({ reason: probe.reason });
  });

  it('lets its task end as the close said, and calls it lost where that is told', () => {
    const { observation, steps } = simulate(stopping(ENDED), LATE);
    expect(observation.task).toMatchObject({ state: 'cancelled', cause: 'issue_not_planned', actor: 'ann' });
    expect(steps).toMatchObject([
      { result: { state: 'lost', cause: 'runner_lost' }, settlement: { hadFinished: false } },
    ]);
  });

  it('lets no run follow it that a reopen asked for: that is left to a person', () => {
    const open = { issue: anObservation().issue, episode: anEpisode({ state: 'undone' }) };
    const { observation, steps } = simulate(stopping(REQUEUED, open), LATE);
    expect(observation.task).toMatchObject({ state: 'failed', cause: 'runner_lost', generation: 1 });
    expect(steps).toMatchObject([{ settlement: { effect: 'failure:task_1:1' } }]);
  });

  it('is followed where its task allows two at once', () => {
    const open = { issue: anObservation().issue, episode: anEpisode({ state: 'undone' }) };
    expect(simulate(stopping(REQUEUED, open, 'allowed'), LATE).observation.task).toMatchObject({
      state: 'ready',
      generation: 2,
    });
    const spec = { ...aTask().spec, overlap: 'allowed' as const };
    const task = aTask({ state: 'running', runNumber: 1, attempt: 1, spec });
    expect(simulate(running({ task }), LATE).observation.task).toMatchObject({ state: 'ready', generation: 1 });
  });

  it('is not followed by a later reopen either, which says so; a run that was seen gone is', () => {
    const { task, run } = simulate(stopping(ENDED), LATE).observation;
    const authority = 'granted' as const;
    const reopen = { actor: 'ann', authority, at: at(130) };
    const reopened = { issue: anObservation().issue, episode: anEpisode({ state: 'undone', reopen }), probe: null };
    expect(planTask(anObservation({ task, run, ...reopened }), DEFAULT_POLICY, at(140))).toMatchObject([
      { step: 'refuse', why: 'unseen' },
    ]);
    const seen = simulate(stopping(ENDED, { probe: anExit({ exitCode: null, signal: 'TERM' }) }), LATE).observation;
    expect(planTask({ ...seen, ...reopened }, DEFAULT_POLICY, at(140))).toMatchObject([{ step: 'requeue' }]);
  });

  it('keeps what was seen of it before: then it was stopped, with its exit', () => {
    const o = stopping(ENDED);
    const gone = { ...o, run: { ...o.run!, goneAt: at(25), exitCode: 3 } };
    expect(planTask(gone, DEFAULT_POLICY, at(40))).toMatchObject([
      { step: 'settle', goneAt: at(25), result: { state: 'cancelled', exitCode: 3 } },
    ]);
  });

  it('ends as the close said where its batch is over, whatever a reopen asked for', () => {
    const open = {
      issue: anObservation().issue,
      episode: anEpisode({ state: 'undone' }),
      barred: 'superseded',
    } as const;
    for (const overlap of ['never', 'allowed'] as const) {
      const { observation } = simulate(stopping(REQUEUED, { ...open, endingEpisode: null }, overlap), LATE);
      expect(observation.task).toMatchObject({ state: 'cancelled', cause: 'issue_not_planned' });
    }
  });

  it('is asked what it left before a reopen’s task fails', () => {
    const open = { issue: anObservation().issue, episode: anEpisode({ state: 'undone' }) };
    const o = stopping(REQUEUED, open);
    const spec = { ...o.task.spec, evidence: { branch: 'work/12', base: null } };
    const asking = { ...o, task: { ...o.task, spec } };
    expect(planTask(asking, DEFAULT_POLICY, LATE)).toEqual([{ step: 'seek_evidence' }]);
    const evidence = { found: 'commits', branch: 'work/12', base: 'main', aheadBy: 1 } as const;
    expect(simulate({ ...asking, evidence }, LATE).observation.task).toMatchObject({ cause: 'review', target: null });
  });

  it('forgets signals that reached nobody', () => {
    expect(simulate(stopping(ENDED), LATE).observation.run).toMatchObject({ termAt: null, killAt: null });
  });

  it('that was never seen is kept from beginning, and ends at once', () => {
    const o = stopping(ENDED);
    const unstarted = { ...o, run: { ...o.run!, startedAt: null } };
    expect(planTask(unstarted, DEFAULT_POLICY, at(21))).toEqual([{ step: 'signal', mode: 'void' }]);
  });

  it('that its runner has heard of is lost, though it was never looked at before it was stopped', () => {
    const o = stopping(ENDED);
    const probe = { ...NO_RECORD, reason: 'nothing was heard since noon' };
    const unseen = { ...o, run: { ...o.run!, startedAt: null }, probe };
    const { run, task } = simulate(unseen, LATE).observation;
    expect(run).toMatchObject({ state: 'lost', reason: probe.reason, goneAt: null });
    expect(task).toMatchObject({ state: 'cancelled', cause: 'issue_not_planned', target: null });
  });

  it('that its runner has heard of is not started once more', () => {
    const probe = { ...NO_RECORD, reason: 'nothing was heard since noon' };
    const o = running({ run: aRun({ state: 'starting', startedAt: null }), probe });
    expect(planTask(o, DEFAULT_POLICY, at(119))).toEqual([{ step: 'recheck', at: at(120) }]);
    expect(simulate(o, LATE).observation.run).toMatchObject({ state: 'lost', reason: probe.reason, goneAt: null });
  });
});
