import { describe, expect, it } from 'vitest';
import type { BlockerView } from '../../src/core/blockers/blocker.ts';
import { explainClose, explainReopen, explainUnblocking, reopenedNow } from '../../src/core/explain.ts';
import type { TaskObservation } from '../../src/core/plan/observation.ts';
import { DEFAULT_POLICY } from '../../src/core/policy.ts';
import type { Task } from '../../src/core/task.ts';
import {
  aClosedIssue,
  anEpisode,
  anIssue,
  anObservation,
  aRun,
  aRunningProbe,
  aTask,
  at,
  T0,
} from '../support/builders.ts';

const now = at(60);
const policy = DEFAULT_POLICY;
const running = { task: aTask({ state: 'running', runNumber: 2 }), run: aRun({ number: 2 }), probe: aRunningProbe() };

function close(set: Partial<TaskObservation>, reason: 'completed' | 'not_planned' = 'completed', other = policy) {
  const o = anObservation(set);
  return explainClose({ ...o, issue: o.issue ?? anIssue() }, reason, { policy: other, now });
}

function reopen(set: Partial<TaskObservation>, other = policy) {
  const issue = aClosedIssue();
  const supposed = reopenedNow(issue, set.episode ?? anEpisode(), now);
  return explainReopen(anObservation({ ...set, ...supposed }), other, now);
}

describe('what a close would do', () => {
  it('stops a run, and says whose close counts as done', () => {
    expect(close(running)).toBe(
      'run 2 is stopped, and it becomes done (cancelled, where whoever closes the issue has no triage permission)',
    );
    expect(close(running, 'not_planned')).toBe('run 2 is stopped, and it becomes cancelled');
  });

  it('ends what has not started', () => {
    for (const state of ['waiting', 'ready', 'blocked'] as const) {
      expect(close({ task: aTask({ state }) }, 'not_planned')).toBe('it has no run to stop, and it becomes cancelled');
    }
  });

  it('leaves alone what has ended, and what is stopping', () => {
    const failed = aTask({ state: 'failed', cause: 'timeout', actor: 'standdown' });
    expect(close({ task: failed })).toBe('nothing: it is failed (timeout by standdown) already');
    expect(close({ task: failed, issue: aClosedIssue() })).toBe('nothing: it is failed (timeout by standdown) already');
    expect(close({ task: aTask({ state: 'done', cause: 'api', actor: 'api' }) })).toBe(
      'nothing: it is done (api) already',
    );
    const ending = { state: 'cancelled', cause: 'api', actor: 'ann', episodeId: null } as const;
    const target = { becomes: 'ended', ending, effect: null } as const;
    const stopping = { task: { ...running.task, target }, run: aRun({ number: 2, state: 'stopping', termAt: T0 }) };
    expect(close({ ...running, ...stopping })).toBe(
      'nothing more: run 2 is being stopped already; it then becomes cancelled',
    );
  });

  it('follows the policy', () => {
    const letFinish = { ...policy, onClose: { ...policy.onClose, completed: 'let_finish' as const } };
    expect(close(running, 'completed', letFinish)).toContain('run 2 finishes, and is not tried again');
    expect(close({}, 'completed', letFinish)).toBe('it has no run to stop, and it becomes cancelled');
    const ignore = { ...policy, onClose: { ...policy.onClose, completed: 'ignore' as const } };
    expect(close(running, 'completed', ignore)).toContain('such a close is ignored');
    expect(close(running, 'not_planned', { ...policy, closeDelaySeconds: 30 })).toBe(
      'unless it is reopened within 30 s, run 2 is stopped, and it becomes cancelled',
    );
  });

  it('of a closed issue is nothing new', () => {
    expect(close({ issue: aClosedIssue() })).toBe('nothing: the issue is closed already');
    expect(close({ issue: anIssue({ presence: 'deleted' }) })).toBe('nothing: the issue was deleted');
  });
});

describe('what a reopen would do', () => {
  const ended = aTask({ state: 'done', cause: 'issue_completed', runNumber: 2, endedByEpisodeId: 'episode_1' });

  it('queues again what the close ended, for those who may, and until then', () => {
    expect(reopen({ task: ended })).toBe(
      'it is queued again as run 3 (where whoever reopens the issue has write permission, until 2026-03-15 12:00:10 UTC)',
    );
  });

  it('holds what was requeued too often', () => {
    expect(reopen({ task: ended, requeuesWithinHour: 3 })).toContain(
      'queued again as run 3, on hold: requeued 3 times within an hour',
    );
  });

  it('starts nothing where it came too late, or another batch has the name', () => {
    const closedAt = new Date(T0.getTime() - 15 * 86_400_000);
    const old = anEpisode({ closedAt });
    expect(reopen({ task: ended, episode: old })).toBe('nothing: the issue was closed more than 14 days ago');
    expect(reopen({ task: ended, barred: 'superseded' })).toBe('nothing: a newer batch of that name exists');
    expect(reopen({ task: ended, barred: 'batch_cancelled' })).toBe('nothing: its batch is being cancelled');
  });

  it('brings back nothing that something else ended', () => {
    const task = aTask({ state: 'failed', cause: 'run_failed', actor: 'runner', endedByEpisodeId: null });
    expect(reopen({ task })).toBe(
      'nothing: it is failed (run_failed by runner), and no close of the issue ended it; a retry runs it again',
    );
    expect(reopen({ task: ended }, { ...policy, onReopen: 'ignore' })).toContain('on_reopen: ignore');
  });

  it('turns a stop on its way into a new run', () => {
    const ending = { state: 'done', cause: 'issue_completed', actor: 'ann', episodeId: 'episode_1' } as const;
    const target = { becomes: 'ended', ending, effect: 'close:episode_1' } as const;
    const stopping = { task: { ...running.task, target }, run: aRun({ number: 2, state: 'stopping', termAt: T0 }) };
    expect(reopen({ ...running, ...stopping })).toMatch(/^once run 2 has stopped, it is queued again as run 3 \(/);
  });

  it('leaves a run alone that goes on', () => {
    expect(reopen({ ...running, episode: anEpisode({ action: 'ignore' }) })).toBe('nothing: run 2 goes on');
  });

  it('is not asked for where there is no close to undo', () => {
    expect(reopenedNow(anIssue(), null, now)).toBeNull();
    expect(reopenedNow(aClosedIssue(), anEpisode({ state: 'pending' }), now)).toBeNull();
  });
});

describe('what a close would do to a task that waits for the issue', () => {
  const view = { source: 'dependency', actor: null, reopenedAt: null } as const;
  const ours = { ...view, label: 'acme/widgets#7', status: 'open' } as const;
  const other = { ...view, label: 'acme/data#3', status: 'not_completed' } as const;
  const unblock = (task: Partial<Task>, blockers: readonly BlockerView[]) =>
    explainUnblocking(aTask({ state: 'blocked', ...task }), blockers, { labels: ['acme/widgets#7'], policy });
  const who = '(where whoever closes the issue has triage permission)';

  it('frees it, or leaves it to what else blocks it', () => {
    expect(unblock({}, [ours])).toBe(`nothing blocks it any more ${who}`);
    expect(unblock({}, [ours, { ...ours, source: 'body' }])).toBe(`nothing blocks it any more ${who}`);
    const blockers = [{ id: 'q', question: 'Which seed?', actor: 'ann', at: T0 }];
    expect(unblock({ blockers }, [ours, other])).toBe(`it is still blocked by acme/data#3, an open question ${who}`);
  });

  it('is nothing where it does not wait for that', () => {
    expect(unblock({}, [other])).toBeNull();
    expect(unblock({}, [{ ...ours, status: 'resolved' }, other])).toBeNull();
    expect(unblock({ released: [{ blocker: 'acme/widgets#7', actor: 'ann', at: T0 }] }, [ours])).toBeNull();
  });
});
