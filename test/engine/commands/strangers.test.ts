/** Strangers on a public repository: they get a sign, and can have nothing written. Nor is anybody taken for the issue's author. */
import { beforeEach, describe, expect, it } from 'vitest';
import { GitHubError } from '../../../src/engine/ports.ts';
import { makeStage, outcomesOf, type Stage, signsOn } from '../../support/comment-stage.ts';

let stage: Stage;

beforeEach(async () => {
  stage = await makeStage();
  await stage.put({ id: 'task_train' }, {});
});

async function sayAndEdit(author: string) {
  const comment = stage.write('/task cancel', { id: '5', author });
  await stage.tell(comment);
  stage.comments.set('5', { ...comment, body: '/task done', updatedAt: new Date(comment.createdAt.getTime() + 1_000) });
  await stage.work();
  return stage.store.comment('5');
}

describe('a comment that was edited before it was read', () => {
  it('is answered to somebody who has a role', async () => {
    expect(outcomesOf(await sayAndEdit('rita'))).toMatchObject([{ why: 'edited' }]);
    expect(Object.keys(await stage.owed())).toContain('reply:5');
  });

  it('gets a stranger a sign and no comment', async () => {
    expect(outcomesOf(await sayAndEdit('stranger'))).toMatchObject([{ why: 'edited' }]);
    expect(await signsOn(stage, '5')).toContain('confused');
    expect(Object.keys(await stage.owed())).not.toContain('reply:5');
  });
});

it('a wrong file is told of where somebody meets it who may be answered, and on no stranger’s issue', async () => {
  stage.files.push('tasks: 7');
  await stage.say('/task run train', { author: 'stranger' });
  expect(Object.values(await stage.owed())).not.toContain('notice');
  await stage.say('/task run train', { author: 'ann' });
  expect(Object.values(await stage.owed()).filter((kind) => kind === 'notice')).toHaveLength(1);
});

describe('the author’s name', () => {
  beforeEach(async () => {
    stage.files.push('permissions: { author: [cancel] }');
    await stage.say('/task status');
  });

  function renameAuthor() {
    for (const [number, issue] of stage.issues) stage.issues.set(number, { ...issue, author: 'olga-new' });
  }

  it('that somebody else has taken since gives them no say', async () => {
    renameAuthor();
    expect(outcomesOf(await stage.say('/task cancel', { author: 'olga' }))).toMatchObject([{ why: 'not_permitted' }]);
  });

  it('that they have given themselves since keeps theirs', async () => {
    renameAuthor();
    expect(outcomesOf(await stage.say('/task cancel', { author: 'olga-new' }))).toEqual([{ result: 'acted' }]);
  });

  it('counts for nothing where the issue can’t be read', async () => {
    stage.failing.set('readIssue', new GitHubError('lost_access', 'not yours'));
    expect(outcomesOf(await stage.say('/task cancel', { author: 'olga' }))).toMatchObject([{ why: 'not_permitted' }]);
    expect(outcomesOf(await stage.say('/task cancel', { author: 'tom' }))).toEqual([{ result: 'acted' }]);
  });
});
