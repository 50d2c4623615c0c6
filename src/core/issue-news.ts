/** What a listing or a sight of an issue says against what is stored of it. Pure. */
import type { IssueSnapshot, TrackedIssue } from './issue.ts';

/** What a listing and a sight both tell. */
export type Seen = Pick<IssueSnapshot, 'state' | 'reason' | 'closedAt' | 'updatedAt' | 'locked'>;

/**
 * - `none`: as it is stored, or older.
 * - `touched`: newer, and the same in all that anything here hangs on.
 * - `read`: something differs; the issue itself has to be read.
 */
export type News = 'none' | 'touched' | 'read';

/** Equal seconds tell no order: what differs within one has to be read. */
export function newsOf(known: TrackedIssue, seen: Seen & Partial<IssueSnapshot>): News {
  if (known.readDue) return 'none';
  if (known.presence !== 'present') return 'read';
  if (seen.updatedAt < known.updatedAt) return 'none';
  if (differs(known, seen)) return 'read';
  return seen.updatedAt > known.updatedAt ? 'touched' : 'none';
}

/** Whether what runs for it would be stopped, were it as it was seen. */
export function wouldStop(known: TrackedIssue, seen: Pick<Seen, 'state'>): boolean {
  return known.presence === 'present' && !known.readDue && known.state === 'open' && seen.state === 'closed';
}

function differs(known: TrackedIssue, seen: Seen & Partial<IssueSnapshot>): boolean {
  if (seen.nodeId !== undefined && seen.nodeId !== known.nodeId) return true;
  if (seen.state !== known.state || seen.locked !== known.locked) return true;
  if (seen.state === 'closed' && (seen.reason !== known.reason || !sameTime(seen.closedAt, known.closedAt)))
    return true;
  if (seen.dependsOn !== undefined && seen.dependsOn.join(' ') !== known.dependsOn.join(' ')) return true;
  return seen.blockedByCount != null && seen.blockedByCount !== known.blockedByCount;
}

function sameTime(a: Date | null, b: Date | null): boolean {
  return a?.getTime() === b?.getTime();
}
