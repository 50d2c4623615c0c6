/** Issues that can't be followed now: each told once for each row of failures, tried again by its key, and nobody else's concern. */
import type { IssueRef } from '../core/issue.ts';
import type { Deps } from './deps.ts';
import { issueEvent } from './journal.ts';
import { accessKey, issueKey } from './keys.ts';
import { GitHubError, type Write } from './ports.ts';
import { retryAt } from './worker.ts';

/** Whose next try is so long past has had it in another app on the same database, and is that one's concern. */
const ELSEWHERE_MS = 300_000;

export interface IssueProblem {
  issue: IssueRef;
  /** A class of GitHub's failures, or `internal`. */
  code: string;
  message: string;
  /** Since this process has known it. */
  since: Date;
  failures: number;
  nextTryAt: Date;
}

export interface IssueProblems {
  /** Throws what the work throws. `failures`: how often it failed before, one time after the other. */
  watch(issue: IssueRef, failures: number, work: () => Promise<void>): Promise<void>;
  list(): readonly IssueProblem[];
}

export function makeIssueProblems({ store, clock, log }: Pick<Deps, 'store' | 'clock' | 'log'>): IssueProblems {
  const problems = new Map<string, IssueProblem>();

  function keep(issue: IssueRef, failures: number, error: unknown): void {
    const now = clock();
    const code = error instanceof GitHubError ? error.code : 'internal';
    const message = error instanceof Error ? error.message : String(error);
    const since = problems.get(issueKey(issue))?.since ?? now;
    const { repositoryId, number } = issue;
    const nextTryAt = retryAt(error, { key: issueKey(issue), failures }, now);
    problems.set(issueKey(issue), {
      issue: { repositoryId, number },
      code,
      message,
      since,
      failures: failures + 1,
      nextTryAt,
    });
  }

  function dropElsewhere(): void {
    const before = clock().getTime() - ELSEWHERE_MS;
    for (const [key, { nextTryAt }] of problems) if (nextTryAt.getTime() < before) problems.delete(key);
  }

  async function tell(issue: IssueRef, { code, message }: GitHubError): Promise<void> {
    log.warn({ issue: issue.number, code, problem: message }, 'reconciliation error');
    const told = issueEvent('RECONCILIATION_ERROR', clock(), issue, { code, message });
    const look: Write = { write: 'work.enqueue', key: accessKey(issue.repositoryId), dueAt: clock() };
    await store.commit(code === 'lost_access' ? [told, look] : [told]);
  }

  return {
    async watch(issue, failures, work) {
      try {
        await work();
        problems.delete(issueKey(issue));
      } catch (error) {
        keep(issue, failures, error);
        if (failures === 0 && error instanceof GitHubError) await tell(issue, error);
        throw error;
      }
    },
    list() {
      dropElsewhere();
      return [...problems.values()];
    },
  };
}
