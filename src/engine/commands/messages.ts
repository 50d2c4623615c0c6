/** What is owed for a comment: its answer in words, and signs on it. */
import { type CommandComment, replyEffect } from '../../core/comment.ts';
import type { Reaction, Write } from '../ports.ts';
import { messageId } from '../transition/parts.ts';

type About = Pick<CommandComment, 'id' | 'repositoryId' | 'number'>;

/** On the comment's own issue, whatever others the tasks are linked to. */
export function answer(comment: About, now: Date): Write {
  return owed(comment, { kind: 'reply', key: replyEffect(comment.id), dueAt: now, createdAt: now });
}

export function sign({ id, ...where }: About, content: Reaction, at: { dueAt: Date; createdAt: Date }): Write {
  return owed(where, { kind: 'reaction', key: `reaction:${id}:${content}`, ...at });
}

function owed(
  { repositoryId, number }: Omit<About, 'id'>,
  message: { kind: 'reply' | 'reaction'; key: string; dueAt: Date; createdAt: Date },
): Write {
  return { write: 'outbox.owe', item: { id: messageId(message.key), repositoryId, number, ...message } };
}
