/** A fault of our own, or of a runner, ends one command, and keeps nothing behind it waiting. */
import { beforeEach, describe, expect, it } from 'vitest';
import { handleComments } from '../../../src/engine/commands/handle.ts';
import type { Deps } from '../../../src/engine/deps.ts';
import type { JobControl } from '../../../src/engine/ports.ts';
import { ISSUE, makeStage, outcomesOf, REPOSITORY, type Stage, signsOn } from '../../support/comment-stage.ts';

const REF = { repositoryId: REPOSITORY.id, number: ISSUE };
let stage: Stage;

beforeEach(async () => {
  stage = await makeStage();
  await stage.put({ id: 'task_train' }, {});
});

it('a log that its runner can’t read is not shown, and the next command is carried out', async () => {
  const runner = stage.deps.runners.get('local') as JobControl;
  runner.log = () => Promise.reject(Object.assign(new Error('permission denied'), { code: 'EACCES' }));
  const row = await stage.say('/task logs\n/task cancel');
  expect(outcomesOf(row)).toMatchObject([{ result: 'refused', why: 'other' }, { result: 'acted' }]);
});

describe('a command that fails each time', () => {
  /** As long as the cancel is not settled, this task can't be read. */
  async function sayWithFaultAt(faultyId: string) {
    await stage.put({ id: 'task_eval' }, {});
    await stage.tell(stage.write('/task cancel\n/task hold train', { id: '5' }));
    const { store } = stage;
    const task: typeof store.task = async (id) => {
      const cancel = (await store.comment('5'))?.commands[0];
      if (id === faultyId && cancel?.outcome === null) throw new Error('a fault');
      return store.task(id);
    };
    const faulty: Deps = { ...stage.deps, store: { ...stage.deps.store, task } };
    for (let failures = 0; failures < 7; failures++) {
      await expect(handleComments(faulty, REF, failures)).rejects.toThrow('a fault');
    }
    await handleComments(faulty, REF, 7);
    return store.comment('5');
  }

  it('is given up after some tries, and the next one is carried out', async () => {
    const row = await sayWithFaultAt('task_eval');
    expect(row).toMatchObject({ state: 'handled' });
    expect(outcomesOf(row)).toMatchObject([{ result: 'refused', why: 'other' }, { result: 'acted' }]);
    expect(await stage.task('task_train')).toMatchObject({ target: null, hold: { actor: 'ann' } });
    expect(await signsOn(stage, '5')).toContain('confused');
  });

  it('keeps and tells what it has done, and is not signed as done', async () => {
    const row = await sayWithFaultAt('task_train');
    expect(outcomesOf(row)).toEqual([{ result: 'acted' }, { result: 'acted' }]);
    expect(row?.commands[0]?.tasks).toMatchObject([
      { key: 'eval', accepted: true },
      { key: 'train', accepted: null },
    ]);
    expect(await signsOn(stage, '5')).toContain('confused');
  });

  it('is not given up while the database fails', async () => {
    await stage.tell(stage.write('/task cancel', { id: '5' }));
    const down = () => Promise.reject(new Error('the database is down'));
    const faulty: Deps = { ...stage.deps, store: { ...stage.deps.store, task: down, check: down } };
    await expect(handleComments(faulty, REF, 20)).rejects.toThrow('the database is down');
    await stage.work();
    expect(outcomesOf(await stage.store.comment('5'))).toEqual([{ result: 'acted' }]);
  });
});
