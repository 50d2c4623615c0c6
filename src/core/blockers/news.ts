/** Whether an issue's own answer says that what blocks it has to be read. Pure. */
import type { IssueSnapshot, TrackedIssue } from '../issue.ts';

type Told = Pick<IssueSnapshot, 'dependsOn' | 'blockedByCount'>;

/** What is to be kept of a newer answer. A source that doesn't tell the count leaves the known one. */
export function keepBlockersNews(
  known: Pick<TrackedIssue, 'dependsOn' | 'blockedByCount' | 'blockersDue'> | null,
  told: Told,
): Told & Pick<TrackedIssue, 'blockersDue'> {
  const blockedByCount = told.blockedByCount ?? known?.blockedByCount ?? null;
  const { dependsOn } = told;
  if (known === null) return { dependsOn, blockedByCount, blockersDue: dependsOn.length > 0 || blockedByCount !== 0 };
  const changed = blockedByCount !== known.blockedByCount || !sameLines(dependsOn, known.dependsOn);
  return { dependsOn, blockedByCount, blockersDue: known.blockersDue || changed };
}

function sameLines(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, index) => line === b[index]);
}
