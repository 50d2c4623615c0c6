/** Slots: the tightest limit wins, and a limit below its use stops nothing. */
import { describe, expect, it } from 'vitest';
import { type ScheduleInput, schedule } from '../../src/core/schedule.ts';
import { aTask } from '../support/builders.ts';

const task = (id: string, set: Parameters<typeof aTask>[0] = {}) => aTask({ id, key: id, ...set });
const use = (taskId: string, set: object = {}) => ({
  taskId,
  batchId: 'batch_1',
  repositoryId: '1',
  runner: 'local',
  ...set,
});

function ids(set: Partial<ScheduleInput>): string[] {
  const input: ScheduleInput = {
    candidates: [],
    running: [],
    batches: new Map([['batch_1', { strategy: 'parallel', maxParallel: 10 }]]),
    stopped: new Set(),
    runnerLimit: () => null,
    limits: { maxRunning: 100, maxRunningPerRepository: 100 },
    ...set,
  };
  return schedule(input).map(({ id }) => id);
}

const three = [task('a'), task('b'), task('c')];

describe('the schedule', () => {
  it('fills the slots that are free, in the order of the candidates', () => {
    const batches = new Map([['batch_1', { strategy: 'parallel' as const, maxParallel: 2 }]]);
    expect(ids({ candidates: three, batches })).toEqual(['a', 'b']);
    expect(ids({ candidates: three, batches, running: [use('x')] })).toEqual(['a']);
  });

  it('starts one at a time where the batch is serial, whatever max_parallel says', () => {
    const batches = new Map([['batch_1', { strategy: 'serial' as const, maxParallel: 10 }]]);
    expect(ids({ candidates: three, batches })).toEqual(['a']);
    expect(ids({ candidates: three, batches, running: [use('x')] })).toEqual([]);
  });

  it.each([
    ['in all', { limits: { maxRunning: 2, maxRunningPerRepository: 100 } }],
    ['per repository', { limits: { maxRunning: 100, maxRunningPerRepository: 2 } }],
    ['of the runner', { runnerLimit: () => 2 }],
  ])('keeps the limit %s over all batches', (_name, limit) => {
    const other = use('x', { batchId: 'batch_9' });
    expect(ids({ candidates: three, running: [other], ...limit })).toEqual(['a']);
  });

  it('starts nothing where more run than a lowered limit allows', () => {
    const running = [use('x'), use('y'), use('z')];
    expect(ids({ candidates: three, running, limits: { maxRunning: 2, maxRunningPerRepository: 100 } })).toEqual([]);
  });

  it('passes over what does not fit, and goes on with what does', () => {
    const candidates = [task('a', { repositoryId: '1' }), task('b', { repositoryId: '2', batchId: null })];
    const limits = { maxRunning: 100, maxRunningPerRepository: 1 };
    expect(ids({ candidates, running: [use('x')], limits })).toEqual(['b']);
  });

  it('starts nothing more of a batch that a failure has stopped', () => {
    expect(ids({ candidates: three, stopped: new Set(['batch_1']) })).toEqual([]);
  });
});
