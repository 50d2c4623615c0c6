/** Live state of one issue into the store. An answer that can't be had or believed changes nothing and throws. */
import { keepBlockersNews } from '../core/blockers/news.ts';
import type { IssueRef, IssueSnapshot, TrackedIssue } from '../core/issue.ts';
import { isFresh } from '../core/plan/limits.ts';
import type { Deps } from './deps.ts';
import { issueEvent } from './journal.ts';
import { issueKey } from './keys.ts';
import { GitHubError, type IssueReading, type RepositoryRef, type Write } from './ports.ts';

/** The issue as it is now. Makes its row if there is none; null where GitHub says that there is no such issue. */
export async function readIssue(deps: Deps, { repositoryId, number }: IssueRef): Promise<TrackedIssue | null> {
  // Of an issue that is given whole only its name counts: the rest is what it was.
  const ref = { repositoryId, number };
  const { store, github, clock } = deps;
  if (github === null) return confirmed(deps, ref);
  const repository = await repositoryOf(deps, ref.repositoryId);
  for (let attempt = 0; attempt < 3; attempt++) {
    // What changes while GitHub is asked may be news of what it has not told: its answer is kept on the row as it was before.
    const known = await store.issue(ref);
    const askedAt = clock();
    const reading = await github.readIssue(repository, ref.number);
    const stored = await keepReading(deps, { ref, known, askedAt }, reading);
    if (stored !== 'conflict') return stored;
    const others = await store.issue(ref);
    if (others !== null && isReadSince(others, known, clock())) return others;
  }
  throw new GitHubError('retryable', `issue ${ref.number} kept changing while it was stored`);
}

/** Somebody else has read it meanwhile, and nothing came since. */
function isReadSince({ observedAt, readDue }: TrackedIssue, known: TrackedIssue | null, now: Date): boolean {
  return !readDue && isFresh(observedAt, now) && (known === null || observedAt > known.observedAt);
}

/** Without GitHub nobody can be asked: what is known stands. */
async function confirmed({ store, clock }: Deps, ref: IssueRef): Promise<TrackedIssue | null> {
  const known = await store.issue(ref);
  if (known === null) return null;
  const set = { readDue: false, observedAt: clock() };
  const kept = await store.commit([{ write: 'issue.update', ref, version: known.version, set }]);
  return kept ? { ...known, ...set, version: known.version + 1 } : store.issue(ref);
}

export async function repositoryOf({ store }: Pick<Deps, 'store'>, id: string): Promise<RepositoryRef> {
  const repository = await store.repository(id);
  if (repository === null) throw new GitHubError('lost_access', `repository ${id} is not known here`);
  return repository;
}

/** It is as old as the question: an app that stood still since makes it no newer. */
async function keepReading(
  deps: Deps,
  { ref, known, askedAt }: { ref: IssueRef; known: TrackedIssue | null; askedAt: Date },
  reading: IssueReading,
): Promise<TrackedIssue | null | 'conflict'> {
  const now = deps.clock();
  if (reading.found !== 'issue') {
    if (known === null) return null;
    if (known.presence === reading.found && !known.readDue) return known;
    const movedTo = reading.found === 'transferred' ? reading.to : null;
    const set = { presence: reading.found, movedTo, readDue: false, observedAt: askedAt };
    const look = { write: 'work.enqueue' as const, key: issueKey(ref), dueAt: now };
    const update = { write: 'issue.update' as const, ref, version: known.version, set };
    // What waits for an unlock that never comes is tried once more, and then given up.
    const unlock = { write: 'outbox.unlock' as const, ref, dueAt: now };
    const written = await deps.store.commit([update, look, unlock, ...absenceNews(known, set, now)]);
    return written ? { ...known, ...set, version: known.version + 1 } : 'conflict';
  }
  const { issue } = reading;
  const told = keepBlockersNews(known, issue);
  const here = { presence: 'present' as const, movedTo: null };
  const fresh = { ...issue, ...told, ...ref, ...here, readDue: false, observedAt: askedAt };
  if (known === null) {
    const inserted = { ...fresh, version: 1 };
    const writes: Write[] = [{ write: 'issue.insert', issue: inserted }, ...unlocked(ref, known, fresh, now)];
    if (inserted.blockersDue) writes.push({ write: 'work.enqueue', key: issueKey(ref), dueAt: now });
    return (await deps.store.commit(writes)) ? inserted : 'conflict';
  }
  // The repository's name is another repository's by now: what it answers is about a foreign issue.
  if (issue.nodeId !== known.nodeId) {
    throw new GitHubError('lost_access', `issue ${ref.number} was answered from another repository`);
  }
  // A lagging replica: what is stored is newer, and stays.
  if (issue.updatedAt < known.updatedAt)
    throw new GitHubError('retryable', `issue ${ref.number} was answered older than known`);
  return keepNewer(deps, known, fresh);
}

function absenceNews(known: TrackedIssue, now: Pick<TrackedIssue, 'presence' | 'movedTo'>, at: Date): Write[] {
  if (now.presence === known.presence) return [];
  if (now.presence === 'deleted') return [issueEvent('ISSUE_DELETED', at, known, {})];
  return [issueEvent('ISSUE_TRANSFERRED', at, known, { moved_to: now.movedTo })];
}

async function keepNewer(
  { store, clock }: Deps,
  known: TrackedIssue,
  fresh: Omit<TrackedIssue, 'version'>,
): Promise<TrackedIssue | 'conflict'> {
  const { repositoryId, number, version } = known;
  const ref = { repositoryId, number };
  const sameClose = fresh.state === known.state && sameTime(fresh.closedAt, known.closedAt);
  // Who closed it stays known where the newer answer doesn't tell.
  const set = { ...fresh, actor: fresh.actor ?? (sameClose ? known.actor : null) };
  const writes: Write[] = [{ write: 'issue.update', ref, version, set }, ...unlocked(ref, known, fresh, clock())];
  // A news that only the row knew would wait for the next sweep if this process died now; an old one has had its look.
  if (!sameClose || known.presence !== 'present' || (set.blockersDue && !known.blockersDue)) {
    writes.push({ write: 'work.enqueue', key: issueKey(ref), dueAt: clock() });
  }
  writes.push(...reasonNews(known, fresh, clock()));
  return (await store.commit(writes)) ? { ...set, version: version + 1 } : 'conflict';
}

/** It is told, and changes nothing: what the close did was done under the reason that it had. */
export function reasonNews(known: TrackedIssue, fresh: IssueSnapshot, at: Date): Write[] {
  const isSame = fresh.state === 'closed' && known.state === 'closed' && sameTime(fresh.closedAt, known.closedAt);
  if (!isSame || fresh.reason === known.reason) return [];
  return [issueEvent('ISSUE_REASON_CHANGED', at, known, { from: known.reason, to: fresh.reason })];
}

function sameTime(a: Date | null, b: Date | null): boolean {
  return a?.getTime() === b?.getTime();
}

/** What waits for it may wait longer than the row is there. */
function unlocked(ref: IssueRef, known: TrackedIssue | null, now: Pick<TrackedIssue, 'locked'>, dueAt: Date): Write[] {
  return !now.locked && known?.locked !== false ? [{ write: 'outbox.unlock', ref, dueAt }] : [];
}
