/** When an issue is done with. */
import { describe, expect, it } from 'vitest';
import { isDoneWith } from '../../../src/core/plan/done.ts';
import { anEpisode, aTask, at } from '../../support/builders.ts';

const byRun = aTask({ state: 'done', cause: 'run_succeeded', finishedAt: at(20) });
const byPerson = aTask({ id: 'task_2', state: 'done', cause: 'command', finishedAt: at(30) });
const skipped = aTask({ id: 'task_3', state: 'skipped', cause: 'command', finishedAt: at(30) });
const reopened = (second: number) =>
  anEpisode({ state: 'undone', reopen: { actor: 'ann', authority: 'granted', at: at(second) } });

describe('an issue is done with', () => {
  it('where all its tasks are done or skipped by a person, and a run did one of them', () => {
    expect(isDoneWith([byRun], null)).toBe(true);
    expect(isDoneWith([byRun, byPerson, skipped], null)).toBe(true);
  });

  it.each([
    ['no task is on it', []],
    ['nothing of it ever ran', [byPerson, skipped]],
    ['one is still running', [byRun, aTask({ state: 'running' })]],
    ['one failed', [byRun, aTask({ state: 'failed', cause: 'run_failed' })]],
    ['one was cancelled', [byRun, aTask({ state: 'cancelled', cause: 'command' })]],
    ['one was skipped for what it needs', [byRun, aTask({ state: 'skipped', cause: 'dependency' })]],
  ])('not where %s', (_why, tasks) => {
    expect(isDoneWith(tasks, null)).toBe(false);
  });

  it('not again, where it was reopened and nothing has ended since', () => {
    expect(isDoneWith([byRun, byPerson], reopened(40))).toBe(false);
    expect(isDoneWith([byRun, byPerson], reopened(25))).toBe(true);
    expect(isDoneWith([{ ...byRun, finishedAt: at(50) }, byPerson], reopened(40))).toBe(true);
  });
});
