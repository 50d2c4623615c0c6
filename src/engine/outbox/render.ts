/** Which kinds of messages are comments, and what makes the body of each from its facts as they are when it is sent. */
import type { Marked } from '../../core/report/markers.ts';
import type { OutboxItem } from '../ports.ts';
import { gatherNotice } from './gather-notice.ts';
import { gatherOutcome } from './gather-outcome.ts';
import { gatherReply } from './gather-reply.ts';
import { gatherStatus } from './gather-status.ts';
import type { Gather } from './rendered.ts';

export type CommentItem = OutboxItem & { kind: Marked };

const GATHERERS: Readonly<Record<Marked, Gather>> = {
  outcome: gatherOutcome,
  reply: gatherReply,
  status: gatherStatus,
  notice: gatherNotice,
};

export function isComment(item: OutboxItem): item is CommentItem {
  return item.kind in GATHERERS;
}

export function gathererOf({ kind }: CommentItem): Gather {
  return GATHERERS[kind];
}
