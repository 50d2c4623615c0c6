import { expect, it } from 'vitest';
import { nextSteps } from '../../../src/core/report/next-steps.ts';
import { aTask, T0 } from '../../support/builders.ts';

const stuck = { id: 'batch_1', stuck: true, hold: null, onFailure: 'continue' } as const;
const hold = { reason: null, actor: 'ann', at: T0 };
const question = { id: 'q', question: 'Which seed?', actor: 'ann', at: T0 };

it('a stuck batch is told by the commands that would move it', () => {
  const tasks = [
    aTask({ id: 'task_1', state: 'blocked', cause: 'question', blockers: [question] }),
    aTask({ id: 'task_2', hold }),
    aTask({ id: 'task_3', state: 'blocked', cause: 'blocker' }),
    aTask({ id: 'task_4', state: 'blocked', cause: 'survivors' }),
    aTask({ id: 'task_5', state: 'waiting' }),
    aTask({ id: 'task_7', state: 'blocked', cause: 'no_verdict' }),
    aTask({ id: 'task_6', state: 'failed', hold }),
  ];
  expect(nextSteps({ ...stuck, hold, onFailure: 'stop' }, tasks)).toEqual([
    'standdown unpause --batch batch_1',
    'standdown batch resume batch_1',
    'standdown task answer task_1 "…"',
    'standdown task release task_2',
    'standdown task release task_3',
    'standdown task release task_4',
    'standdown task release task_7',
  ]);
});

it('a batch that goes on needs nothing', () => {
  expect(nextSteps({ ...stuck, stuck: false }, [aTask({ hold })])).toEqual([]);
});

it('nobody reads thousands of commands', () => {
  expect(
    nextSteps(
      stuck,
      Array.from({ length: 500 }, () => aTask({ hold })),
    ),
  ).toHaveLength(20);
});
