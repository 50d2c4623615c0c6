import { describe, expect, it } from 'vitest';
import { overWords, stopWords } from '../../../src/core/report/stop.ts';
import type { Ending } from '../../../src/core/task.ts';
import { anEpisode, aRun } from '../../support/builders.ts';

const words = (ending: Partial<Ending>, episode: Parameters<typeof anEpisode>[0] | null = null) =>
  stopWords({
    ...{ task: { key: 'train', issueNumber: 12 }, repository: 'acme/widgets', run: { number: 3 } },
    target: {
      ...{ becomes: 'ended', effect: null },
      ending: { state: 'cancelled', cause: 'command', actor: 'ann', episodeId: null, ...ending },
    },
    episode: episode === null ? null : anEpisode(episode),
  });

describe('why a run ends', () => {
  it.each([
    [words({ cause: 'issue_completed' }, {}), 'acme/widgets#12 was closed as completed by ann'],
    [words({}, { reason: 'unknown', actor: null }), 'acme/widgets#12 was closed without a reason'],
    [words({ cause: 'issue_deleted', actor: 'standdown' }), 'acme/widgets#12 was deleted'],
    [words({ cause: 'issue_transferred' }), 'acme/widgets#12 was transferred to another repository'],
    [words({ cause: 'timeout', actor: 'standdown' }), 'run 3 of train took longer than it may'],
    [words({ cause: 'app_uninstalled' }), 'the App was taken from acme/widgets'],
    [words({}), 'train was cancelled by ann'],
    [words({ state: 'done', cause: 'api', actor: 'api' }), 'train was counted as done by api'],
    [words({ cause: 'superseded', actor: 'standdown' }), 'train was cancelled'],
  ])('is told as %s', (told, expected) => {
    expect(told).toBe(expected);
  });

  it('of one that is over here already is that, with what is known', () => {
    const lost = aRun({ state: 'lost', reason: 'nothing was heard' });
    expect(overWords({ key: 'train' }, lost)).toBe('run 1 of train was given up: nothing was heard');
    expect(overWords({ key: 'train' }, aRun({ state: 'cancelled' }))).toBe('run 1 of train is over here: cancelled');
  });
});
