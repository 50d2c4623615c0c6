/** What the App's end in a repository means for a task, by its state. */
import { describe, expect, it } from 'vitest';
import type { TaskObservation } from '../../../src/core/plan/observation.ts';
import { planTask } from '../../../src/core/plan/task.ts';
import { DEFAULT_POLICY } from '../../../src/core/policy.ts';
import { END_STATES, type Target } from '../../../src/core/task.ts';
import {
  aClosedIssue,
  anEpisode,
  anExit,
  anObservation,
  aRun,
  aRunningProbe,
  aTask,
  at,
} from '../../support/builders.ts';

const ENDING = { state: 'cancelled', cause: 'app_uninstalled', actor: 'github', episodeId: null };

function planned(set: Partial<TaskObservation>) {
  return planTask(anObservation({ isUninstalled: true, ...set }), DEFAULT_POLICY, at(60));
}

function stopping(target: Target, set: Partial<TaskObservation> = {}) {
  const run = aRun({ state: 'stopping', cancelRequestedAt: at(30), termAt: at(30) });
  return planned({ task: aTask({ state: 'running', runNumber: 1, target }), run, probe: aRunningProbe(), ...set });
}

describe('where the App was taken away', () => {
  it.each(['waiting', 'ready', 'blocked'] as const)('a %s task ends, and nobody is told', (state) => {
    expect(planned({ task: aTask({ state }) })).toEqual([{ step: 'end', ending: ENDING, effect: null }]);
  });

  it.each(['starting', 'running'] as const)('a %s run is stopped', (state) => {
    const task = aTask({ state: 'running', runNumber: 1 });
    const probe = state === 'starting' ? ({ state: 'unclaimed' } as const) : aRunningProbe();
    const startedAt = state === 'starting' ? null : at(0);
    expect(planned({ task, run: aRun({ state, startedAt }), probe })[0]).toEqual({
      step: 'stop',
      target: { becomes: 'ended', ending: ENDING, effect: null },
    });
  });

  it('a run that a close lets finish is stopped, too', () => {
    const task = aTask({ state: 'running', runNumber: 1, exemptEpisodeId: 'episode_1' });
    const seen = { issue: aClosedIssue(), episode: anEpisode({ action: 'let_finish' }) };
    expect(planned({ task, run: aRun(), probe: aRunningProbe(), ...seen })[0]).toMatchObject({ step: 'stop' });
  });

  it('a run that has ended by itself before keeps its own end', () => {
    const task = aTask({ state: 'running', runNumber: 1 });
    expect(planned({ task, run: aRun(), probe: anExit() })).toMatchObject([
      { step: 'settle', settlement: { ending: { state: 'done', cause: 'run_succeeded' } } },
    ]);
  });

  it.each(['retried', 'requeued'] as const)('a stopping run that was to be %s ends instead', (becomes) => {
    const ending = { state: 'failed', cause: 'timeout', actor: 'standdown', episodeId: null } as const;
    const requeue = { reason: 'issue_reopened', actor: 'ann', episodeId: null } as const;
    const target: Target =
      becomes === 'retried'
        ? { becomes, cause: 'timeout', ending, effect: null }
        : { becomes, requeue, ending, effect: null };
    expect(stopping(target)).toEqual([
      { step: 'retarget', target: { becomes: 'ended', ending: ENDING, effect: null } },
    ]);
  });

  it('a stopping run keeps the cause that came first', () => {
    const ending = { state: 'cancelled', cause: 'command', actor: 'ann', episodeId: null } as const;
    const steps = stopping({ becomes: 'ended', ending, effect: 'command:1:ann' });
    expect(steps.map(({ step }) => step)).not.toContain('retarget');
  });

  it('a close whose closer can not be asked about any more is waited for no longer', () => {
    const episode = anEpisode({ authority: 'pending' });
    const ending = { state: 'done', cause: 'issue_completed', actor: 'ann', episodeId: episode.id } as const;
    const steps = stopping(
      { becomes: 'ended', ending, effect: `close:${episode.id}` },
      { issue: aClosedIssue(), episode, endingEpisode: episode, probe: anExit({ exitCode: null, signal: 'TERM' }) },
    );
    expect(steps).toMatchObject([{ step: 'settle', settlement: { becomes: 'ended', ending: ENDING } }]);
  });

  it.each(END_STATES)('a task that is %s stays so, also where its issue was reopened', (state) => {
    const episode = anEpisode({ state: 'undone', reopen: { actor: 'ann', authority: 'granted', at: at(20) } });
    const task = aTask({ state, endedByEpisodeId: episode.id, finishedAt: at(12) });
    expect(planned({ task, episode })).toEqual([]);
  });
});
