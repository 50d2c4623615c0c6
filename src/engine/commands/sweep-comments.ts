/** The comments of every known repository at each sweep: commands that a lost webhook carried. A failure is that repository's own. */
import type { ReconciliationError } from '../changes.ts';
import type { Deps } from '../deps.ts';
import { eachOf } from '../each-of.ts';
import { githubNow } from '../github-clock.ts';
import { GitHubError, type RepositoryRef, type SeenComment } from '../ports.ts';
import { commentsFromNow, takeIn } from './take-in.ts';

const AT_ONCE = 4;
/** What GitHub shows a moment late is still found by the next listing. */
const OVERLAP_MS = 60_000;
/** A listing of this many may have been cut: the next one begins where it ended. */
const MANY = 100;

export async function sweepComments(deps: Deps): Promise<readonly ReconciliationError[]> {
  if (deps.github?.readComments === undefined) return [];
  const errors: ReconciliationError[] = [];
  await eachOf(await deps.store.repositories(), AT_ONCE, async (repository) => {
    errors.push(...(await errorsOf(deps, repository)));
  });
  return errors;
}

async function errorsOf(deps: Deps, repository: RepositoryRef): Promise<ReconciliationError[]> {
  try {
    await listComments(deps, repository);
    return [];
  } catch (error) {
    const code = error instanceof GitHubError ? error.code : 'internal';
    const message = error instanceof Error ? error.message : String(error);
    if (code === 'lost_access') {
      // For as long as the App is not there: told at each sweep, it would fill the journal of what is followed.
      deps.log.debug({ repository: repository.fullName, problem: message }, 'comments unreadable');
      return [];
    }
    return [{ taskId: null, issue: null, code, message: `comments of ${repository.fullName}: ${message}` }];
  }
}

/** Of one repository. Throws `GitHubError`; what was listed before stays kept. */
export async function listComments(deps: Deps, repository: RepositoryRef): Promise<void> {
  if (deps.github?.readComments === undefined) return;
  const { store, github } = deps;
  const since = await store.commentsSince(repository.id);
  if (since === null) {
    await store.commit(await commentsFromNow(deps, repository.id));
    return;
  }
  const begun = deps.clock();
  const comments = (await github?.readComments?.(repository, since)) ?? [];
  for (const comment of comments) await keepFound(deps, repository, comment);
  const to = cursorAfter(comments, githubNow({ ...deps, clock: () => begun }));
  if (to > since) await store.commit([{ write: 'comments.since', repositoryId: repository.id, from: since, to }]);
}

/** What was edited since is no command, whatever it said before: nobody here has seen that. */
async function keepFound(deps: Deps, repository: RepositoryRef, comment: SeenComment): Promise<void> {
  if (comment.updatedAt > comment.createdAt) return;
  const writes = await takeIn(deps, { repository, comment }, 'sweep');
  if (writes.length > 0) await deps.store.commit(writes);
}

function cursorAfter(comments: readonly SeenComment[], begun: Date): Date {
  const last = comments.at(-1);
  return comments.length >= MANY && last !== undefined ? last.updatedAt : new Date(begun.getTime() - OVERLAP_MS);
}
