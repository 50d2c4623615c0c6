/** What is kept of the repository's file: how its content is understood, and what an answer of GitHub makes of it. Pure. */
import { formatProblem, type RepositoryFile, readRepositoryFile } from '../core/documents/index.ts';
import { makeLru } from '../core/lru.ts';
import type { FileReading, StoredFile, Write } from './ports.ts';

/** Understood once for each content: it is asked for at every look at a task. */
const understood = makeLru<RepositoryFile>(200);

/** The newest content that was right. What is wrong to this version, though it was right to another, counts as no file. */
export function understand({ text, textSha }: StoredFile): RepositoryFile | null {
  if (text === null || textSha === null) return null;
  const known = understood.get(textSha);
  if (known !== undefined) return known;
  const parsed = readRepositoryFile(text);
  if (!parsed.ok) return null;
  understood.set(textSha, parsed.value);
  return parsed.value;
}

/** What to ask for only if it has changed; null: it has to be judged anew, since another version may have judged it. */
export function etagOf(stored: StoredFile | null): string | null {
  if (stored === null || stored.problems !== null) return null;
  return stored.text === null || understand(stored) !== null ? stored.etag : null;
}

/** A wrong file leaves the last good content in force; one that is gone leaves nothing. null: it can't have been unchanged. */
export function storedAfter(
  before: StoredFile | null,
  reading: FileReading,
  { repositoryId, checkedAt }: Pick<StoredFile, 'repositoryId' | 'checkedAt'>,
): StoredFile | null {
  if (reading.found === 'unchanged') return before && { ...before, checkedAt };
  const { etag } = reading;
  const inForce = { text: before?.text ?? null, textSha: before?.textSha ?? null };
  switch (reading.found) {
    case 'none':
      return { repositoryId, etag, sha: null, text: null, textSha: null, problems: null, checkedAt };
    case 'unusable':
      return { repositoryId, etag, sha: reading.sha, ...inForce, problems: [reading.problem], checkedAt };
    case 'file': {
      const { text, sha } = reading;
      const problems = problemsOf(text);
      if (problems === null) return { repositoryId, etag, sha, text, textSha: sha, problems, checkedAt };
      return { repositoryId, etag, sha, ...inForce, problems, checkedAt };
    }
  }
}

/** In lines; null: it is right. */
function problemsOf(text: string): readonly string[] | null {
  // Not every database keeps one, wherever it stands.
  if (text.includes('\0')) return ['must not contain a NUL character'];
  const parsed = readRepositoryFile(text);
  return parsed.ok ? null : parsed.problems.map(formatProblem);
}

/** What the journal tells: that another content is in force, and that a new content is wrong. */
export function newsOf(before: StoredFile | null, after: StoredFile): Write[] {
  const place = { repositoryId: after.repositoryId, issueNumber: null, batchId: null, taskId: null, runId: null };
  const tell = (type: string, data: Record<string, unknown>): Write => ({
    write: 'event.append',
    event: { type, at: after.checkedAt, ...place, data },
  });
  const from = before?.textSha ?? null;
  return [
    ...(after.textSha === from ? [] : [tell('REPOSITORY_FILE_CHANGED', { from, to: after.textSha })]),
    ...(after.problems === null || after.sha === before?.sha
      ? []
      : [tell('REPOSITORY_FILE_WRONG', { sha: after.sha, in_force: after.textSha, problems: after.problems })]),
  ];
}
