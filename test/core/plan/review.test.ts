/** Before a lost run fails its task: what speaks for its work leaves that to a person. */
import { describe, expect, it } from 'vitest';
import { type Command, type Decision, decide } from '../../../src/core/command.ts';
import type { TaskSpec } from '../../../src/core/documents/spec.ts';
import type { Evidence } from '../../../src/core/evidence.ts';
import type { OwnWord } from '../../../src/core/own-word.ts';
import { NO_RECORD_REASON } from '../../../src/core/plan/limits.ts';
import type { TaskObservation } from '../../../src/core/plan/observation.ts';
import { planTask } from '../../../src/core/plan/task.ts';
import { DEFAULT_POLICY } from '../../../src/core/policy.ts';
import type { Probe } from '../../../src/core/run.ts';
import { type RowStep, type Subject, transition } from '../../../src/engine/transition/index.ts';
import { aClosedIssue, anExit, anObservation, aRun, aRunningProbe, aTask, at, T0 } from '../../support/builders.ts';
import { simulate } from '../../support/simulate.ts';

const LATE = at(121);
const COMMITS: Evidence = { found: 'commits', branch: 'work/12', base: 'main', aheadBy: 3 };
const NO_RECORD: Probe = { state: 'no_record' };
const said = (set: Partial<OwnWord>): OwnWord => ({ result: 'done', reason: null, until: null, problem: null, ...set });
const vanished = (set: Partial<OwnWord>): Probe => ({
  state: 'vanished',
  startedAt: T0,
  survivors: [],
  said: said(set),
});

function lost(set: Partial<TaskObservation>, spec: Partial<TaskSpec> = {}): TaskObservation {
  const evidence = { branch: 'work/12', base: null };
  const task = aTask({ state: 'running', runNumber: 1, attempt: 1, spec: { ...aTask().spec, evidence, ...spec } });
  return anObservation({ task, run: aRun({ startedAt: T0 }), probe: NO_RECORD, ...set });
}

const plan = (o: TaskObservation, now = LATE) => planTask(o, DEFAULT_POLICY, now);
const spent = { tally: { environmentFailures: 2, verifies: 0 } };

describe('a lost run whose task names a branch', () => {
  it('has it looked for before the task fails, and not before it is lost', () => {
    expect(plan(lost({}), at(119))).toEqual([{ step: 'recheck', at: at(120) }]);
    expect(plan(lost({}))).toEqual([{ step: 'seek_evidence' }]);
    expect(plan(lost({ probe: vanished({ result: 'failed' }), ...spent }))).toEqual([{ step: 'seek_evidence' }]);
  });

  it('leaves its task to a person where it has commits, and one comment names them', () => {
    const { observation, quiet, steps } = simulate(lost({ evidence: COMMITS }), LATE);
    expect(observation.task).toMatchObject({
      state: 'blocked',
      cause: 'review',
      notBefore: null,
      notBeforeReason: 'branch work/12 has 3 commits that main has not',
    });
    expect(observation.run).toMatchObject({ state: 'lost', exitCode: null });
    expect(steps).toMatchObject([{ settlement: { effect: 'review:task_1:1' } }]);
    expect(quiet).toBe(true);
  });

  it('fails where there is none', () => {
    const none: Evidence = { found: 'none', why: 'no such branch' };
    expect(simulate(lost({ evidence: none }), LATE).observation.task).toMatchObject({ cause: 'runner_lost' });
  });

  it('stays as it is as long as GitHub gives no answer, and fails where it never will', () => {
    const unreadable = { found: 'unreadable', why: 'no answer' } as const;
    const silent = lost({ evidence: { ...unreadable, retryable: true } });
    const wait = { until: at(151), reason: expect.stringContaining('no answer') };
    expect(plan(silent)).toEqual([{ step: 'await_evidence', wait }]);
    const waiting = lost({ task: { ...silent.task, notBefore: at(151) } });
    expect(plan(waiting, at(150))).toEqual([{ step: 'recheck', at: at(151) }]);
    expect(plan(waiting, at(151))).toEqual([{ step: 'seek_evidence' }]);
    const found = { ...waiting, probe: aRunningProbe() };
    expect(simulate(found, at(150)).observation.task).toMatchObject({ notBefore: null, notBeforeReason: null });
    const o = lost({ evidence: { ...unreadable, retryable: false } });
    const { task, run } = simulate(o, LATE).observation;
    expect(task).toMatchObject({ state: 'failed', cause: 'runner_lost' });
    expect(run?.reason).toBe(`${NO_RECORD_REASON}; no answer`);
  });

  it('is not looked for where the run is tried again anyway, where it judges, or where it was told to stop', () => {
    const steps = (o: TaskObservation) => plan(o).map(({ step }) => step);
    expect(steps(lost({ probe: vanished({ result: 'failed' }) }))).toEqual(['settle']);
    const run = aRun({ number: 2, purpose: 'verify', startedAt: T0 });
    expect(steps(lost({ run }, { verify: { run: ['check'], env: {}, timeoutMinutes: null } }))).toEqual(['settle']);
    expect(steps(lost({ issue: aClosedIssue() }))).not.toContain('settle');
    expect(plan(lost({ probe: anExit({ exitCode: 1 }) }))).toMatchObject([{ settlement: { becomes: 'ended' } }]);
  });
});

describe('a lost run that had said that it is done', () => {
  it('is for a person, also with retries left, and without any branch', () => {
    const { task } = simulate(lost({ probe: vanished({}) }, { evidence: null }), LATE).observation;
    expect(task).toMatchObject({
      state: 'blocked',
      cause: 'review',
      notBeforeReason: 'its result file says that it is done',
    });
  });

  it('speaks for nothing where it names what cut it short, or is not understood', () => {
    for (const set of [{ reason: 'killed' as const }, { result: null, problem: 'must be a JSON object' }]) {
      const { task } = simulate(lost({ probe: vanished(set), ...spent }, { evidence: null }), LATE).observation;
      expect(task).toMatchObject({ state: 'failed', cause: 'runner_lost' });
    }
  });
});

describe('a task that waits for a review', () => {
  const { task, run } = simulate(lost({ evidence: COMMITS }), LATE).observation;
  const issue = anObservation().issue;
  const apply = (decision: Decision, before = task) => {
    if ('conflict' in decision) throw new Error(decision.conflict);
    const subject: Subject = { task: before, run };
    return decision.steps.reduce((seen: Subject, step) => transition(seen, step as RowStep, at(200)), subject).task;
  };
  const say = (verb: Command['verb'], set: Partial<Parameters<typeof decide>[1]> = {}, text: string | null = null) =>
    decide({ verb, id: 'command_1', actor: 'ann', cause: 'api', text }, { task, run, issue, ...set }, at(200));

  it('is done, runs again, or ends by a person’s word', () => {
    expect(say('done')).toMatchObject({ steps: [{ step: 'end', ending: { state: 'done' } }] });
    expect(say('release')).toMatchObject({ steps: [{ step: 'requeue', requeue: { reason: 'retry' } }] });
    expect(say('skip')).toMatchObject({ steps: [{ step: 'end', ending: { state: 'skipped' } }] });
    const asked = simulate(anObservation({ task: apply(say('block', {}, 'which?')), run }), at(200)).observation.task;
    expect(asked).toMatchObject({ state: 'blocked', cause: 'review', blockers: [{ question: 'which?' }] });
    const answered = apply(say('answer', { task: asked }, 'that one'), asked);
    expect(simulate(anObservation({ task: answered, run }), at(200))).toMatchObject({ steps: [], quiet: true });
    expect(answered).toMatchObject({ state: 'blocked', cause: 'review', blockers: [] });
    expect(say('retry')).toEqual({ conflict: 'train waits for a review: use release, or done' });
    expect(say('release', { issue: aClosedIssue() })).toMatchObject({ code: 'issue_closed' });
  });
});
