/** Whose word a comment is, whether it still says what was delivered, and what its author holds. GitHub is asked for each. */
import type { CommandComment } from '../../core/comment.ts';
import type { TrackedIssue } from '../../core/issue.ts';
import type { Permission } from '../../core/policy.ts';
import type { Deps } from '../deps.ts';
import { githubNow } from '../github-clock.ts';
import { githubWords } from '../github-words.ts';
import { type CommandReader, GitHubError, type GitHubReader, type RepositoryRef, type SeenComment } from '../ports.ts';
import { readIssue } from '../read-issue.ts';
import { orError } from './patience.ts';

export type Verdict =
  /** Nobody is answered. */
  | { verdict: 'ignored' }
  /** `permission` null: nobody could tell. */
  | { verdict: 'refused'; why: 'edited' | 'unreadable'; words: string; permission: Permission | null }
  | { verdict: 'heard'; permission: Permission };

type Reader = GitHubReader & CommandReader;

/** A comment that is this new and not there may not have reached all of GitHub. */
const NEW_MS = 10_000;

const IGNORED: Verdict = { verdict: 'ignored' };

/** Throws `GitHubError` while asking again may help. */
export async function judge(
  deps: Deps,
  { comment, repository }: { comment: CommandComment; repository: RepositoryRef },
  failures: number,
): Promise<Verdict> {
  const { author, app } = comment;
  const github = readerOf(deps);
  if (github === null || author === null) return IGNORED;
  if (app !== null && !deps.trustedApps().includes(app)) return IGNORED;
  const answers = await orError(failures, async () => {
    if (app !== null && (await github.self()).app === app) return null;
    const issue = await issueOf(deps, comment);
    if (issue === null || issue.isPullRequest || issue.presence !== 'present') return null;
    return { seen: await readAgain(deps, github, { comment, repository }, failures) };
  });
  if (answers instanceof GitHubError) return unreadable(answers);
  if (answers === null || answers.seen === null || isAnother(deps, comment, answers.seen)) return IGNORED;
  // Also of one that was edited: a stranger's is not answered in words.
  const permission = await orError(failures, () => github.readPermission(repository, author));
  if (permission instanceof GitHubError) return unreadable(permission);
  if (!isEdited(comment, answers.seen)) return { verdict: 'heard', permission };
  const words = 'the comment was changed since; say it in a new one';
  return { verdict: 'refused', why: 'edited', words, permission };
}

/** As it is known: that it is no pull request never changes. null: there is none. */
export async function issueOf(deps: Deps, { repositoryId, number }: CommandComment): Promise<TrackedIssue | null> {
  const ref = { repositoryId, number };
  return (await deps.store.issue(ref)) ?? readIssue(deps, ref);
}

function readerOf({ github }: Deps): Reader | null {
  return github?.readComment !== undefined && github.self !== undefined ? (github as Reader) : null;
}

async function readAgain(
  deps: Deps,
  github: Reader,
  { comment, repository }: { comment: CommandComment; repository: RepositoryRef },
  failures: number,
): Promise<SeenComment | null> {
  const seen = await github.readComment(repository, comment.id);
  const isNew = githubNow(deps).getTime() - comment.createdAt.getTime() < NEW_MS;
  if (seen === null && isNew && failures === 0) {
    throw new GitHubError('retryable', `comment ${comment.id} is not there yet`);
  }
  return seen;
}

/** A command is what was said, by whom it was said. Nobody else's words may be put into their mouth afterwards. */
function isEdited(comment: CommandComment, seen: SeenComment): boolean {
  return seen.body !== comment.body || seen.author !== comment.author || seen.updatedAt > seen.createdAt;
}

/**
 * Whoever set up a webhook of some repository knows the secret that deliveries are signed with: where and when something was said,
 * and through which App, is only what GitHub itself shows.
 */
function isAnother({ trustedApps }: Deps, comment: CommandComment, seen: SeenComment): boolean {
  if (seen.number !== comment.number || seen.createdAt.getTime() !== comment.createdAt.getTime()) return true;
  return seen.app !== null && seen.app !== comment.app && !trustedApps().includes(seen.app);
}

function unreadable(error: GitHubError): Verdict {
  return { verdict: 'refused', why: 'unreadable', words: githubWords(error), permission: null };
}
