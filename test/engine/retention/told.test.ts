/** What a comment is told that asks for a log which was kept for its time. */
import { expect, it } from 'vitest';
import { at, T0 } from '../../support/builders.ts';
import { makeStage, outcomesOf } from '../../support/comment-stage.ts';

const DAY = 86_400;

it.each([
  [30, { result: 'refused', words: 'the log of train was kept for 30 days and is gone' }],
  [40, { result: 'log', text: '' }],
])('of a run that ended 31 days ago and is not there, with logs kept for %i days', async (logsDays, expected) => {
  const stage = await makeStage();
  stage.deps.retention = { deliveriesDays: 14, logsDays, eventsDays: 365 };
  const runner = stage.deps.runners.get('local');
  Object.assign(runner ?? {}, {
    inspect: async (ids: string[]) => new Map(ids.map((id) => [id, { state: 'no_record' }])),
  });
  await stage.put({ id: 'task_train', state: 'done', finishedAt: T0 }, { state: 'succeeded', endedAt: at(-31 * DAY) });
  stage.output.text = '';
  expect(outcomesOf(await stage.say('/task logs train'))).toMatchObject([expected]);
});
