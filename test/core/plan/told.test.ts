/** Which ends that nobody asked for are told in a comment. */
import { describe, expect, it } from 'vitest';
import { planTask } from '../../../src/core/plan/task.ts';
import { DEFAULT_POLICY, type Policy } from '../../../src/core/policy.ts';
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

const NOTIFY = ['failures', 'all', 'none'] as const;
const running = { state: 'running', runNumber: 1, attempt: 1 } as const;

function effects(notify: Policy['notify'], set: Parameters<typeof anObservation>[0]): (string | null)[] {
  const steps = planTask(anObservation(set), { ...DEFAULT_POLICY, notify }, at(3_700));
  return steps.flatMap((step) => {
    if (step.step === 'stop') return [step.target.effect];
    return step.step === 'settle' && step.settlement.becomes === 'ended' ? [step.settlement.effect] : [];
  });
}

describe('what is told of', () => {
  it.each([
    ['failures', 'failure:task_1:1'],
    ['all', 'failure:task_1:1'],
    ['none', null],
  ] as const)('a task that fails for good, where notify is %s', (notify, effect) => {
    const failed = { task: aTask(running), run: aRun(), probe: anExit({ exitCode: 1 }) };
    expect(effects(notify, failed)).toEqual([effect]);
  });

  it.each([
    ['failures', null],
    ['all', 'success:task_1:1'],
    ['none', null],
  ] as const)('a task that succeeds, where notify is %s', (notify, effect) => {
    expect(effects(notify, { task: aTask(running), run: aRun(), probe: anExit() })).toEqual([effect]);
  });

  it.each([
    ['failures', 'failure:task_1:1'],
    ['none', null],
  ] as const)('a run that its deadline stops, where notify is %s', (notify, effect) => {
    const spec = { ...aTask().spec, timeoutMinutes: 60 };
    const overdue = { task: aTask({ ...running, spec }), run: aRun(), probe: aRunningProbe() };
    expect(effects(notify, overdue)).toEqual([effect]);
  });

  it('of a stop that was told of already is told to its end, whatever the policy became since', () => {
    const ending = { state: 'failed', cause: 'timeout', actor: 'standdown', episodeId: null } as const;
    const target = { becomes: 'ended', ending, effect: 'failure:task_1:1' } as const;
    const stopped = {
      task: aTask({ ...running, target }),
      run: aRun({ state: 'stopping', cancelRequestedAt: at(3_600), termAt: at(3_600), survivors: [11] }),
      probe: anExit({ signal: 'TERM', exitCode: null, endedAt: at(3_650) }),
    };
    expect(effects('none', stopped)).toEqual(['failure:task_1:1']);
  });

  it.each(NOTIFY)('a close that stops something, where notify is %s', (notify) => {
    const closed = { issue: aClosedIssue(), episode: anEpisode() };
    expect(effects(notify, { task: aTask(running), run: aRun(), probe: aRunningProbe(), ...closed })).toEqual([
      'close:episode_1',
    ]);
  });
});
