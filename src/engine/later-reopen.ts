/**
 * A reopen after one that was refused, where the close between them was never seen: each look found the issue open. The events tell
 * of both, and the close is kept as what it was: undone, by somebody who has yet to be judged.
 */
import type { CloseEpisode, IssueRef, TrackedIssue } from '../core/issue.ts';
import { orGiveUp } from './authority.ts';
import type { Deps } from './deps.ts';
import { issueEvent } from './journal.ts';
import { issueKey } from './keys.ts';
import type { Reopening, Write } from './ports.ts';
import { readIssue, repositoryOf } from './read-issue.ts';

/** Whether its reopen started nothing because of who made it. */
export function isRefused({ state, reopen }: CloseEpisode): boolean {
  return state === 'undone' && (reopen?.authority === 'denied' || reopen?.authority === 'unreadable');
}

/** null: the events don't tell, or can't be read. */
export async function lastReopening(deps: Deps, ref: IssueRef, failures: number): Promise<Reopening | null> {
  if (deps.github === null) return null;
  const { github } = deps;
  const repository = await repositoryOf(deps, ref.repositoryId);
  return orGiveUp(deps, { ...ref, failures }, async () => {
    // It may have been closed again since: that is found, and followed, by a look of its own.
    if (failures > 0) await readIssue(deps, ref);
    return github.readReopener(repository, ref.number);
  });
}

export async function takeLaterReopen(
  deps: Deps,
  issue: TrackedIssue,
  refused: CloseEpisode,
  failures: number,
): Promise<void> {
  if (issue.state !== 'open' || issue.presence !== 'present') return;
  const later = await lastReopening(deps, issue, failures);
  if (later === null || later.closed === null || later.closed.at <= refused.closedAt) return;
  const { closeDelaySeconds, onClose } = await deps.policyOf(issue.repositoryId);
  // Reopened within the delay: as if it had not been.
  if (later.at.getTime() - later.closed.at.getTime() < closeDelaySeconds * 1_000) return;
  const { repositoryId, number, nodeId, version } = issue;
  const ref = { repositoryId, number };
  const now = deps.clock();
  const { at: closedAt, actor, reason } = later.closed;
  const action = onClose[reason];
  const reopen = { actor: later.actor, authority: 'pending' as const, at: now };
  // Nothing was ended by it, so nothing hangs on what its closer may do.
  const close = { closedAt, reason, actor, authority: 'unreadable' as const, action, state: 'undone' as const };
  const episode = { id: deps.newId('episode'), ...ref, nodeId, ...close, learnedAt: now, reopen };
  const writes: Write[] = [
    { write: 'issue.update', ref, version, set: {} },
    { write: 'episode.insert', episode },
    issueEvent('ISSUE_CLOSED', now, ref, { episode: episode.id, reason, actor, action, state: 'undone' }),
    issueEvent('ISSUE_REOPENED', now, ref, { episode: episode.id, actor: later.actor }),
    { write: 'work.enqueue', key: issueKey(ref), dueAt: now },
  ];
  await deps.store.commit(writes);
}
