/** When something was said: what came later is not meant by it, and what is found late starts nothing. */
import { beforeEach, describe, expect, it } from 'vitest';
import { aBatch, at } from '../../support/builders.ts';
import { makeStage, outcomesOf, type Stage } from '../../support/comment-stage.ts';

const MINUTE = 60;
let stage: Stage;

beforeEach(async () => {
  stage = await makeStage();
});

/** Said at second 100, and found so long after it. */
async function saidBefore(body: string, minutes: number) {
  const comment = stage.write(body, { createdAt: at(100) });
  stage.setTime(100 + minutes * MINUTE);
  await stage.tell(comment);
  await stage.work();
  return outcomesOf(await stage.store.comment(comment.id));
}

const STARTING = ['run train', 'retry', 'release', 'answer yes', 'skip', 'done', 'link task_a', 'unlink a'];

it.each(STARTING)('/task %s is carried out an hour late, and not a minute more', async (said) => {
  await stage.put({ id: 'task_a', state: 'failed', finishedAt: at(0) });
  const [inTime] = await saidBefore(`/task ${said}`, 59);
  expect(inTime).not.toMatchObject({ why: 'late' });
  const words = expect.stringContaining('found 61 min after it was said');
  expect(await saidBefore(`/task ${said}`, 61)).toEqual([{ result: 'refused', why: 'late', words }]);
});

it.each(['run nightly', 'resume'])('/batch %s neither', async (said) => {
  expect(await saidBefore(`/batch ${said}`, 61)).toMatchObject([{ why: 'late' }]);
  expect(await saidBefore('/batch status', 61)).not.toMatchObject([{ why: 'late' }]);
});

it('what stops is carried out whenever it is found, and what looks is answered', async () => {
  await stage.put({ id: 'task_a' }, {});
  expect(await saidBefore('/task hold\n/task block a\n/task status\n/task help\n/task logs', 600)).not.toContainEqual(
    expect.objectContaining({ why: 'late' }),
  );
  expect(await saidBefore('/task cancel', 600)).toEqual([{ result: 'acted' }]);
  expect(await stage.task('task_a')).toMatchObject({ target: { becomes: 'ended' }, hold: { actor: 'ann' } });
});

describe('what came after it was said', () => {
  it('a task is not meant, named or not', async () => {
    await stage.put({ id: 'task_later', createdAt: at(101) });
    for (const said of ['cancel', 'cancel later', 'cancel task_later', 'hold', 'link task_later']) {
      expect(await saidBefore(`/task ${said}`, 0)).toMatchObject([{ result: 'refused', why: 'other' }]);
    }
    expect(await stage.task('task_later')).toMatchObject({ state: 'ready', hold: null });
  });

  it.each(['cancel', 'skip', 'done'])('a run is not stopped by %s', async (verb) => {
    await stage.put({ id: 'task_a' }, { createdAt: at(101) });
    await saidBefore(`/task ${verb}`, 1);
    expect(await stage.task('task_a')).toMatchObject({ state: 'running', target: null });
    const [row] = await stage.events('COMMAND_REFUSED');
    expect(row).toMatchObject({
      data: { conflicts: [{ key: 'a', conflict: expect.stringContaining('began after') }] },
    });
  });

  it('a run that has ended meanwhile is not repeated by retry: it is another one that was to be', async () => {
    await stage.put({ id: 'task_a', state: 'failed', finishedAt: at(120) }, { state: 'failed', createdAt: at(110) });
    await saidBefore('/task retry', 1);
    expect(await stage.task('task_a')).toMatchObject({ state: 'failed', generation: 1 });
    expect(await stage.events('COMMAND_REFUSED')).toMatchObject([
      { data: { conflicts: [{ conflict: 'run 1 of a began after this was said: say it again' }] } },
    ]);
  });

  it('within the same second it counts as there: GitHub’s times are whole seconds', async () => {
    await stage.put(
      { id: 'task_a', createdAt: new Date(at(100).getTime() + 400) },
      { createdAt: new Date(at(100).getTime() + 900) },
    );
    expect(await saidBefore('/task cancel', 0.02)).toEqual([{ result: 'acted' }]);
    expect(await stage.task('task_a')).toMatchObject({ target: { becomes: 'ended' } });
  });

  it('and before GitHub told of it is meant, though its clock is only known to a second', async () => {
    Object.assign(stage.deps.github ?? {}, { clockOffsetMs: () => 500 });
    await stage.put({ id: 'task_a', createdAt: at(100.6) }, { createdAt: at(100.8) });
    expect(await saidBefore('/task cancel', 0.02)).toEqual([{ result: 'acted' }]);
  });

  it('is never what came after GitHub told of it', async () => {
    await stage.put({ id: 'task_a', createdAt: at(0) }, { createdAt: at(100.5) });
    const comment = stage.write('/task cancel', { createdAt: at(100) });
    stage.setTime(100.4);
    await stage.tell(comment);
    stage.setTime(101);
    await stage.work();
    expect(await stage.task('task_a')).toMatchObject({ target: null });
  });

  it('is told by GitHub’s clock, whatever ours says', async () => {
    Object.assign(stage.deps.github ?? {}, { clockOffsetMs: () => -300_000 });
    // By our clock 80 s after the comment was written, which is 220 s before it by GitHub's.
    await stage.put({ id: 'task_a', createdAt: at(180) });
    expect(await saidBefore('/task hold', 5)).toEqual([{ result: 'acted' }]);
  });

  it('a batch is not cancelled', async () => {
    const batch = aBatch({ repositoryId: '7', issueNumber: 12, createdAt: at(101) });
    await stage.store.commit([{ write: 'batch.insert', batch, document: {} }]);
    expect(await saidBefore('/batch cancel', 0)).toMatchObject([{ result: 'refused' }]);
    expect(await saidBefore('/batch cancel nightly', 0)).toMatchObject([{ result: 'refused' }]);
  });
});
