/** A run that has ended for us and lives on its runner: what is done next, by its row and what is seen. */
import { expect, it } from 'vitest';
import { planOrphan } from '../../../src/core/plan/orphan.ts';
import type { Probe, Run } from '../../../src/core/run.ts';
import { anExit, aRun, aRunningProbe, at } from '../../support/builders.ts';

const lost = (set: Partial<Run> = {}) => aRun({ state: 'lost', goneAt: at(100), ...set });
const plan = (run: Run, probe: Probe, seconds: number) =>
  planOrphan(run, probe, { graceSeconds: 10, now: at(seconds) });

it.each(['starting', 'running', 'stopping'] as const)('one that is %s is wanted', (state) => {
  expect(plan(aRun({ state }), aRunningProbe(), 500)).toEqual({ step: 'leave' });
});

it('TERM comes first, whatever was sent before its end, then its grace, then KILL, again and ever more seldom', () => {
  const term = { step: 'signal', mode: 'term', lookAgainAt: at(201) };
  expect(plan(lost(), aRunningProbe(), 200)).toEqual(term);
  expect(plan(lost({ termAt: at(50), killAt: at(60) }), aRunningProbe(), 200)).toEqual(term);
  const run = lost({ termAt: at(200) });
  expect(plan(run, aRunningProbe(), 209.5)).toEqual({ step: 'look_again', at: at(210) });
  expect(plan(run, anExit({ survivors: [7] }), 210)).toEqual({ step: 'signal', mode: 'kill', lookAgainAt: at(212) });
  expect(plan(run, aRunningProbe(), 300)).toEqual({ step: 'signal', mode: 'kill', lookAgainAt: at(360) });
});

it('no grace is waited for that began in the future, after the clock was set back', () => {
  expect(plan(lost({ termAt: at(900) }), aRunningProbe(), 200)).toMatchObject({ mode: 'kill' });
});

it('only one that was pursued is told to be gone, and only when that is seen', () => {
  const pursued = lost({ termAt: at(200) });
  expect(plan(pursued, anExit(), 205)).toEqual({ step: 'gone' });
  expect(plan(lost(), anExit(), 205)).toEqual({ step: 'leave' });
  for (const run of [pursued, lost(), lost({ goneAt: null })]) {
    expect(plan(run, { state: 'no_record' }, 205)).toEqual({ step: 'leave' });
  }
  expect(plan(pursued, { state: 'unreadable', problem: 'cut short' }, 205)).toMatchObject({ step: 'look_again' });
});

it('one that nobody saw end is given its grace anew, and told to be gone where it had ended', () => {
  const unseen = lost({ goneAt: null });
  expect(plan(unseen, aRunningProbe(), 200)).toMatchObject({ step: 'signal', mode: 'term' });
  expect(plan(unseen, anExit(), 200)).toEqual({ step: 'gone' });
});

it('one whose survivors a person disregarded is pursued from its end on, also where only KILL was sent to them', () => {
  const disregarded = lost({ killAt: at(60), goneAt: null });
  expect(plan(disregarded, anExit({ survivors: [7] }), 200)).toMatchObject({ mode: 'term' });
  expect(plan({ ...disregarded, termAt: at(200) }, anExit({ survivors: [7] }), 210)).toMatchObject({ mode: 'kill' });
  expect(plan(disregarded, anExit(), 200)).toEqual({ step: 'gone' });
});
