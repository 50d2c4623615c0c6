/** One message: sent by what its kind asks for, given back with what came of it. */
import type { OutboxLease, OutboxResult } from '../ports.ts';
import { failed } from './failure.ts';
import { isComment } from './render.ts';
import { sendComment } from './send-comment.ts';
import { sendClose, sendReaction } from './send-sign.ts';
import type { Sender, Writer } from './sender.ts';
import type { Sent, Turn } from './turn.ts';

export async function send(sender: Sender, github: Writer, lease: OutboxLease): Promise<void> {
  const { outbox } = sender.deps.store;
  const view = await outbox.view(lease.item.id);
  if (view === null) return;
  const turn: Turn = { ...sender, github, lease, view };
  const result = await carryOut(turn).catch((error) => failed(turn, error));
  if (result !== null && (await outbox.release(lease, result))) tell(turn, result);
}

function carryOut(turn: Turn): Promise<Sent> {
  const { item } = turn.lease;
  if (isComment(item)) return sendComment(turn, item);
  return item.kind === 'reaction' ? sendReaction(turn) : sendClose(turn);
}

function tell({ deps, lease, view }: Turn, { state, error, sentAt }: OutboxResult): void {
  const { item } = lease;
  const fields = { repository: view.repository.fullName, issue: item.number, message: item.key, state };
  if (error !== undefined) deps.log.warn({ ...fields, problem: error }, 'message not sent');
  else if (sentAt !== undefined) deps.log.info(fields, 'message sent');
}
