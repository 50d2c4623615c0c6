/** What a try that failed means for its message, and for all others of that installation. */
import { writeScope } from '../../core/pace.ts';
import { isGivenUp, isGone } from '../access/index.ts';
import { accessKey, issueKey } from '../keys.ts';
import { GitHubError, type OutboxItem, type OutboxResult } from '../ports.ts';
import { messageEvent } from './message-event.ts';
import type { Turn } from './turn.ts';

const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 900_000;
/** So often an issue's row may change under a note in it. */
const MAX_ROUNDS = 5;

export async function failed({ deps, lease, view, pauses }: Turn, error: unknown): Promise<OutboxResult> {
  const { item } = lease;
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof GitHubError)) return again(item, message, deps.clock(), 0);
  if (error.code === 'refused' || (error.code === 'lost_access' && (await isLost(deps, item)))) {
    const journal = [messageEvent('COMMENT_REFUSED', deps.clock(), item, { message })];
    return { state: 'refused', error: message, journal };
  }
  if (error.code === 'locked' && !(await hasMoved(deps, item))) {
    await noteLock(deps, item);
    return { state: 'locked', error: message };
  }
  const result = again(item, message, deps.clock(), (error.retryAfterSeconds ?? 0) * 1_000);
  if (error.code === 'throttled') {
    // It means all writes of the installation, and no other one.
    const scope = writeScope(view.repository);
    await deps.store.outbox.pause(scope, result.dueAt.getTime() - deps.clock().getTime());
    pauses.set(scope, result.dueAt);
  }
  return result;
}

/**
 * It is the repository that can't be reached, whatever the issue. Where the App was taken from it, it may come back within the grace, as if
 * nothing had been; and then not any more. The write may be the first to notice: whether it was, is looked at then.
 */
async function isLost({ store, clock }: Turn['deps'], { repositoryId }: OutboxItem): Promise<boolean> {
  if (await isGone(store, repositoryId)) return isGivenUp(store, repositoryId);
  await store.queue.enqueue([{ key: accessKey(repositoryId), dueAt: clock() }]);
  return false;
}

function again({ failures }: OutboxItem, error: string, now: Date, askedMs: number) {
  const backOff = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** failures);
  return { state: 'owed' as const, error, dueAt: new Date(now.getTime() + Math.max(askedMs, backOff)) };
}

/** Where it is now nobody hears of an unlock: it is tried again instead. */
async function hasMoved({ store }: Turn['deps'], { repositoryId, number }: OutboxItem): Promise<boolean> {
  return (await store.issue({ repositoryId, number }))?.presence === 'transferred';
}

/**
 * An unlock is seen by what was known before. The row may change under the note, by an unlock that was read just now, too: so live
 * state is looked at once more.
 */
async function noteLock({ store, clock }: Turn['deps'], { repositoryId, number }: OutboxItem): Promise<void> {
  const ref = { repositoryId, number };
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const known = await store.issue(ref);
    if (known === null || known.locked) return;
    const set = { locked: true, readDue: true };
    const look = { write: 'work.enqueue' as const, key: issueKey(ref), dueAt: clock() };
    if (await store.commit([{ write: 'issue.update', ref, version: known.version, set }, look])) return;
  }
}
