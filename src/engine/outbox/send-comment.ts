/**
 * A comment is rendered when it is sent, and looked for by its marker first where an earlier try may have made it: one comment for
 * one cause, whatever dies in between.
 */
import { createHash } from 'node:crypto';
import { markerOf } from '../../core/report/markers.ts';
import type { OutboxResult } from '../ports.ts';
import { mergeInto } from './merge.ts';
import { messageEvent } from './message-event.ts';
import { findPlace, hasLeft, type Nowhere, type Place } from './place.ts';
import { type CommentItem, gathererOf } from './render.ts';
import { type Sent, type Turn, writeOnce } from './turn.ts';

const LOOK_AGAIN_MS = 1_000;
const LOOK_AGAIN_AT_MOST_MS = 10_000;

export async function sendComment(turn: Turn, item: CommentItem): Promise<Sent> {
  try {
    return await sendTo(turn, item, await findPlace(turn, item));
  } catch (error) {
    if (!(await hasLeft(turn, item, error))) throw error;
    // As a failure: what an earlier try may have made is looked for at the new place.
    return { state: 'owed', dueAt: turn.deps.clock(), error: String(error) };
  }
}

async function sendTo(turn: Turn, item: CommentItem, place: Place | Nowhere): Promise<Sent> {
  const { deps, lease, view } = turn;
  // Before it is asked what there is to say: a status that is over says nothing, but where it is there already.
  const remoteId = 'nowhere' in place ? item.remoteId : await earlierComment(turn, item, place);
  const known = { ...view, item: { ...item, remoteId } };
  const rendered = await gathererOf(item)(deps, known, await mergeInto(deps, lease, known));
  if (rendered === null) return { state: 'sent' };
  if (rendered === 'not_yet') return found(lookAgain(deps.clock(), item), remoteId);
  if (item.kind === 'status' && !isWhereItWas(place, remoteId)) return { state: 'sent' };
  if ('nowhere' in place) return giveUp(deps.clock(), item, place.nowhere);
  const { body } = rendered;
  const bodyHash = createHash('sha256').update(body).digest('hex');
  if (item.remoteId !== null && item.bodyHash === bodyHash) return { state: 'sent' };
  if (remoteId === null) return writeOnce(turn, () => create(turn, place, { body, bodyHash }));
  return found(await writeOnce(turn, () => update(turn, { ...place, remoteId }, { body, bodyHash })), remoteId);
}

/** A status goes where its issue goes; it is made on an issue of its repository only. */
function isWhereItWas(place: Place | Nowhere, remoteId: string | null): boolean {
  return !('nowhere' in place) && (place.movedTo === null || remoteId !== null);
}

function giveUp(now: Date, item: CommentItem, message: string): OutboxResult {
  return { state: 'refused', error: message, journal: [messageEvent('COMMENT_REFUSED', now, item, { message })] };
}

/** What has to wait keeps the comment that was found: it would be made a second time. */
function found(sent: Sent, remoteId: string | null): Sent {
  if (sent?.state !== 'owed' || sent.remoteId !== undefined || remoteId === null) return sent;
  return { ...sent, remoteId };
}

/** Whoever sees the end owes it again: this finds only what they left, the longer it takes the more seldom. */
function lookAgain(now: Date, { createdAt }: CommentItem): OutboxResult {
  const waited = now.getTime() - createdAt.getTime();
  const ms = Math.min(Math.max(waited / 4, LOOK_AGAIN_MS), LOOK_AGAIN_AT_MOST_MS);
  return { state: 'owed', dueAt: new Date(now.getTime() + ms) };
}

/**
 * A try that failed or died may have made the comment all the same; and one that moved along with its issue may go by another id
 * there. null: there is none.
 */
async function earlierComment({ github, lease }: Turn, item: CommentItem, place: Place): Promise<string | null> {
  const { repository, number, movedTo } = place;
  if (movedTo === null && item.remoteId !== null) return item.remoteId;
  if (movedTo === null && !lease.takenOver && item.failures === 0) return null;
  return github.findComment(repository, number, markerOf(item.kind, item.id));
}

interface Words {
  body: string;
  bodyHash: string;
}

async function create({ deps, github, lease }: Turn, place: Place, words: Words): Promise<OutboxResult> {
  const { repository, number, movedTo } = place;
  const remoteId = await github.createComment(repository, number, words.body);
  const sentAt = deps.clock();
  const data = { comment: remoteId, ...(movedTo === null ? {} : { moved_to: movedTo }) };
  const journal = [messageEvent('COMMENT_SENT', sentAt, lease.item, data)];
  return { state: 'sent', remoteId, bodyHash: words.bodyHash, sentAt, journal };
}

async function update(
  { deps, github }: Turn,
  { repository, remoteId }: Place & { remoteId: string },
  words: Words,
): Promise<OutboxResult> {
  const sentAt = deps.clock();
  const updated = await github.updateComment(repository, remoteId, words.body);
  // To make it again is another write, and has to wait for its turn.
  if (updated === 'gone') return { state: 'owed', dueAt: sentAt, remoteId: null, bodyHash: null };
  return { state: 'sent', remoteId, bodyHash: words.bodyHash, sentAt };
}
