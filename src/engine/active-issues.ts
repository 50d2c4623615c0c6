/** The issues that a sweep is about: with unfinished tasks, or with ended tasks that a reopen could still bring back. */
import type { IssueRef } from '../core/issue.ts';
import { type EndedBy, endedByOf } from '../core/plan/reopen.ts';
import type { Deps } from './deps.ts';

const DAY_MS = 86_400_000;

/** `reopenWindowDays`: default: each repository's own. */
export async function activeIssues(deps: Deps, reopenWindowDays?: number): Promise<readonly IssueRef[]> {
  const endedSince = (days: number) => new Date(deps.clock().getTime() - days * DAY_MS);
  if (reopenWindowDays !== undefined) return deps.store.trackedIssues(endedSince(reopenWindowDays));
  const found: IssueRef[] = [];
  for (const { days, endedBy, ids } of await repositoriesByWindow(deps)) {
    const issues = await deps.store.trackedIssues(endedSince(days), endedBy);
    found.push(...issues.filter(({ repositoryId }) => ids.has(repositoryId)));
  }
  return found;
}

interface Window {
  days: number;
  endedBy: EndedBy;
  ids: Set<string>;
}

/** Most have the same one. */
async function repositoriesByWindow({ store, policyOf }: Deps): Promise<Iterable<Window>> {
  const windows = new Map<string, Window>();
  for (const { id } of await store.repositories()) {
    const policy = await policyOf(id);
    const [days, endedBy] = [policy.reopenWindowDays, endedByOf(policy)];
    const window = windows.get(`${days} ${endedBy}`) ?? { days, endedBy, ids: new Set() };
    windows.set(`${days} ${endedBy}`, { ...window, ids: window.ids.add(id) });
  }
  return windows.values();
}
