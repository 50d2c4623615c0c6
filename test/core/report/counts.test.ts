import { describe, expect, it } from 'vitest';
import { countOutcomes, countStates, OUTCOMES, outcomeOf } from '../../../src/core/report/counts.ts';
import { CAUSES, END_STATES, TASK_STATES } from '../../../src/core/task.ts';

describe('counts by cause', () => {
  it('put every end under exactly one name', () => {
    for (const state of END_STATES) {
      for (const cause of CAUSES) {
        const counts = countOutcomes([{ state, cause, count: 3 }]);
        expect(Object.entries(counts).filter(([, count]) => count !== 0)).toEqual([[outcomeOf(state, cause), 3]]);
      }
    }
  });

  it.each([
    ['done', 'run_succeeded', 'done_by_run'],
    ['done', 'issue_completed', 'done_externally'],
    ['done', 'api', 'done_externally'],
    ['failed', 'run_failed', 'failed'],
    ['failed', 'start_failed', 'failed'],
    ['failed', 'timeout', 'timed_out'],
    ['failed', 'stalled', 'stalled'],
    ['failed', 'runner_lost', 'lost'],
    ['cancelled', 'issue_not_planned', 'cancelled_by_issue'],
    ['cancelled', 'issue_closed', 'cancelled_by_issue'],
    ['cancelled', 'issue_deleted', 'cancelled_by_issue'],
    ['cancelled', 'command', 'cancelled_by_person'],
    ['cancelled', 'superseded', 'superseded'],
    ['cancelled', 'app_uninstalled', 'app_uninstalled'],
    ['skipped', 'dependency', 'skipped_by_dependency'],
    ['skipped', 'command', 'skipped_by_person'],
  ] as const)('%s by %s is %s', (state, cause, outcome) => {
    expect(outcomeOf(state, cause)).toBe(outcome);
  });

  it('leave out what has not ended, and name all that there could be', () => {
    const counts = countOutcomes([{ state: 'blocked', cause: 'question', count: 2 }]);
    expect(counts).toEqual(Object.fromEntries(OUTCOMES.map((name) => [name, 0])));
  });
});

it('counts by state add up over causes', () => {
  const counts = countStates([
    { state: 'done', cause: 'api', count: 2 },
    { state: 'done', cause: 'run_succeeded', count: 3 },
    { state: 'ready', cause: null, count: 1 },
  ]);
  expect(counts).toEqual({ ...Object.fromEntries(TASK_STATES.map((state) => [state, 0])), done: 5, ready: 1 });
});
