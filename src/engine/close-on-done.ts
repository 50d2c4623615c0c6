/**
 * The close of an issue by ourselves, once all its tasks are done: owed once for each set of ends, looked at again right before it
 * is sent, and known again when GitHub tells of it.
 */
import { createHash } from 'node:crypto';
import type { IssueRef, TrackedIssue } from '../core/issue.ts';
import { isDoneWith } from '../core/plan/done.ts';
import type { Task } from '../core/task.ts';
import type { Deps } from './deps.ts';
import { issueKey } from './keys.ts';
import { GitHubError, type OutboxItem } from './ports.ts';
import { readIssue } from './read-issue.ts';
import { messageId } from './transition/parts.ts';

/** To be called after an end was committed: of two tasks that end at once, the later look sees both. */
export async function oweCloseOnDone({ store, clock }: Deps, { repositoryId, issueNumber }: Task): Promise<void> {
  if (issueNumber === null) return;
  const ref = { repositoryId, number: issueNumber };
  const issue = await store.issue(ref);
  if (issue?.state !== 'open' || issue.presence !== 'present') return;
  const tasks = await store.tasksOfIssue(ref);
  if (!isDoneWith(tasks, await store.newestEpisode(issue.nodeId))) return;
  const key = keyOf(ref, tasks);
  // These ends have closed it once, and somebody has reopened it since.
  if ((await store.outbox.view(messageId(key))) !== null) return;
  const now = clock();
  const item = { id: messageId(key), key, kind: 'close', ...ref, dueAt: now, createdAt: now } as const;
  await store.commit([{ write: 'outbox.owe', item }]);
}

/** Whether the close is still to be sent. Throws `GitHubError` where the issue can't be read. */
export async function isCloseDue(deps: Deps, { key, repositoryId, number }: OutboxItem): Promise<boolean> {
  const { store, policyOf } = deps;
  const ref = { repositoryId, number };
  if (!(await policyOf(repositoryId)).closeIssueOnDone) return false;
  const issue = await readIssue(deps, ref);
  // One that somebody else has closed meanwhile keeps their reason.
  if (issue?.state !== 'open' || issue.presence !== 'present') return false;
  const tasks = await store.tasksOfIssue(ref);
  return key === keyOf(ref, tasks) && isDoneWith(tasks, await store.newestEpisode(issue.nodeId));
}

/** The issue is looked at once more when it was closed: nothing else tracks one whose tasks are done, and the webhook may be lost. */
export async function followClose({ store, clock }: Deps, { repositoryId, number }: IssueRef): Promise<void> {
  const ref = { repositoryId, number };
  const issue = await store.issue(ref);
  if (issue === null) return;
  await store.commit([
    { write: 'issue.update', ref, version: issue.version, set: { readDue: true } },
    { write: 'work.enqueue', key: issueKey(ref), dueAt: clock() },
  ]);
}

/**
 * Whether the issue's close is our own. With a token we have no login of our own: then a close is ours where it was owed for the
 * tasks just as they are. Where GitHub does not tell who we are, it is anybody's: nobody's silence holds up a stop.
 */
export async function isOwnClose(deps: Deps, issue: TrackedIssue): Promise<boolean> {
  const { store, github, log } = deps;
  const repository = await store.repository(issue.repositoryId);
  if (repository?.installationId == null) {
    const tasks = await store.tasksOfIssue(issue);
    return tasks.length > 0 && (await store.outbox.view(messageId(keyOf(issue, tasks)))) !== null;
  }
  if (github?.self === undefined || !issue.actor?.endsWith('[bot]')) return false;
  try {
    return (await github.self()).login === issue.actor;
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    log.warn({ issue: issue.number, err: error }, 'own login unknown');
    return false;
  }
}

/** The same for the same ends, and another one after a requeue of any of them. */
function keyOf({ repositoryId, number }: IssueRef, tasks: readonly Task[]): string {
  const ends = tasks.map(({ id, generation }) => `${id}:${generation}`).toSorted();
  const hash = createHash('sha256').update(ends.join(' ')).digest('hex').slice(0, 16);
  return `done:${repositoryId}#${number}:${hash}`;
}
