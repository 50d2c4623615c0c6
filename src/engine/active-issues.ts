/** The issues that a sweep is about: with unfinished tasks, or with tasks that a close ended and a reopen could still bring back. */
import type { IssueRef } from '../core/issue.ts';
import type { Deps } from './deps.ts';

const DAY_MS = 86_400_000;

/** `reopenWindowDays`: default: each repository's own. */
export async function activeIssues(deps: Deps, reopenWindowDays?: number): Promise<readonly IssueRef[]> {
  const endedSince = (days: number) => new Date(deps.clock().getTime() - days * DAY_MS);
  if (reopenWindowDays !== undefined) return deps.store.trackedIssues(endedSince(reopenWindowDays));
  const found: IssueRef[] = [];
  for (const [days, ids] of await repositoriesByWindow(deps)) {
    const issues = await deps.store.trackedIssues(endedSince(days));
    found.push(...issues.filter(({ repositoryId }) => ids.has(repositoryId)));
  }
  return found;
}

/** Most have the same one. */
async function repositoriesByWindow({ store, policyOf }: Deps): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  const byWindow = new Map<number, Set<string>>();
  for (const { id } of await store.repositories()) {
    const { reopenWindowDays } = await policyOf(id);
    byWindow.set(reopenWindowDays, (byWindow.get(reopenWindowDays) ?? new Set()).add(id));
  }
  return byWindow;
}
