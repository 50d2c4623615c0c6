/** The verify stage: what a task becomes by the end of its work run and of its verify runs. */
import { describe, expect, it } from 'vitest';
import type { TaskSpec } from '../../../src/core/documents/spec.ts';
import type { TaskObservation } from '../../../src/core/plan/observation.ts';
import type { Step } from '../../../src/core/plan/steps.ts';
import { planTask } from '../../../src/core/plan/task.ts';
import { DEFAULT_POLICY } from '../../../src/core/policy.ts';
import type { Probe } from '../../../src/core/run.ts';
import { MAX_VERIFIES, nextPurpose } from '../../../src/core/verify.ts';
import { anExit, anObservation, aRun, aRunningProbe, aTask, at, T0 } from '../../support/builders.ts';
import { simulate } from '../../support/simulate.ts';

const NOW = at(30);
const VERIFY = { run: ['check'], env: {}, timeoutMinutes: null };
const KILLED = anExit({ exitCode: null, signal: 'KILL' });
const VANISHED: Probe = { state: 'vanished', startedAt: T0, survivors: [] };

const specOf = (set: Partial<TaskSpec> = {}): TaskSpec => ({ ...aTask().spec, verify: VERIFY, ...set });

function working(set: Partial<TaskObservation> = {}, spec: Partial<TaskSpec> = {}): TaskObservation {
  const task = aTask({ state: 'running', runNumber: 1, attempt: 1, spec: specOf(spec) });
  return anObservation({ task, run: aRun(), ...set });
}

function verifying(set: Partial<TaskObservation> = {}, spec: Partial<TaskSpec> = {}): TaskObservation {
  const task = aTask({ state: 'running', runNumber: 2, attempt: 1, spec: specOf(spec) });
  const run = aRun({ id: 'run_1_verify', number: 2, purpose: 'verify' });
  return anObservation({ task, run, tally: { environmentFailures: 0, verifies: 1 }, ...set });
}

/** Its settlement, which has to come at once. */
function settlement(o: TaskObservation): Extract<Step, { step: 'settle' }>['settlement'] {
  const step = planTask(o, DEFAULT_POLICY, NOW).find((each) => each.step === 'settle');
  if (step?.step !== 'settle') throw new Error('nothing is settled');
  return step.settlement;
}

describe('work that has succeeded', () => {
  it('is followed by a verify run at once: the task stays running, numbers go on, attempts do not', () => {
    const { observation } = simulate(working({ probe: anExit() }), NOW);
    expect(observation.task).toMatchObject({ state: 'running', runNumber: 2, attempt: 1, finishedAt: null });
    expect(observation.run).toMatchObject({ id: 'run_1_verify', number: 2, purpose: 'verify', state: 'running' });
  });

  it('is done without a verify stage', () => {
    expect(settlement(working({ probe: anExit() }, { verify: null }))).toMatchObject({ ending: { state: 'done' } });
  });

  it('waits for its verify run under a hold or behind a question', () => {
    const o = working({ probe: anExit() });
    const hold = { reason: null, actor: 'ann', at: T0 };
    const blockers = [{ id: 'q', question: 'which?', actor: 'bob', at: T0 }];
    for (const held of [
      { ...o, isHeldBack: true },
      { ...o, task: { ...o.task, hold } },
    ]) {
      const { task, run } = simulate(held, NOW).observation;
      expect(task).toMatchObject({ state: 'ready', runNumber: 1 });
      expect(nextPurpose(task, run)).toBe('verify');
    }
    expect(simulate({ ...o, task: { ...o.task, blockers } }, NOW).observation.task.state).toBe('blocked');
  });

  it('waits for a place of its runner where somebody attended it elsewhere', () => {
    const { task, run } = simulate(working({ probe: anExit(), run: aRun({ runner: 'attended' }) }), NOW).observation;
    expect(task).toMatchObject({ state: 'ready', runNumber: 1, notBefore: null });
    expect(nextPurpose(task, run)).toBe('verify');
  });

  it('that failed is not verified', () => {
    expect(settlement(working({ probe: anExit({ exitCode: 1 }) }))).toMatchObject({ ending: { cause: 'run_failed' } });
  });
});

describe('a verify run', () => {
  it('that passes makes the task done', () => {
    const { task } = simulate(verifying({ probe: anExit() }), NOW).observation;
    expect(task).toMatchObject({ state: 'done', cause: 'run_succeeded' });
  });

  it('that does not pass fails the task, or starts it again at its work where attempts are left', () => {
    const failed = { probe: anExit({ exitCode: 3 }) };
    const { task } = simulate(verifying(failed), NOW).observation;
    expect(task).toMatchObject({ state: 'failed', cause: 'verify_failed' });
    const again = simulate(verifying(failed, { retry: { attempts: 2, backoffSeconds: 1 } }), NOW).observation;
    expect(again.task).toMatchObject({ state: 'ready', notBeforeReason: 'attempt 1 of 2 was found wrong' });
    expect(nextPurpose(again.task, again.run)).toBe('work');
  });

  const silent: [string, TaskObservation][] = [
    ['was killed', verifying({ probe: KILLED })],
    ['was lost', verifying({ probe: VANISHED })],
    ['was ended by its environment', verifying({ probe: anExit({ exitCode: 1, reason: 'out_of_memory' }) })],
    ['took too long', verifying({ probe: aRunningProbe() }, { verify: { ...VERIFY, timeoutMinutes: 0.1 } })],
    ['said nothing for too long', verifying({ probe: aRunningProbe() }, { stallMinutes: 0.1 })],
  ];
  it.each(silent)('that %s is sent again, and costs the work nothing', (_how, o) => {
    const { task, run } = simulate(o, NOW).observation;
    expect(task).toMatchObject({
      state: 'ready',
      attempt: 1,
      notBeforeReason: 'verify run 2 gave no verdict (1 of 3)',
    });
    expect(task.notBefore?.getTime()).toBeGreaterThan(NOW.getTime());
    expect(nextPurpose(task, run)).toBe('verify');
  });

  it.each(silent)('that %s for the third time leaves the task to a person', (_how, o) => {
    const seen = { ...o, tally: { environmentFailures: 0, verifies: MAX_VERIFIES } };
    const { observation, quiet } = simulate(seen, NOW);
    expect(observation.task).toMatchObject({ state: 'blocked', cause: 'no_verdict', target: null });
    expect(quiet).toBe(true);
  });

  it('that could not start, that may be alive, or whose batch is over is not sent again', () => {
    const unverified = { becomes: 'undecided', cause: 'no_verdict', why: null, effect: 'unverified:task_1:1' };
    const o = verifying({ probe: { state: 'voided' } });
    const starting = { ...o, run: { ...o.run!, state: 'starting' as const, startedAt: null } };
    expect(settlement(starting)).toEqual(unverified);
    expect(settlement(verifying({ probe: VANISHED, barred: 'superseded' }))).toEqual(unverified);
    const unknown = verifying({ probe: { state: 'no_record' } });
    expect(simulate(unknown, at(121)).observation.task).toMatchObject({ state: 'blocked', cause: 'no_verdict' });
  });

  it('has the task’s time where it has none of its own', () => {
    const o = verifying({ probe: aRunningProbe() }, { timeoutMinutes: 0.1 });
    expect(simulate(o, NOW).observation.run).toMatchObject({ state: 'failed', cause: 'timeout' });
    const longer = { timeoutMinutes: 0.1, verify: { ...VERIFY, timeoutMinutes: 10 } };
    expect(simulate(verifying({ probe: aRunningProbe() }, longer), NOW).observation.run?.state).toBe('running');
  });

  it('without a verdict is told of once, unless nothing is to be told', () => {
    const o = verifying({ probe: KILLED, tally: { environmentFailures: 0, verifies: MAX_VERIFIES } });
    const silence = { ...DEFAULT_POLICY, notify: 'none' } as const;
    expect(planTask(o, silence, NOW)).toMatchObject([{ settlement: { becomes: 'undecided', effect: null } }]);
    expect(settlement(o)).toMatchObject({ effect: 'unverified:task_1:1' });
  });
});
