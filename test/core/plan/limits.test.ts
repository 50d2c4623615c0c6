import { expect, it } from 'vitest';
import { planTask } from '../../../src/core/plan/task.ts';
import { DEFAULT_POLICY } from '../../../src/core/policy.ts';
import { anIssue, anObservation, aRun, aTask, at } from '../../support/builders.ts';

it.each([
  ['a moment ago', at(290), 'start'],
  ['long ago', at(0), 'refresh_issue'],
  ['in an hour, by a clock that was set back since', at(3_900), 'refresh_issue'],
])('a run begins on what was seen of its issue lately: %s', (_, observedAt, step) => {
  const task = aTask({ state: 'running', runNumber: 1, issueNumber: 12 });
  const starting = { task, run: aRun({ state: 'starting' }), probe: { state: 'unclaimed' } as const };
  const o = anObservation({ ...starting, issue: anIssue({ observedAt }) });
  expect(planTask(o, DEFAULT_POLICY, at(300))).toEqual([{ step }]);
});
