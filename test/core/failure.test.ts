/** Whose fault a failure is, and how often it is tried again. */
import { describe, expect, it } from 'vitest';
import { ENVIRONMENT_REASONS, type EnvironmentReason, tallyOf } from '../../src/core/failure.ts';
import { OWN_REASONS, type OwnWord } from '../../src/core/own-word.ts';
import type { TaskObservation } from '../../src/core/plan/observation.ts';
import { naturalResult } from '../../src/core/plan/settle.ts';
import type { Probe } from '../../src/core/run.ts';
import {
  aClosedIssue,
  anEpisode,
  anExit,
  anObservation,
  aRun,
  aRunningProbe,
  aTask,
  at,
  T0,
} from '../support/builders.ts';
import { simulate } from '../support/simulate.ts';

const NOW = at(30);
const VANISHED: Probe = { state: 'vanished', startedAt: T0, survivors: [] };
const exit = (set: Parameters<typeof anExit>[0]) => anExit(set) as Extract<Probe, { state: 'exited' }>;
const reasons = Object.keys(ENVIRONMENT_REASONS) as EnvironmentReason[];

describe('a failure', () => {
  it('is the work’s, whatever exit code or signal it ended with', () => {
    for (const set of [{ exitCode: 1 }, { exitCode: 137 }, { exitCode: null, signal: 'KILL' }, { exitCode: null }]) {
      expect(naturalResult(exit(set), 'work')).toMatchObject({ state: 'failed', failureClass: 'work', reason: null });
    }
  });

  it.each(reasons)('is the environment’s where its runner says %s, and says so in words', (reason) => {
    const result = naturalResult(exit({ exitCode: null, signal: 'KILL', reason }), 'work');
    expect(result).toMatchObject({ state: 'failed', failureClass: 'environment', reason: ENVIRONMENT_REASONS[reason] });
  });

  it('is what says success and was killed or stopped short', () => {
    for (const set of [
      { exitCode: 0, signal: 'KILL' },
      { exitCode: 0, reason: 'usage_limit' as const },
    ]) {
      const { observation } = simulate(running({ probe: anExit(set) }), NOW);
      expect(observation.run?.state).toBe('failed');
      expect(observation.task.state).not.toBe('done');
    }
  });
});

const own = (set: Partial<OwnWord>): OwnWord => ({
  result: 'failed',
  reason: null,
  until: null,
  problem: null,
  ...set,
});

describe('what a run says of itself', () => {
  const result = (said: OwnWord, exitCode: number | null = 0, purpose: 'work' | 'verify' = 'work') =>
    naturalResult(exit({ exitCode, said }), purpose);

  it('makes nothing a success that its exit code does not', () => {
    expect(result(own({ result: 'done' }))).toMatchObject({ state: 'succeeded', reason: null });
    for (const set of [{ exitCode: 1 }, { exitCode: 0, signal: 'KILL' }, { exitCode: null }]) {
      expect(naturalResult(exit({ ...set, said: own({ result: 'done' }) }), 'work')).toMatchObject({ state: 'failed' });
    }
  });

  it('takes a success away where it speaks against it', () => {
    const failed = {
      state: 'failed',
      failureClass: 'work',
      reason: 'it ended with 0, and its result file says failed',
    };
    expect(result(own({}))).toMatchObject({ ...failed, cause: 'run_failed' });
    expect(result(own({}), 0, 'verify')).toMatchObject({ ...failed, cause: 'verify_failed' });
    const killed = { state: 'failed', failureClass: 'work', reason: 'its result file says that it was killed' };
    expect(result(own({ result: 'done', reason: 'killed' }))).toMatchObject(killed);
  });

  it('is a sign of its environment where it names a usage limit or a broken connection, and its output is none', () => {
    for (const reason of ['usage_limit', 'transport'] as const) {
      for (const exitCode of [0, 1, null]) {
        const words = `${ENVIRONMENT_REASONS[reason]}, as it says itself`;
        const seen = result(own({ result: 'done', reason }), exitCode);
        expect(seen).toMatchObject({ state: 'failed', failureClass: 'environment', reason: words });
      }
    }
  });

  it("is told where the time that it names can't be understood", () => {
    const seen = result(own({ reason: 'usage_limit', problem: 'until: must be a time' }), 0);
    expect(seen?.reason).toBe(
      "a usage limit was reached, as it says itself; its result file can't be understood: until: must be a time",
    );
  });

  it('gives no verdict where it was cut short', () => {
    for (const reason of OWN_REASONS) {
      expect(result(own({ result: 'done', reason }), 1, 'verify').cause).toBe('run_failed');
    }
  });

  it('decides nothing where it is not understood, and that is told', () => {
    const garbage = own({ result: null, problem: 'must be a JSON object' });
    const reason = "its result file can't be understood: must be a JSON object";
    expect(result(garbage)).toMatchObject({ state: 'succeeded', reason });
    expect(result(garbage, 3)).toMatchObject({ state: 'failed', failureClass: 'work', exitCode: 3, reason });
  });
});

describe('a usage limit', () => {
  const until = (set: Partial<OwnWord>) =>
    next({ probe: anExit({ exitCode: 1, said: own({ reason: 'usage_limit', ...set }) }) }).notBefore?.toISOString();
  const inHours = (hours: number) => at(30 + hours * 3_600);

  it('is waited for until it ends, an hour where nobody says when, and a week at most', () => {
    expect(until({ until: inHours(5) })).toBe(inHours(5).toISOString());
    expect(until({ problem: 'until: must be a time' })).toBe(inHours(1).toISOString());
    expect(until({ until: inHours(24 * 400) })).toBe(inHours(24 * 7).toISOString());
  });

  it('holds as it was told, and only then: what is counted from now on is a time of the clock here', () => {
    const told = (set: Partial<OwnWord>) =>
      next({ probe: anExit({ exitCode: 1, said: own({ reason: 'usage_limit', ...set }) }) }).notBeforeTold;
    expect(told({ until: inHours(5) })).toBe(true);
    for (const until of [null, inHours(24 * 400), at(-60)]) expect(told({ until })).toBe(false);
  });

  it('that is over costs the usual pause', () => {
    const task = next({ probe: anExit({ exitCode: 1, said: own({ reason: 'usage_limit', until: at(-60) }) }) });
    expect(task.notBefore?.getTime()).toBeLessThan(at(32).getTime());
    expect(task.notBefore?.getTime()).toBeGreaterThan(NOW.getTime());
  });

  it('spends the environment’s budget, not the work’s', () => {
    const probe = anExit({ exitCode: 1, said: own({ reason: 'usage_limit' }) });
    expect(next({ probe }, { attempt: 3, environmentFailures: 0 })).toMatchObject({ state: 'ready' });
    expect(next({ probe }, { attempt: 2, environmentFailures: 1 })).toMatchObject({
      state: 'failed',
      cause: 'run_failed',
    });
  });
});

const BUDGETS = { attempts: 2, backoffSeconds: 1, environmentAttempts: 2 };

function running(set: Partial<TaskObservation>, attempt = 1): TaskObservation {
  const spec = { ...aTask().spec, timeoutMinutes: 1, retry: BUDGETS };
  const task = aTask({ state: 'running', runNumber: attempt, attempt, spec });
  return anObservation({ task, run: aRun({ number: attempt }), ...set });
}

function next(set: Partial<TaskObservation>, { attempt = 1, environmentFailures = 0, now = NOW } = {}) {
  const tally = { environmentFailures, verifies: 0 };
  return simulate({ ...running(set, attempt), tally }, now).observation.task;
}

describe('a budget', () => {
  it('of the environment is not the work’s: each has its own', () => {
    expect(next({ probe: VANISHED })).toMatchObject({
      state: 'ready',
      notBeforeReason: expect.stringMatching(/1 of 2/),
    });
    const spent = { attempt: 2, environmentFailures: 1 };
    expect(next({ probe: VANISHED }, spent)).toMatchObject({ state: 'failed', cause: 'runner_lost' });
    expect(next({ probe: anExit({ exitCode: 1 }) }, spent)).toMatchObject({ state: 'ready' });
    expect(next({ probe: anExit({ exitCode: 1 }) }, { attempt: 3, environmentFailures: 1 }).state).toBe('failed');
    expect(next({ probe: anExit({ exitCode: 1, reason: 'preempted' }) }, { attempt: 2 })).toMatchObject({
      state: 'ready',
    });
  });

  it('of the work is what a run that takes too long spends', () => {
    const late = { now: at(120) };
    expect(next({ probe: aRunningProbe() }, { ...late, attempt: 2, environmentFailures: 1 }).state).toBe('ready');
    expect(next({ probe: aRunningProbe() }, { ...late, attempt: 2 })).toMatchObject({
      state: 'failed',
      cause: 'timeout',
    });
  });

  it('lets nothing start for a closed issue, in a batch that is over, or beside what may be alive', () => {
    const episode = anEpisode({ action: 'let_finish' });
    expect(next({ probe: VANISHED, issue: aClosedIssue(), episode }).state).toBe('failed');
    expect(next({ probe: VANISHED, barred: 'superseded' }).state).toBe('failed');
    expect(next({ probe: { state: 'no_record' } }, { now: at(121) })).toMatchObject({
      state: 'failed',
      cause: 'runner_lost',
    });
  });

  it('gives no next run where one that took too long was never seen gone', () => {
    const ending = { state: 'failed', cause: 'timeout', actor: 'standdown', episodeId: null } as const;
    const target = { becomes: 'retried', cause: 'timeout', ending, effect: null } as const;
    const { task } = running({});
    const run = aRun({ state: 'stopping', startedAt: T0, cancelRequestedAt: at(20), termAt: at(20) });
    const ended = (probe: Probe) => next({ task: { ...task, target }, run, probe }, { now: at(121) });
    expect(ended(VANISHED)).toMatchObject({ state: 'ready' });
    expect(ended({ state: 'no_record' })).toMatchObject({ state: 'failed', cause: 'timeout' });
  });

  it('is counted from the runs that are stored, of this generation alone', () => {
    const lost = { state: 'lost', failureClass: 'environment' } as const;
    const runs = [
      aRun({ number: 1, ...lost }),
      aRun({ number: 2, generation: 2, ...lost }),
      aRun({ number: 3, generation: 2, state: 'succeeded' }),
      aRun({ number: 4, generation: 2, purpose: 'verify', ...lost }),
      aRun({ number: 5, generation: 2, purpose: 'verify' }),
    ];
    expect(tallyOf(runs, 2)).toEqual({ environmentFailures: 1, verifies: 2 });
    expect(tallyOf(runs.slice(0, 3), 2)).toEqual({ environmentFailures: 1, verifies: 0 });
  });
});
