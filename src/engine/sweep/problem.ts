/** A repository that can't be swept: told once for each row of failures, tried again with patience, and nobody else's concern. */
import { retryAfter } from '../../core/sweep-pace.ts';
import { repositoryEvent } from '../journal.ts';
import { accessKey } from '../keys.ts';
import { GitHubError, type RepositoryState, type SweepProblem, type Write } from '../ports.ts';
import type { Sweeper } from './sweeper.ts';

/** Gives what was written. What is no failure of GitHub's is our own fault: it goes to the log whole. */
export async function keepProblem(
  sweeper: Sweeper,
  state: RepositoryState,
  look: SweepProblem['look'],
  error: unknown,
): Promise<SweepProblem> {
  const { deps, intervalMs } = sweeper;
  const now = deps.clock();
  const isGitHubs = error instanceof GitHubError;
  const code = isGitHubs ? error.code : 'internal';
  const message = error instanceof Error ? error.message : String(error);
  const before = state.sweepProblem?.code === code ? state.sweepProblem : null;
  const failures = (before?.failures ?? 0) + 1;
  const askedMs = isGitHubs ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
  const nextTryAt = new Date(now.getTime() + retryAfter(intervalMs, failures, askedMs));
  // Where both looks fail alike it is one row of failures.
  const problem = { look: before?.look ?? look, code, message, since: before?.since ?? now, failures, nextTryAt };
  const writes: Write[] = [{ write: 'repository.state', repositoryId: state.id, set: { sweepProblem: problem } }];
  if (before === null) {
    writes.push(repositoryEvent('RECONCILIATION_ERROR', now, state.id, { code, message }));
    const detail = isGitHubs ? { code, problem: message } : { err: error };
    deps.log.warn({ repository: state.fullName, ...detail }, 'repository not swept');
  }
  // It may be gone: that is asked for by itself.
  if (code === 'lost_access') writes.push({ write: 'work.enqueue', key: accessKey(state.id), dueAt: now });
  await deps.store.commit(writes);
  return problem;
}

/** What a look that succeeds takes away: its own problem, and not that of the other one. */
export function withoutProblem({ sweepProblem }: RepositoryState, look: SweepProblem['look']): { sweepProblem?: null } {
  return sweepProblem?.look === look ? { sweepProblem: null } : {};
}
