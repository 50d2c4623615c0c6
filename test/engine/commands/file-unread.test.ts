/** What starts work while the repository's file can't be read, and what is said of a file that is wrong. */
import { beforeEach, expect, it } from 'vitest';
import { GitHubError, type Store } from '../../../src/engine/ports.ts';
import { makeStage, outcomesOf, type Stage } from '../../support/comment-stage.ts';

let stage: Stage;

beforeEach(async () => {
  stage = await makeStage();
});

it('waits a moment for an answer of GitHub’s, as the rest of a command does', async () => {
  stage.files.push('tasks: { train: { runs_on: local, run: ["true"] } }');
  await stage.put({ id: 'task_x' }, {});
  stage.failing.set('readFile', new GitHubError('retryable', 'no answer'));
  const { readFile } = stage.files;
  let asked = 0;
  Object.assign(stage.deps.github ?? {}, {
    readFile: async (...given: Parameters<typeof readFile>) => {
      asked += 1;
      if (asked < 4) throw new GitHubError('retryable', 'no answer');
      return readFile(...given);
    },
  });
  expect(outcomesOf(await stage.say('/task run train'))).toMatchObject([{ result: 'started', key: 'train' }]);
});

it('and then is refused with what GitHub said', async () => {
  stage.failing.set('readFile', new GitHubError('retryable', 'no answer'));
  expect(outcomesOf(await stage.say('/task run train'))).toMatchObject([{ result: 'refused', why: 'other' }]);
});

it('a wrong file is told of although the app died after the last command of the comment', async () => {
  stage.files.push('tasks: 7');
  const { commit } = stage.deps.store;
  const died = new GitHubError('retryable', 'killed');
  const dying: Store['commit'] = async (writes) => {
    const isEnd = writes.some((write) => write.write === 'comment.update' && write.set.state === 'handled');
    if (!isEnd) return commit(writes);
    stage.deps.store.commit = commit;
    throw died;
  };
  stage.deps.store.commit = dying;
  await stage.say('/task run train');
  expect(Object.values(await stage.owed())).toContain('notice');
});
