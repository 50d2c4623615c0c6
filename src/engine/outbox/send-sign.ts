/** What is no comment: a reaction to one, and the close of an issue that is done with. Both are harmless when done twice. */
import { replyEffect } from '../../core/comment.ts';
import { followClose, isCloseDue } from '../close-on-done.ts';
import type { OutboxResult, Reaction } from '../ports.ts';
import { messageId } from '../transition/parts.ts';
import { isSeen } from './gather-reply.ts';
import { type Sent, type Turn, writeOnce } from './turn.ts';

const SENT: OutboxResult = { state: 'sent' };
const LOOK_AGAIN_MS = 1_000;

/** The key is `reaction:COMMENT:CONTENT`. A comment that was deleted needs no sign. */
export async function sendReaction(turn: Turn): Promise<Sent> {
  const { deps, github, lease, view } = turn;
  const [, commentId = '', content] = lease.item.key.split(':');
  const waits = content !== 'confused' && (await isStopAwaited(deps, commentId));
  // It only tells that the answer takes a moment.
  if (content === 'eyes' && !waits && (await deps.store.comment(commentId))?.state !== 'due') return SENT;
  // A run that was told to stop is not stopped before it was seen gone.
  if (content === 'rocket' && waits) return { state: 'owed', dueAt: new Date(deps.clock().getTime() + LOOK_AGAIN_MS) };
  return writeOnce(turn, async () => {
    await github.react(view.repository, commentId, content as Reaction);
    return { ...SENT, sentAt: deps.clock() };
  });
}

/** The answer to the comment waits for what its commands did to be seen. */
async function isStopAwaited({ store, clock }: Turn['deps'], commentId: string): Promise<boolean> {
  const answer = await store.outbox.view(messageId(replyEffect(commentId)));
  return answer !== null && answer.item.state === 'owed' && !isSeen(answer, clock());
}

/** What was true when it was owed has to be so still. */
export async function sendClose(turn: Turn): Promise<Sent> {
  const { deps, github, lease, view } = turn;
  if (!(await isCloseDue(deps, lease.item))) return SENT;
  return writeOnce(turn, async () => {
    await github.closeIssue(view.repository, lease.item.number);
    await followClose(deps, lease.item);
    return { ...SENT, sentAt: deps.clock() };
  });
}
