/** Which tasks and batches a command means, named or not, and what is said where that is not clear. */
import { beforeEach, describe, expect, it } from 'vitest';
import { aBatch, at } from '../../support/builders.ts';
import { ISSUE, makeStage, outcomesOf, REPOSITORY, type Stage } from '../../support/comment-stage.ts';

let stage: Stage;

beforeEach(async () => {
  stage = await makeStage();
});

async function meant(body: string): Promise<readonly string[] | undefined> {
  const row = await stage.say(body);
  return row?.commands[0]?.tasks?.map(({ taskId }) => taskId);
}

async function outcome(body: string) {
  return outcomesOf(await stage.say(body))[0];
}

describe('unnamed', () => {
  beforeEach(async () => {
    await stage.put({ id: 'task_a' }, {});
    await stage.put({ id: 'task_b', state: 'waiting' });
    await stage.put({ id: 'task_failed', state: 'failed', finishedAt: at(0) });
    await stage.put({ id: 'task_stopped', state: 'cancelled', finishedAt: at(0) });
    await stage.put({ id: 'task_done', state: 'done', finishedAt: at(0) });
    await stage.put({ id: 'task_elsewhere', issueNumber: 30 });
  });

  it.each(['cancel', 'done', 'skip', 'hold'])('%s means all unfinished tasks of the issue', async (verb) => {
    expect(await meant(`/task ${verb}`)).toEqual(['task_a', 'task_b']);
  });

  it('retry means those that failed or were stopped', async () => {
    expect(await meant('/task retry')).toEqual(['task_failed', 'task_stopped']);
    expect(await stage.task('task_done')).toMatchObject({ state: 'done' });
  });

  it('release means those that something keeps', async () => {
    await stage.say('/task hold b');
    expect(await meant('/task release')).toEqual(['task_b']);
    expect(await outcome('/task release')).toMatchObject({
      words:
        'nothing here is on hold or blocked; this issue has a (running), b (waiting), done (done), failed (failed), stopped (cancelled)',
    });
  });

  it('logs, block and answer ask which, if there are several', async () => {
    await stage.put({ id: 'task_c' }, {});
    const choices = (ids: string[]) => ids.map((id) => expect.objectContaining({ id }));
    expect(await outcome('/task logs')).toMatchObject({ result: 'ambiguous', choices: choices(['task_a', 'task_c']) });
    expect(await outcome('/task block why?')).toMatchObject({
      result: 'ambiguous',
      choices: choices(['task_a', 'task_b', 'task_c']),
    });
    await stage.say('/task block a which?\n/task block b what?');
    expect(await outcome('/task answer this')).toMatchObject({ choices: choices(['task_a', 'task_b']) });
  });

  it('block and answer take the task from their first word, and the rest as it stands', async () => {
    await stage.say('/task block b which one?  Left or *right*?');
    expect(await stage.task('task_b')).toMatchObject({ blockers: [{ question: 'which one?  Left or *right*?' }] });
    expect(await stage.task('task_a')).toMatchObject({ blockers: [] });
    expect(await meant('/task answer a left')).toEqual(['task_a']);
    expect(await meant('/task answer left')).toEqual(['task_b']);
    expect(await stage.task('task_b')).toMatchObject({ blockers: [] });
    expect(await outcome('/task block a')).toMatchObject({ result: 'refused', why: 'other' });
  });
});

it('done of what has ended takes its name, and says so', async () => {
  await stage.put({ id: 'task_a', key: 'a', state: 'failed', finishedAt: at(0) });
  const words = 'nothing here is unfinished; this issue has a (failed): name one to count it as done';
  expect(await outcome('/task done')).toEqual({ result: 'refused', why: 'other', words });
});

it('where the issue has one task, all that is said is its question', async () => {
  await stage.put({ id: 'task_train' }, {});
  await stage.say('/task block train on what?');
  expect(await stage.task('task_train')).toMatchObject({ blockers: [{ question: 'train on what?' }] });
});

it.each(['cancel', 'retry', 'logs', 'answer x', 'block x', 'release'])(
  '%s on an issue without tasks says so',
  async (said) => {
    const words = expect.stringContaining('this issue has no task');
    expect(await outcome(`/task ${said}`)).toEqual({ result: 'refused', why: 'other', words });
  },
);

describe('named', () => {
  it('by key or id, on this issue or another one of the repository', async () => {
    await stage.put({ id: 'task_a' }, {});
    await stage.put({ id: 'task_far', issueNumber: 30 });
    expect(await meant('/task hold a')).toEqual(['task_a']);
    expect(await meant('/task hold task_a')).toEqual(['task_a']);
    expect(await meant('/task hold far')).toEqual(['task_far']);
    expect(await meant('/task hold task_far')).toEqual(['task_far']);
  });

  it('never means a task of another repository', async () => {
    await stage.store.commit([
      { write: 'repository.put', repository: { ...REPOSITORY, id: '8', fullName: 'acme/other' } },
    ]);
    await stage.put({ id: 'task_foreign', repositoryId: '8' });
    for (const said of [
      'cancel task_foreign',
      'cancel foreign',
      'link task_foreign',
      'unlink task_foreign',
      'logs task_foreign',
    ]) {
      expect(await outcome(`/task ${said}`)).toMatchObject({ result: 'refused', why: 'other' });
    }
    expect(await stage.task('task_foreign')).toMatchObject({ state: 'ready', issueNumber: ISSUE });
  });

  it('says what there is where nothing is called so', async () => {
    await stage.put({ id: 'task_a' });
    expect(await outcome('/task cancel nope')).toMatchObject({
      words: 'no task of this repository is called nope; this issue has a (ready)',
    });
  });

  async function putBatch(id: string, name: string, seconds: number, task: object): Promise<void> {
    const batch = aBatch({
      id: `batch_${id}`,
      name,
      repositoryId: REPOSITORY.id,
      createdAt: at(seconds),
      state: 'completed',
    });
    await stage.store.commit([{ write: 'batch.insert', batch, document: {} }]);
    await stage.put({ id: `task_${id}`, key: 'train', batchId: batch.id, createdAt: at(seconds), ...task });
  }

  it('the unfinished one of this issue comes first, then the newest of each batch', async () => {
    await putBatch('old', 'nightly', 1, { state: 'failed', finishedAt: at(1) });
    await putBatch('new', 'nightly', 2, { state: 'failed', finishedAt: at(2) });
    expect(await meant('/task logs train')).toEqual(['task_new']);
    await putBatch('live', 'weekly', 3, {});
    expect(await meant('/task hold train')).toEqual(['task_live']);
    expect(await meant('/task retry')).toEqual(['task_new']);
  });

  it('asks which where the same key is left in several batches', async () => {
    await putBatch('n', 'nightly', 1, {});
    await putBatch('w', 'weekly', 2, {});
    expect(await outcome('/task cancel train')).toEqual({
      result: 'ambiguous',
      choices: [
        { id: 'task_n', key: 'train', state: 'ready, of batch nightly' },
        { id: 'task_w', key: 'train', state: 'ready, of batch weekly' },
      ],
    });
    expect(await stage.task('task_n')).toMatchObject({ state: 'ready' });
  });
});

describe('a batch', () => {
  const put = (id: string, name: string, set: object = {}) =>
    stage.store.commit([
      {
        write: 'batch.insert',
        batch: aBatch({ id, name, repositoryId: REPOSITORY.id, issueNumber: ISSUE, ...set }),
        document: {},
      },
    ]);

  it('unnamed is the live one that was started here or has tasks of this issue', async () => {
    expect(await outcome('/batch status')).toMatchObject({ result: 'refused' });
    await put('batch_1', 'nightly', { state: 'failed' });
    expect(await outcome('/batch status')).toMatchObject({ result: 'batch_status', batchId: 'batch_1' });
    await put('batch_2', 'weekly', { issueNumber: null });
    await stage.put({ id: 'task_w', batchId: 'batch_2' });
    expect(await outcome('/batch status')).toMatchObject({ batchId: 'batch_2' });
    await put('batch_3', 'daily');
    expect(await outcome('/batch cancel')).toMatchObject({
      result: 'ambiguous',
      choices: [
        { id: 'batch_3', key: 'daily', state: 'running' },
        { id: 'batch_2', key: 'weekly', state: 'running' },
      ],
    });
    expect(await stage.store.batch('batch_2')).toMatchObject({ order: null });
  });

  it('named is the newest of that name, or that id, in this repository alone', async () => {
    await put('batch_1', 'nightly', { state: 'failed', createdAt: at(1) });
    await put('batch_2', 'nightly', { createdAt: at(2), issueNumber: null });
    await stage.store.commit([{ write: 'repository.put', repository: { ...REPOSITORY, id: '8', fullName: 'acme/o' } }]);
    await put('batch_9', 'foreign', { repositoryId: '8', issueNumber: null });
    expect(await outcome('/batch status nightly')).toMatchObject({ batchId: 'batch_2' });
    expect(await outcome('/batch status batch_1')).toMatchObject({ batchId: 'batch_1' });
    expect(await outcome('/batch cancel batch_9')).toMatchObject({ result: 'refused' });
    expect(await outcome('/batch cancel nightly')).toEqual({
      result: 'batch_cancelled',
      batchId: 'batch_2',
      name: 'nightly',
    });
    expect(await stage.store.batch('batch_2')).toMatchObject({
      order: { kind: 'cancel', now: false, cause: 'command', actor: 'ann' },
    });
    expect(await outcome('/batch cancel nightly')).toMatchObject({ result: 'refused', why: 'other' });
  });

  it('is resumed by whoever says so', async () => {
    await put('batch_1', 'nightly', { state: 'failed', finishedAt: at(1) });
    await stage.put({ id: 'task_a', batchId: 'batch_1', state: 'failed', finishedAt: at(1) });
    expect(await outcome('/batch resume')).toMatchObject({ result: 'batch_resumed', batchId: 'batch_1' });
    expect(await stage.store.batch('batch_1')).toMatchObject({
      order: { kind: 'resume', force: false, cause: 'command' },
    });
  });
});
