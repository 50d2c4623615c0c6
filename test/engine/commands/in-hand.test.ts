/** A comment that two have in hand at once, after a lease was lost: one goes on, the order stays, and whoever dies leaves nothing undone. */
import { expect, it } from 'vitest';
import { handleComments } from '../../../src/engine/commands/handle.ts';
import type { Deps } from '../../../src/engine/deps.ts';
import type { Store } from '../../../src/engine/ports.ts';
import { at } from '../../support/builders.ts';
import { ISSUE, makeStage, REPOSITORY, type Stage } from '../../support/comment-stage.ts';

const REF = { repositoryId: REPOSITORY.id, number: ISSUE };

/** Right before this one's first step on the comment, the other one has made a step, and died. */
function overtaken({ deps, store }: Stage, commentId: string): Deps {
  let isOvertaken = false;
  const commit: Store['commit'] = async (writes) => {
    const step = writes.find((write) => write.write === 'comment.update' && write.id === commentId);
    if (step?.write === 'comment.update' && !isOvertaken) {
      isOvertaken = true;
      await store.commit([{ ...step, set: { permission: 'write' } }]);
    }
    return store.commit(writes);
  };
  return { ...deps, store: { ...store, commit } };
}

it('keeps those behind it waiting, and is looked at again soon', async () => {
  const stage = await makeStage();
  await stage.put({ id: 'task_train' }, {});
  await stage.tell(stage.write('/task hold', { id: '5', createdAt: at(90) }));
  await stage.tell(stage.write('/task release', { id: '6', createdAt: at(91) }));
  const [lease, ...more] = await stage.store.queue.claim('one', 10, 60_000);
  expect(more).toEqual([]);
  await handleComments(overtaken(stage, '5'), REF);
  expect(await stage.store.comment('6')).toMatchObject({ state: 'due', permission: null });
  expect(await stage.task('task_train')).toMatchObject({ hold: null });
  if (lease !== undefined) await stage.store.queue.complete(lease);
  stage.setTime(101);
  await stage.work();
  expect(await stage.store.comment('5')).toMatchObject({ state: 'handled' });
  expect(await stage.store.comment('6')).toMatchObject({ state: 'handled' });
  expect((await stage.events('COMMAND_ACCEPTED')).map(({ data }) => data.verb)).toEqual(['hold', 'release']);
  expect(await stage.task('task_train')).toMatchObject({ hold: null });
});
