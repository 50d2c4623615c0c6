/** What a task is once it may run again, and who is told to look: nothing of the run before may stay with it. */
import { expect, it } from 'vitest';
import { decide } from '../../src/core/command.ts';
import { planTask } from '../../src/core/plan/task.ts';
import { DEFAULT_POLICY } from '../../src/core/policy.ts';
import type { Run } from '../../src/core/run.ts';
import type { Task } from '../../src/core/task.ts';
import { type RowStep, transition } from '../../src/engine/transition/index.ts';
import { anEpisode, anExit, anIssue, anObservation, aRun, aTask, at } from '../support/builders.ts';
import { simulate } from '../support/simulate.ts';

const NOW = at(30);
const RETRIED = { ...aTask().spec, retry: { attempts: 2, backoffSeconds: 30 } };

/** The task after its run was seen to have failed, with one retry left. */
function afterFailure(set: Partial<Task>, run: Partial<Run> = {}): Task {
  const task = aTask({ state: 'running', runNumber: 1, attempt: 1, spec: RETRIED, ...set });
  return simulate(anObservation({ task, run: aRun(run), probe: anExit({ exitCode: 1 }) }), NOW).observation.task;
}

it('a retry after survivors that went leaves nothing for release to disregard', () => {
  const task = afterFailure({ state: 'blocked', cause: 'survivors', actor: 'standdown' }, { survivors: [11] });
  expect(task).toMatchObject({ state: 'ready', cause: null, actor: null });
  const hold = { reason: null, actor: 'ann', at: NOW };
  const second = { task: { ...task, state: 'running' as const, hold, runNumber: 2 }, run: aRun({ number: 2 }) };
  const command = { verb: 'release', id: 'c', actor: 'ann', cause: 'api', text: null } as const;
  expect(decide(command, { ...second, issue: anIssue() }, NOW)).toEqual({
    steps: [{ step: 'hold', hold: null, actor: 'ann' }],
  });
});

it('a retry looks at its needs again, and at its open question first', () => {
  expect(afterFailure({ needs: ['fetch'] })).toMatchObject({ state: 'waiting' });
  const blockers = [{ id: 'q', question: 'which?', actor: 'bob', at: NOW }];
  expect(afterFailure({ needs: ['fetch'], blockers })).toMatchObject({ state: 'blocked', cause: 'question' });
});

it('the slot of a run that is to be retried is given on at once, and its batch is looked at', () => {
  const subject = { task: aTask({ state: 'running', runNumber: 1, attempt: 1, spec: RETRIED }), run: aRun() };
  const result = { state: 'failed', cause: 'run_failed', reason: null, failureClass: 'work', exitCode: 1 } as const;
  const settle = { ...result, signal: null, startedAt: null, endedAt: null };
  const settlement = { becomes: 'retried', notBefore: at(300), reason: 'attempt 1 of 2 failed' } as const;
  const { writes } = transition(subject, { step: 'settle', result: settle, settlement, goneAt: NOW }, NOW);
  for (const key of ['batch:batch_1', 'schedule']) {
    expect(writes).toContainEqual({ write: 'work.enqueue', key, dueAt: NOW });
  }
});

it('a batch is looked at when one of its tasks is blocked by survivors', () => {
  const subject = { task: aTask({ state: 'running', runNumber: 1 }), run: aRun({ state: 'stopping' }) };
  const { writes } = transition(subject, { step: 'mark_survivors', pids: [11] }, NOW);
  expect(writes).toContainEqual({ write: 'work.enqueue', key: 'batch:batch_1', dueAt: NOW });
});

it('a release of survivors ends the task as its close counts, and waits while that is not known', () => {
  const ending = { state: 'done', cause: 'issue_completed', actor: 'tom', episodeId: 'episode_1' } as const;
  const target = { becomes: 'ended', ending, effect: 'close:episode_1' } as const;
  const task = aTask({ state: 'blocked', cause: 'survivors', target, runNumber: 1 });
  const run = aRun({ state: 'stopping', survivors: [11] });
  const command = { verb: 'release', id: 'c', actor: 'ann', cause: 'api', text: null } as const;
  const release = (authority: 'pending' | 'granted' | 'denied') =>
    decide(command, { task, run, issue: null, endingEpisode: anEpisode({ authority }) }, NOW);
  expect(release('pending')).toHaveProperty('conflict');
  expect(release('granted')).toMatchObject({ steps: [{ ending: { state: 'done' } }] });
  expect(release('denied')).toMatchObject({ steps: [{ ending: { state: 'cancelled', cause: 'issue_closed' } }] });
});

it('an answer is kept in the journal, with its question and who gave it', () => {
  const task = aTask({ state: 'blocked', blockers: [{ id: 'q', question: 'which?', actor: 'bob', at: NOW }] });
  const command = { verb: 'answer', id: 'c', actor: 'ann', cause: 'api', text: 'the left one' } as const;
  const decision = decide(command, { task, run: null, issue: null }, NOW);
  if ('conflict' in decision) throw new Error(decision.conflict);
  const { writes } = transition({ task, run: null }, decision.steps[0] as RowStep, NOW);
  const data = expect.objectContaining({ questions: ['which?'], answer: 'the left one', actor: 'ann' });
  expect(writes).toContainEqual({ write: 'event.append', event: expect.objectContaining({ data }) });
});

it('a silence that can not be seen now is looked for again', () => {
  const task = aTask({ state: 'running', runNumber: 1, spec: { ...RETRIED, stallMinutes: 1 } });
  const steps = planTask(anObservation({ task, run: aRun(), probe: null }), DEFAULT_POLICY, NOW);
  expect(steps).toEqual([{ step: 'recheck', at: expect.any(Date) }]);
});
