/** Whether the tasks of a batch may be where it wants them: the issues that it names are read, and the operator's word on runners. */
import type { BatchDocument, DraftBatch, Problem } from '../core/documents/index.ts';
import type { TrackedIssue } from '../core/issue.ts';
import type { Deps } from './deps.ts';
import { eachOf } from './each-of.ts';
import type { RepositoryRef } from './ports.ts';
import { readIssue } from './read-issue.ts';
import { runnerProblems } from './runner-problems.ts';

const READS_AT_ONCE = 8;

/** By number; null: there is none. */
export type SeenIssues = ReadonlyMap<number, TrackedIssue | null>;

/** One read per issue, however many tasks it has. Throws `GitHubError` where one can't be read. */
export async function readIssuesOf(deps: Deps, { id }: RepositoryRef, { tasks }: DraftBatch): Promise<SeenIssues> {
  const numbers = new Set(tasks.flatMap(({ issue }) => issue ?? []));
  const seen = new Map<number, TrackedIssue | null>();
  await eachOf(numbers, READS_AT_ONCE, async (number) => {
    seen.set(number, await readIssue(deps, { repositoryId: id, number }));
  });
  return seen;
}

export function issueProblems(
  deps: Deps,
  { fullName }: RepositoryRef,
  { draft, issues }: { draft: DraftBatch; issues: SeenIssues },
): Problem[] {
  // Without GitHub nobody can say that an issue does not exist, or is closed.
  if (deps.github === null) return [];
  return draft.tasks.flatMap(({ key, issue }) => {
    const message = issue === null ? null : verdictOn(`${fullName}#${issue}`, issues.get(issue) ?? null);
    return message === null ? [] : [{ path: `tasks.${key}.issue`, message }];
  });
}

/** null: a task may be linked to it. */
function verdictOn(label: string, issue: TrackedIssue | null): string | null {
  if (issue === null) return `${label} does not exist`;
  if (issue.isPullRequest) return `${label} is a pull request, not an issue`;
  if (issue.presence !== 'present') return `${label} was ${issue.presence}`;
  return issue.state === 'closed' ? `${label} is closed: reopen it first` : null;
}

export function placeProblems(deps: Deps, { repository, tasks }: BatchDocument): Problem[] {
  return tasks.flatMap(({ key, spec }) => runnerProblems(deps, spec, { repository, path: `tasks.${key}` }));
}
