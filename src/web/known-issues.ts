/** What is known of the issues of tasks: read for all tasks of a repository at once. */
import type { TrackedIssue } from '../core/issue.ts';
import type { Task } from '../core/task.ts';
import type { Reads } from './ports.ts';

/** What the store gives at once. */
const AT_ONCE = 400;

type Linked = Pick<Task, 'repositoryId' | 'issueNumber'>;

/** null: the task has no issue, or none that was ever read. */
export type IssueOf = (task: Linked) => TrackedIssue | null;

export async function readIssuesOf(reads: Pick<Reads, 'issuesOf'>, tasks: readonly Linked[]): Promise<IssueOf> {
  const found = new Map<string, TrackedIssue>();
  for (const [repositoryId, numbers] of numbersByRepository(tasks)) {
    for (let from = 0; from < numbers.length; from += AT_ONCE) {
      for (const issue of await reads.issuesOf(repositoryId, numbers.slice(from, from + AT_ONCE))) {
        found.set(keyOf(repositoryId, issue.number), issue);
      }
    }
  }
  return ({ repositoryId, issueNumber }) => found.get(keyOf(repositoryId, issueNumber)) ?? null;
}

function numbersByRepository(tasks: readonly Linked[]): Map<string, number[]> {
  const numbers = new Map<string, Set<number>>();
  for (const { repositoryId, issueNumber } of tasks) {
    if (issueNumber === null) continue;
    numbers.set(repositoryId, (numbers.get(repositoryId) ?? new Set()).add(issueNumber));
  }
  return new Map([...numbers].map(([repositoryId, set]) => [repositoryId, [...set]]));
}

function keyOf(repositoryId: string, number: number | null): string {
  return `${repositoryId}#${number}`;
}
