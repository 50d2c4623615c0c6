/** The rare look at everything that is tracked in a repository, and at its file: for what no listing tells. */
import { pauseBefore, waitsUntil } from '../../core/sweep-pace.ts';
import { eachOf } from '../each-of.ts';
import { repositoryEvent } from '../journal.ts';
import { GitHubError, type RepositoryState, type Write } from '../ports.ts';
import { readIssue } from '../read-issue.ts';
import { endedOf } from './followed.ts';
import { keepProblem, withoutProblem } from './problem.ts';
import { makeFileOfTurn } from './refresh-file.ts';
import type { Swept } from './sweep-repository.ts';
import { allowanceOf, type Sweeper, someTimeAfter } from './sweeper.ts';
import { verifyIssues } from './verify-issues.ts';

const HOUR_MS = 3_600_000;
/** Where GitHub answers no query, issues are read one by one, so many at a time. */
const READS_AT_ONCE = 8;
const PAGE = 100;
/** After so many failures without any answer, the rest of them is not asked for. */
const MOST_FAILURES = 10;

export async function verifyRepository(sweeper: Sweeper, repositoryId: string): Promise<Swept> {
  const { deps } = sweeper;
  const state = await deps.store.repositoryState(repositoryId);
  if (state === null || state.access === 'gone' || state.access === 'suspended') {
    return { changes: 0, problem: null, nextAt: null };
  }
  const wait = waitsUntil(allowanceOf(sweeper, state), deps.clock());
  if (wait !== null) return { changes: 0, problem: null, nextAt: someTimeAfter(sweeper, wait) };
  try {
    const changes = await verifyNow(sweeper, state);
    const pause = pauseBefore(HOUR_MS, allowanceOf(sweeper, state), sweeper.chance());
    return { changes, problem: null, nextAt: new Date(deps.clock().getTime() + pause) };
  } catch (error) {
    const problem = await keepProblem(sweeper, state, 'everything', error);
    return { changes: 0, problem, nextAt: problem.nextTryAt };
  }
}

async function verifyNow(sweeper: Sweeper, state: RepositoryState): Promise<number> {
  const { deps } = sweeper;
  const file = makeFileOfTurn(deps, state);
  // What a close means is known before one is acted on, also one that waits.
  await file.beforeNews();
  const begun = deps.clock();
  const changes = await verifyIssues(sweeper, state, file).catch((error: unknown) => {
    if (!isNoQuery(error)) throw error;
    return readAll(sweeper, state);
  });
  const writes: Write[] = [];
  if (changes > 0) writes.push(repositoryEvent('RECONCILIATION_STARTED', deps.clock(), state.id, { changes }));
  const set = { verifiedAt: begun, sweptAt: begun, ...withoutProblem(state, 'everything') };
  await deps.store.commit([...writes, { write: 'repository.state', repositoryId: state.id, set }]);
  const unread = await file.atLast();
  if (unread !== null) throw unread;
  return changes;
}

/** Queries may be refused where reads are not: by what a token may do, or by a GitHub that has them switched off. */
function isNoQuery(error: unknown): boolean {
  return error instanceof GitHubError && (error.code === 'lost_access' || error.code === 'refused');
}

/** One issue's failure is its own, a limit is everybody's, and where none could be read nothing was verified. */
async function readAll({ deps }: Sweeper, state: RepositoryState): Promise<number> {
  const ended = await endedOf(deps, state.id);
  const failures: GitHubError[] = [];
  let read = 0;
  for (let after = 0; ; ) {
    const numbers = await deps.store.trackedNumbers(state.id, { ...ended, after, limit: PAGE });
    await eachOf(numbers, READS_AT_ONCE, async (number) => {
      if (read === 0 && failures.length >= MOST_FAILURES) return;
      try {
        await readIssue(deps, { repositoryId: state.id, number });
        read += 1;
      } catch (error) {
        if (!(error instanceof GitHubError) || error.code === 'throttled') throw error;
        failures.push(error);
      }
    });
    const last = numbers.at(-1);
    if (last === undefined || numbers.length < PAGE) break;
    after = last;
  }
  const [first] = failures;
  if (first !== undefined && read === 0) throw first;
  return 0;
}
