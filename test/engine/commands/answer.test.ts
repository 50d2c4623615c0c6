/** When a comment is answered: once what its commands stopped was seen gone, wherever those tasks belong. */
import { expect, it } from 'vitest';
import { gatherReply } from '../../../src/engine/outbox/gather-reply.ts';
import { messageId } from '../../../src/engine/transition/parts.ts';
import { ISSUE, makeStage, type Stage } from '../../support/comment-stage.ts';

async function answerTo(stage: Stage, commentId: string) {
  const view = await stage.store.outbox.view(messageId(`reply:${commentId}`));
  if (view === null) throw new Error('no answer is owed');
  return { number: view.item.number, rendered: await gatherReply(stage.deps, view) };
}

it.each([
  ['of no issue', null],
  ['of another issue', 30],
])('a task %s that was told to stop is waited for, as one of the issue is', async (_, issueNumber) => {
  const stage = await makeStage();
  await stage.put({ id: 'task_train', issueNumber }, {});
  await stage.say('/task cancel task_train', { id: '5' });
  expect(await answerTo(stage, '5')).toEqual({ number: ISSUE, rendered: 'not_yet' });
});
