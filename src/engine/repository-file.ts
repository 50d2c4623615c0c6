/** The repository's file as it is in force here, and how it is read anew from the default branch. */
import type { RepositoryFile } from '../core/documents/index.ts';
import type { Deps } from './deps.ts';
import { githubWords } from './github-words.ts';
import { GitHubError, type RepositoryRef, type Store, type StoredFile, type Write } from './ports.ts';
import { repositoryOf } from './read-issue.ts';
import { makeSingleFlight, type SingleFlight } from './single-flight.ts';
import { etagOf, newsOf, storedAfter, understand } from './stored-file.ts';
import { messageId } from './transition/parts.ts';

export const FILE_PATH = '.github/standdown.yml';

/** What was confirmed longer ago than this starts nothing while GitHub gives no answer. */
const MAX_AGE_MS = 600_000;

/** `unread`: what is stored (null: nothing) stays. `error` null: nobody here is connected to GitHub to read files. */
export type RefreshedFile =
  | { result: 'read'; stored: StoredFile }
  | { result: 'unread'; stored: StoredFile | null; error: GitHubError | null };

/**
 * What work may be started from. `file` null: there is none, or none that was ever right. `words`: why nothing may start; `error`
 * null: nobody here is connected to GitHub.
 */
export type FileToStart =
  | { ok: true; file: RepositoryFile | null; stored: StoredFile }
  | { ok: false; words: string; error: GitHubError | null };

/** The newest content that was right; null: there is none, or there is no file. */
export async function fileInForce(
  store: Pick<Store, 'repositoryFile'>,
  repositoryId: string,
): Promise<RepositoryFile | null> {
  const stored = await store.repositoryFile(repositoryId);
  return stored === null ? null : understand(stored);
}

/** Asks GitHub, by ETag, and keeps what it says. Throws nothing of GitHub's. */
export function refreshFile(deps: Deps, repository: RepositoryRef): Promise<RefreshedFile> {
  return flightsOf(deps.store)(repository.id, () => readAnew(deps, repository));
}

/** It may have been pushed to. Throws while trying again may help; what does not, the next sweep finds. */
export async function followFile(deps: Deps, repositoryId: string): Promise<void> {
  const refreshed = await refreshFile(deps, await repositoryOf(deps, repositoryId));
  if (refreshed.result === 'read' || refreshed.error === null) return;
  const { error } = refreshed;
  if (error.code === 'retryable' || error.code === 'throttled') throw error;
  deps.log.warn({ repository_id: repositoryId, code: error.code, problem: error.message }, 'file unreadable');
}

/** Refreshes it for what starts work; where GitHub gives no answer, what was confirmed lately is good enough. */
export async function fileToStart(deps: Deps, repository: RepositoryRef): Promise<FileToStart> {
  const refreshed = await refreshFile(deps, repository);
  const { stored } = refreshed;
  if (stored !== null && (refreshed.result === 'read' || isRecent(stored, deps.clock()))) {
    return { ok: true, file: understand(stored), stored };
  }
  const error = refreshed.result === 'unread' ? refreshed.error : null;
  const why = error === null ? 'GitHub is not connected to read it' : githubWords(error);
  return { ok: false, words: `${FILE_PATH} of ${repository.fullName} could not be read: ${why}`, error };
}

function isRecent({ checkedAt }: StoredFile, now: Date): boolean {
  // Ahead of us, it was confirmed before the clock was set back: nobody knows how long ago.
  return Math.abs(now.getTime() - checkedAt.getTime()) <= MAX_AGE_MS;
}

/** What is wrong with the newest content is told once, on the issue where it was noticed first. Nothing where it is right. */
export function noticeWrites({ repositoryId, sha, problems }: StoredFile, number: number, now: Date): Write[] {
  if (problems === null || sha === null) return [];
  const key = `notice:${repositoryId}:${sha}`;
  const item = { id: messageId(key), key, kind: 'notice', repositoryId, number, dueAt: now, createdAt: now } as const;
  return [{ write: 'outbox.owe', item }];
}

/** For each store, since that is where what is in flight lands. */
const flights = new WeakMap<Store, SingleFlight<RefreshedFile>>();

function flightsOf(store: Store): SingleFlight<RefreshedFile> {
  const known = flights.get(store) ?? makeSingleFlight<RefreshedFile>();
  flights.set(store, known);
  return known;
}

async function readAnew({ store, github, clock }: Deps, repository: RepositoryRef): Promise<RefreshedFile> {
  const stored = await store.repositoryFile(repository.id);
  if (github?.readFile === undefined) return { result: 'unread', stored, error: null };
  const checkedAt = clock();
  try {
    const reading = await github.readFile(repository, FILE_PATH, etagOf(stored));
    const next = storedAfter(stored, reading, { repositoryId: repository.id, checkedAt });
    if (next === null) throw new GitHubError('retryable', 'the file is said to be as it was, and never was read');
    await store.commit([{ write: 'file.put', file: next }, ...newsOf(stored, next)]);
    return { result: 'read', stored: next };
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    return { result: 'unread', stored, error };
  }
}
